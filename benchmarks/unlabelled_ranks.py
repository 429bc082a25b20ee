"""Whether rows without labels help to rank subsets as the test file does.

Chance plays a part in every step of a search, so this asks the same question without searching: 120
subsets of NSL-KDD's columns, of all sizes, are scored by every protocol of `unlabelled.py` on the
first fifth of the training file, and by the F-score on the test file of forests trained on that
fifth. The rank correlation (Spearman) says how much a protocol knows about the test file; intervals
are 95 % intervals by a bootstrap over subsets, and "minus folds alone" is the difference between
two correlations over the same subsets. "Of the best ten" is the mean test F of the ten subsets that
a protocol scores highest. The last two tables ask once more whether likeness helps, with other
subsets, folds and forests; they were measured after the first two had been seen. Scores are saved
in the folder that `--keep` names; run the same command again to continue.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, progress, save, table
from _new_rows import PROTOCOLS, Search
from _protocols import Data
from scipy.stats import rankdata

from nffs.atomic import write_text

KEPT = Path(__file__).parent / "kept" / "unlabelled" / "ranks.json"

#: Scores of the test file, which no protocol may see, and of its labels again by other forests.
TRUTH, AGAIN = "test", "test again"

#: What is asked once more, of other subsets.
CONFIRMED = (TRUTH, AGAIN, "folds", "likeness")

#: Subsets scored at a time between two writes, and columns that a large subset has more than.
BLOCK, LARGE = 20, 35


def masks(n: int, n_columns: int, draw: int) -> np.ndarray:
    """Draw subsets: shares of the columns from a tenth to all but a tenth."""
    rng = np.random.default_rng(draw)
    shares = rng.uniform(0.1, 0.9, n)
    return rng.random((n, n_columns)) < shares[:, None]


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Give Spearman's rank correlation."""
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def interval(values: np.ndarray) -> str:
    """Write a 95 % interval of bootstrap values."""
    low, high = np.percentile(values, [2.5, 97.5])
    return f"[{low:+.2f}, {high:+.2f}]"


def lines(scores: dict[str, np.ndarray], some: np.ndarray) -> list[list[str]]:
    """Give the lines of a table over some of the subsets."""
    truth = scores[TRUTH][some]
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(truth), (2000, len(truth)))
    every = {
        name: np.array([correlation(found[some][d], truth[d]) for d in drawn])
        for name, found in scores.items()
        if name != TRUTH
    }
    rows = []
    for name, values in every.items():
        found = scores[name][some]
        best = np.argsort(-found, kind="stable")[:10]
        difference = "-"
        if name not in ("folds", AGAIN):
            gained = correlation(found, truth) - correlation(scores["folds"][some], truth)
            difference = f"{gained:+.2f} {interval(values - every['folds'])}"
        said = "the test file again" if name == AGAIN else PROTOCOLS[name][0]
        rows.append(
            [
                said,
                f"{correlation(found, truth):+.2f} {interval(values)}",
                difference,
                f"{truth[best].mean():.3f}",
            ]
        )
    return rows


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--keep", type=Path, default=KEPT, help="the JSON file of all scores")
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    n = 20 if options.quick else 120
    file = options.keep.with_suffix(".quick.json") if options.quick else options.keep
    file.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    asked = {0: (TRUTH, AGAIN, *PROTOCOLS), 1: CONFIRMED}
    jobs = [(draw, name) for draw, names in asked.items() for name in names]
    if not options.kept:
        data = Data(0.2)
        n_columns = len(data.on_test("f1").features)
        for draw, name in progress(jobs, len(jobs), "protocols"):
            drawn, evaluation = masks(n, n_columns, draw), None
            kept[f"sizes {draw}"] = drawn.sum(axis=1).tolist()
            scored = kept.setdefault(f"{name} {draw}", [])
            while len(scored) < n:
                evaluation = evaluation or evaluation_of(data, name, draw)
                found = evaluation.evaluator(drawn[len(scored) : len(scored) + BLOCK])
                scored += [round(each.value, 6) for each in found]
                write_text(file, json.dumps(kept) + "\n")
    header = ["evaluated by", "correlation", "minus folds alone", "of the best ten"]
    result = {}
    for draw, names in asked.items():
        told = {name: np.array(kept.get(f"{name} {draw}", [])) for name in names}
        scores = {name: values for name, values in told.items() if len(values) == n}
        if not {TRUTH, "folds"} <= set(scores):
            continue
        sizes = np.array(kept[f"sizes {draw}"])
        for what, least in (("of any size", 0), (f"of more than {LARGE} columns", LARGE)):
            some = sizes > least
            said = f"NSL-KDD, {some.sum()} {'other ' if draw else ''}subsets {what}"
            result[said] = lines(scores, some)
            print(f"{said}; their mean test F is {scores[TRUTH][some].mean():.3f}\n")
            print(table(header, result[said]), end="\n\n")
    save(options.json, {"tables": result, "scores": kept})


def evaluation_of(data: Data, name: str, draw: int) -> Any:
    """Give what scores subsets by a protocol, or by the test file."""
    if name in (TRUTH, AGAIN):
        seed = 2 * draw + (name == AGAIN)
        asked = Search.under("folds", evaluator="paper", random_state=seed)
        return asked.on_new(data.X, data.y, *data.test, "f1")
    asked = Search.under(name, evaluator="paper", cv=3, random_state=draw)
    given = {} if name == "folds" else {"unlabelled": data.test[0]}
    return asked.evaluation(data.X, data.y, **given).adapted()


if __name__ == "__main__":
    main()
