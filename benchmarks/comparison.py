"""NFFS and its rivals: the same tables, the same evaluator, the same number of evaluations.

Every method of `nffs.methods` with a budget of 250 evaluations and ten seeds on every table, and
those that NFFS's claim is about with 50 as well, and with 1000 and five seeds on nine tables: time
was short, and connections and unsw were the last in line. Where a table has no test rows of its
own, every seed holds out another quarter, the same for all methods. As more than half a million
subsets are evaluated, the evaluator is the default one with a third of its trees and at most 2000
rows: forests of 10 trees, cut at depths 2, 4, 8 and not at all, after PCA, by 3 folds of a
stratified sample. Mutual information is that of all training rows, and all unseen rows score what
was selected. Methods are ranked by what a random forest, boosting and logistic regression score
there, in the mean: models that had no part in the search, trained on the same sample. Every run
is kept in `--keep`, and the same command goes on where it was stopped. Several processes may share
the work by `--data` and `--budgets`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from _common import parser, save, table
from _tables import QUICK_TABLES, TABLES, Table
from scipy.stats import wilcoxon

from nffs.methods import METHODS
from nffs.validation import compare
from nffs.validation.comparison.ranks import compare_ranks

#: What NFFS claims to be better than.
CLAIMED = ["random", "ga", "pso", "sigmoid-pio", "cosine-pio"]
#: Budgets, and the methods that have them.
BUDGETS = {50: ["nffs", *CLAIMED], 250: list(METHODS), 1000: ["nffs", *CLAIMED]}
#: Tables that a budget leaves out, for want of time and no other reason.
TOO_LONG = {1000: ("connections", "unsw")}
#: Runs of every method.
SEEDS = {50: 10, 250: 10, 1000: 5}
EVALUATION = {
    "evaluator": "paper",
    "param_groups": [{"n_estimators": 10, "max_depth": depth} for depth in (2, 4, 8, None)],
    "max_rows": 2000,
}
QUICK_BUDGETS = {20: ["nffs", "ig", "mrmr", "ga", "pso", "kbest", "random", "all"]}


def run(
    name: str, data: Table, budget: int, methods: list[str], seeds: int, options: Any
) -> dict[str, Any]:
    """Compare on one table, and say what every run gave."""

    def show(result: dict[str, Any]) -> None:
        print(
            f"{name}, {budget}: {result['method']} seed {result['seed']}: unseen "
            f"{result['unseen']:.4f} in {result['seconds']:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    found = compare(
        data.X,
        data.y,
        test=data.test,
        methods=methods,
        budget=budget,
        seeds=seeds,
        keep=options.keep / ("quick" if options.quick else "full") / f"{name}-{budget}",
        n_jobs=options.threads,
        on_run=show,
        **EVALUATION,
        **data.evaluation,
    )
    return dict(found.document)


def text_of_one(name: str, found: dict[str, Any]) -> str:
    """Write what a comparison on one table found."""
    header = [
        "method", "rank", "models", "gain", "unseen", "score", "optimism", "features",
        "stability", "evals", "s",
    ]  # fmt: skip
    rows = [
        [
            row["name"],
            f"{row['rank']:.2f}",
            f"{row['transfer']['mean']:.4f} ± {row['transfer']['std']:.4f}",
            f"{row['gain']['mean']:+.4f}",
            f"{row['unseen']['mean']:.4f} ± {row['unseen']['std']:.4f}",
            f"{row['score']['mean']:.4f}",
            f"{row['optimism']['mean']:+.4f}",
            f"{row['n_features']['mean']:.1f}",
            "-" if row["stability"] is None else f"{row['stability']['value']:.2f}",
            f"{row['evaluations']['mean']:.0f}",
            f"{row['seconds']['mean']:.1f}",
        ]
        for row in sorted(found["methods"], key=lambda row: row["rank"])
    ]
    of = "" if found["positive"] is None else f" of label {found['positive']}"
    return (
        f"{name}: {found['n_rows']} rows, {found['n_features']} encoded columns; "
        f"{found['scoring']}{of}; evaluated on {found['evaluated_on']}; "
        f"unseen: {found['unseen_on']}\n\n"
        f"{table(header, rows)}\n"
    )


def over_tables(found: dict[str, dict[str, Any]], methods: list[str], budget: int) -> Any:
    """Rank the methods over tables, by the models' mean score on the unseen rows of each."""
    scores = np.array(
        [[row["transfer"]["mean"] for row in document["methods"]] for document in found.values()]
    )
    ranks = compare_ranks(scores)
    rows = [
        [methods[i], f"{ranks.mean[i]:.2f}", *(f"{score:.3f}" for score in scores[:, i])]
        for i in np.argsort(ranks.mean, kind="stable")
    ]
    print(
        f"{budget} evaluations: mean rank over {len(found)} tables, and mean score of the models "
        "on unseen rows"
    )
    print(f"\n{table(['method', 'rank', *found], rows)}\n")
    if ranks.pvalue is not None and ranks.critical_difference is not None:
        best = ranks.mean.min()
        apart = [methods[i] for i in np.flatnonzero(ranks.mean > best + ranks.critical_difference)]
        print(
            f"Friedman's test that no method differs: p = {ranks.pvalue:.2g}. Critical difference "
            f"of mean ranks {ranks.critical_difference:.2f} (Nemenyi, 5 %): the first is ahead of "
            f"{', '.join(apart) or 'none'}.\n"
        )
    return {
        "mean_rank": dict(zip(methods, ranks.mean.tolist(), strict=True)),
        "pvalue": ranks.pvalue,
        "critical_difference": ranks.critical_difference,
    }


def claim(found: dict[str, dict[str, Any]], budget: int) -> Any:
    """Set NFFS against those that it claims to be better than, on unseen rows."""
    margins: dict[str, list[float]] = {rival: [] for rival in CLAIMED}
    rows = []
    for name, document in found.items():
        scores = {
            row["name"]: np.array([r["transfer"] for r in row["runs"]])
            for row in document["methods"]
        }
        cells = []
        for rival, differences in margins.items():
            difference = scores["nffs"] - scores[rival]
            differences.append(float(difference.mean()))
            clear = difference.any() and wilcoxon(difference).pvalue < 0.05
            cells.append(f"{difference.mean():+.4f}{'*' if clear else ' '}")
        rows.append([name, *cells])
    rows.append(["mean", *(f"{np.mean(values):+.4f} " for values in margins.values())])
    rows.append(
        [
            "better on",
            *(f"{sum(v > 0 for v in values)}/{len(rows) - 1} " for values in margins.values()),
        ]
    )
    pvalues = holm([float(wilcoxon(v).pvalue) if any(v) else 1.0 for v in margins.values()])
    rows.append(["p over tables", *(f"{p:.2g} " for p in pvalues)])
    print(
        f"{budget} evaluations: NFFS minus each rival, score of the models on unseen rows, mean "
        "over seeds\n"
    )
    print(f"{table(['table', *CLAIMED], rows)}\n")
    print("\n".join(answers(margins, pvalues, list(found))) + "\n")
    return {
        "minus": {
            rival: dict(zip(found, values, strict=True)) for rival, values in margins.items()
        },
        "pvalues": dict(zip(CLAIMED, pvalues, strict=True)),
    }


def answers(margins: dict[str, list[float]], pvalues: list[float], tables: list[str]) -> list[str]:
    """Say of every rival whether NFFS is better, and where it loses most."""
    said = []
    for (rival, values), p in zip(margins.items(), pvalues, strict=True):
        mean, worst = float(np.mean(values)), int(np.argmin(values))
        clear = "better than" if mean > 0 else "worse than"
        verdict = clear if p < 0.05 else "not clearly different from"
        loss = (
            f"; it loses most on {tables[worst]} ({values[worst]:+.4f})"
            if values[worst] < 0
            else ""
        )
        said.append(f"NFFS is {verdict} {rival}: {mean:+.4f} in the mean, p = {p:.2g}{loss}.")
    return said


def holm(pvalues: list[float]) -> list[float]:
    """Adjust p-values for their number, after Holm.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues)
    steps = [(len(pvalues) - i) * pvalues[at] for i, at in enumerate(order)]
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(p) for p in adjusted]


def without_curves(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what only the kept files need."""
    rows = [{k: v for k, v in r.items() if k not in ("runs", "curve")} for r in document["methods"]]
    return {**document, "methods": rows}


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--keep", type=Path, default=Path("bench/comparison"), help="folder of runs")
    made.add_argument("--data", nargs="+", choices=list(TABLES), metavar="NAME", help="only these")
    made.add_argument("--budgets", nargs="+", type=int, metavar="N", help="only these")
    made.add_argument("--seeds", type=int, help="runs of every method (10; of 1000, 5)")
    options = made.parse_args()
    tables = QUICK_TABLES if options.quick else TABLES
    chosen = {name: tables[name] for name in options.data or tables if name in tables}
    budgets = QUICK_BUDGETS if options.quick else BUDGETS

    everything: dict[int, dict[str, dict[str, Any]]] = {}
    # 250 first: it is the comparison itself.
    for budget in sorted(options.budgets or budgets, key=lambda budget: (budget != 250, budget)):
        everything[budget] = {}
        for name, load in chosen.items():
            if name in TOO_LONG.get(budget, ()):
                continue
            try:
                data = load()
            except LookupError as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            seeds = options.seeds or SEEDS.get(budget, 2)
            everything[budget][name] = run(name, data, budget, budgets[budget], seeds, options)

    figures: dict[str, Any] = {}
    for budget, found in everything.items():
        figures[str(budget)] = {
            "tables": {name: without_curves(document) for name, document in found.items()},
            "over_tables": over_tables(found, budgets[budget], budget),
        }
    for budget, found in sorted(everything.items()):
        if set(CLAIMED) < set(budgets[budget]):
            figures[str(budget)]["claim"] = claim(found, budget)
    if any(set(CLAIMED) < set(budgets[budget]) for budget in everything):
        print(
            "* Wilcoxon's test over the seeds, p < 0.05, for which five seeds are too few; over "
            "tables, of the means, after Holm for the five rivals, not for the budgets.\n"
        )
    for budget, found in everything.items():
        for name, document in found.items():
            print(text_of_one(f"{name}, {budget} evaluations", document))
    save(options.json, {"budgets": figures})


if __name__ == "__main__":
    main()
