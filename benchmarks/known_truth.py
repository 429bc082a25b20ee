"""Signals found and noise kept where the truth is known, compared with Boruta, RFECV and others.

For every table it is known which columns matter; where several columns are copies of one signal,
any of them counts. Each seed generates the synthetic tables anew and takes a different three
quarters of the rows of a table of the suite. "forest", "boosting" and "logistic" are the F-scores
of these models on rows that no selector saw: the score with the selection minus the score with all
columns. "worst" is the lowest such difference of any model and seed. The last rows ("wide") are the
hard case: a table of 120 rows and 1,500 columns, 10 of which matter.

Every run is saved in the folder that `--keep` names; run the same command again to continue.
`--kept` runs nothing and summarizes the saved runs, however many there are of a table and a
selector.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, save, table
from _suite import suite_table
from sklearn.datasets import make_classification, make_friedman1
from sklearn.model_selection import train_test_split

from nffs import NFFS, Selector, make_connections
from nffs.atomic import write_text
from nffs.validation import MODELS
from nffs.validation.transfer import Transfer


@dataclass(frozen=True)
class Known:
    """A table with unseen rows: the columns of every signal, and those that are noise."""

    X: Any
    y: Any
    X_unseen: Any
    y_unseen: Any
    signals: list[set[str]]
    noise: set[str]


def halves(X: np.ndarray, y: np.ndarray, n: int, signals: list[list[int]]) -> Known:
    """Take the first rows for training and the others for scoring; columns are x0, x1, ..."""
    names = [{f"x{j}" for j in signal} for signal in signals]
    noise = {f"x{j}" for j in range(X.shape[1])} - set().union(*names)
    return Known(X[:n], y[:n], X[n:], y[n:], names, noise)


def connections(seed: int) -> Known:
    """Make the embedded table."""
    made = make_connections(8000, random_state=seed)
    names = made.data.columns
    y = np.array(made.target)
    noise = {name for name in names if name.startswith("noise")}
    signals = [set(carriers) for carriers in made.planted.values()]
    return Known(made.data[:2000], y[:2000], made.data[2000:], y[2000:], signals, noise)


def of_suite(name: str, useful: Callable[[int, str], bool]) -> Callable[[int], Known]:
    """Read a table of the suite and hold out a quarter."""

    def make(seed: int) -> Known:
        data = suite_table(name)
        y = np.asarray(data.y)
        train, unseen = train_test_split(
            np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed
        )
        names = list(data.X.columns)
        known = {c for number, c in enumerate(names) if useful(number, c)}
        noise = set(names) - known
        return Known(
            data.X[train], y[train], data.X[unseen], y[unseen], [{c} for c in known], noise
        )

    return make


def classification(n: int, d: int, informative: int, redundant: int) -> Callable[[int], Known]:
    """Make scikit-learn's clusters; a redundant column is a mixture of informative ones."""

    def make(seed: int) -> Known:
        X, y = make_classification(
            n + 5000, d, n_informative=informative, n_redundant=redundant, shuffle=False,
            class_sep=1.0, random_state=seed,
        )  # fmt: skip
        order = np.random.default_rng(seed).permutation(len(y))
        made = halves(X[order], y[order], n, [[j] for j in range(informative)])
        mixed = {f"x{j}" for j in range(informative, informative + redundant)}
        return Known(made.X, made.y, made.X_unseen, made.y_unseen, made.signals, made.noise - mixed)

    return make


def friedman(seed: int) -> Known:
    """Ask of Friedman's function whether it is above its median: 5 of 30 columns."""
    X, y = make_friedman1(5800, 30, noise=1.0, random_state=seed)
    return halves(X, (y > np.median(y)).astype(int), 800, [[j] for j in range(5)])


def xor(seed: int) -> Known:
    """Ask whether two of 20 columns have the same sign: neither alone tells anything."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5600, 20))
    return halves(X, ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int), 600, [[0], [1]])


TABLES: dict[str, Callable[[int], Known]] = {
    "connections": connections,
    "waveform_40": of_suite("waveform_40", lambda number, _: number < 21),
    "led24": of_suite("led24", lambda number, _: number < 7),
    "gametes_1000": of_suite("gametes_1000", lambda _, name: name.startswith("P")),
    "classification 1000 x 50": classification(1000, 50, 5, 5),
    "friedman 800 x 30": friedman,
    "xor 600 x 20": xor,
    "wide 120 x 1500": classification(120, 1500, 10, 0),
}
SELECTORS: dict[str, Callable[..., Any]] = {
    "NFFS": NFFS,
    "NFFS, one_se": lambda **given: NFFS(choose="one_se", **given),
    "NFFS, paper": lambda **given: NFFS(evaluator="paper", **given),
    "Boruta": lambda **given: Selector("boruta", max_evaluations=1, **given),
    "RFECV": lambda **given: Selector("rfecv", max_evaluations=1, **given),
    "SelectFromModel": lambda **given: Selector("from-model", max_evaluations=1, **given),
}


def run(name: str, known: Known, seed: int, threads: int) -> dict[str, Any]:
    """Let a selector choose, count, and score the models."""
    selector = SELECTORS[name](random_state=seed, n_jobs=threads)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(known.X, known.y)
        seconds = time.perf_counter() - started
        plain = NFFS(random_state=seed, pos_label=selector.positive_)
        evaluation = plain.evaluation(known.X, known.y, eval_set=(known.X_unseen, known.y_unseen))
        scores = Transfer(MODELS, evaluation, threads).scores(selector.support_)
    kept = set(selector.selected_features_)
    return {
        "found": sum(bool(signal & kept) for signal in known.signals),
        "signals": len(known.signals),
        "noise_kept": len(known.noise & kept),
        "noise": len(known.noise),
        "selected": len(kept),
        "seconds": round(seconds, 2),
        **{model: [score.selected, score.all_features] for model, score in scores.items()},
    }


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--data", nargs="*", help="tables; all by default")
    made.add_argument("--selectors", nargs="*", default=list(SELECTORS))
    made.add_argument("--runs", type=int, default=3, help="seeds; the wide table has ten")
    made.add_argument("--keep", type=Path, default=Path("bench/known-truth"))
    made.add_argument("--kept", action="store_true", help="summarize what was kept, run nothing")
    options = made.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    rows, runs = [], {}
    for name in options.data or TABLES:
        seeds = range(1 if options.quick else 10 if name.startswith("wide") else options.runs)
        for selector in options.selectors:
            found = []
            for seed in seeds:
                file = options.keep / f"{name}-{selector}-{seed}.json".replace(" ", "-")
                if not file.exists() and options.kept:
                    continue
                if not file.exists():
                    try:
                        known = TABLES[name](seed)
                    except LookupError as error:
                        print(f"{name}: left out, {error}", flush=True)
                        break
                    result = run(selector, known, seed, options.threads)
                    write_text(file, json.dumps(result) + "\n")
                    print(f"{name}, {selector}, seed {seed}: {result}", flush=True)
                found.append(json.loads(file.read_text()))
            if found:
                runs[f"{name}, {selector}"] = found
                rows.append([name, selector, *summarized(found)])
    header = [
        "table", "selector", "runs", "signals found", "noise kept", "selected", *MODELS, "worst",
        "s",
    ]  # fmt: skip
    print(table(header, rows))
    save(options.json, {"header": header, "rows": rows, "runs": runs})


def summarized(found: list[dict[str, Any]]) -> list[str]:
    """Give means over seeds; the worst of any model and seed against all columns."""
    differences = np.array([[r[m][0] - r[m][1] for m in MODELS] for r in found])

    def mean(key: str) -> float:
        return float(np.mean([r[key] for r in found]))

    return [
        str(len(found)),
        f"{mean('found'):.1f} of {mean('signals'):.0f}",
        f"{mean('noise_kept'):.1f} of {mean('noise'):.0f}",
        f"{mean('selected'):.1f}",
        *(f"{d:+.3f}" for d in differences.mean(axis=0)),
        f"{differences.min():+.3f}",
        f"{mean('seconds'):.1f}",
    ]


if __name__ == "__main__":
    main()
