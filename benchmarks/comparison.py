"""All methods on the same tables, with the same evaluator and the same number of evaluations.

The plan is to run every method of `nffs.methods` with 250 evaluations, and the guided search, NFFS
and the rivals that these pages compare with them also with 50 and 1,000. Not all of these runs are
done yet; the list below says which are. The tables are the classification tables of the suite
(`_suite.py`) and eleven of earlier comparisons (`_tables.py`). Each seed holds out a different
quarter of the rows, the same for all methods, unless a table has its own test rows. The evaluator
is a panel of the same three kinds of model that rank the methods: forests of 10 trees, boosting and
logistic regression, scored by 3-fold cross-validation of at most 2,000 rows. Methods are ranked by
the mean score of scikit-learn's random forest, boosting and logistic regression on the unseen rows,
trained on the same rows as the search with the selected columns.

Every run is saved in `benchmarks/kept`, or in the folder that `--keep` names; run the same command
again to continue. Several processes may run the same command and share the work. `--kept` runs
nothing and summarizes the saved runs. Runs are counted only if today's code would repeat them: of
the method and of the evaluator (`_kept.py` says how that is told).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from _common import parser, save
from _kept import KeptRuns
from _page import (
    folded,
    in_short,
    looked_at,
    methods_table,
    ranks_text,
    rivals_table,
    tables_table,
    what_is_there,
)
from _pictures import by_evaluations, by_seconds, by_stability, critical_difference, heat_map
from _runs import (
    BUDGETS,
    EVALUATORS,
    Unit,
    coverage,
    kept_runs,
    make_runs,
    of_other_code,
    units,
)
from _study import AtBudget, gain, models_score, study_of, unseen_score
from _suite import ALL_TABLES
from _tables import QUICK_TABLES
from matplotlib import pyplot

from nffs.methods import METHODS
from nffs.paper.figures import save_svg

#: The runs that are committed, and those that are not.
KEPT, QUICK_KEPT = Path(__file__).parent / "kept", Path("bench/comparison")
QUICK_METHODS = ("guided", "ga", "random", "all")
QUICK_BUDGETS = (10, 20)


def plan(options: Any) -> list[Unit]:
    """List the runs that the command line asks for."""
    budgets = dict.fromkeys(QUICK_BUDGETS, QUICK_METHODS) if options.quick else BUDGETS
    tables = options.data or list(QUICK_TABLES if options.quick else ALL_TABLES)
    methods = {
        budget: options.methods or budgets.get(budget) or tuple(METHODS)
        for budget in options.budgets or budgets
    }
    return units(tables, methods, options.seeds or range(2 if options.quick else 5))


def page(study: Sequence[AtBudget], there: str, folder: Path) -> str:
    """Draw the pictures into a folder, and write what stands around them."""
    fullest = max(study, key=lambda at: (len(at.methods), at.budget))
    parts = [there, in_short(study)]

    def show(figure: Any, name: str, caption: str) -> None:
        save_svg(figure, folder, name)
        pyplot.close(figure)
        parts.append(f"![{caption}]({folder.name}/{name}.svg)")

    for at in study:
        parts += [f"### {at.budget} evaluations", ranks_text(at)]
        caption = (
            f"Critical-difference diagram of {len(at.methods)} methods, {at.budget} evaluations"
        )
        show(critical_difference(at), f"ranks-{at.budget}", caption)
        parts += [
            folded("All methods, all measures", methods_table(at)),
            folded("One against all", rivals_table(at)),
            folded("Scores by table", tables_table(at)),
        ]
    parts += [
        "### Methods by tables",
        f"Scores of the models with what each method selected in {fullest.budget} evaluations, "
        "minus their scores with all columns: blue is better than all columns, orange worse. An "
        "asterisk marks the tables on which a default was chosen.",
    ]
    show(heat_map(fullest, looked_at()), "tables", "Heat map of methods by tables")
    parts += [
        "### Score against evaluations",
        "Left, what the searches see: the best score so far minus the score of all columns, on the "
        "folds used for the search. Right, how much of that gain the deployed models keep on "
        "unseen rows.",
    ]
    show(by_evaluations(study), "evaluations", "Score against evaluations")
    parts += [
        "### Score against seconds",
        "Larger dots stand for larger budgets. The seconds depend on the machine and on what else "
        "ran on it.",
    ]
    show(by_seconds(study), "seconds", "Score against seconds")
    if max(fullest.n_seeds) > 1:
        parts += [
            "### Stability against score",
            f"How far other seeds, with other training rows, select the same columns, with "
            f"{fullest.budget} evaluations. Larger dots keep more columns.",
        ]
        show(by_stability(fullest), "stability", "Stability against score")
    return "\n\n".join(parts)


def figures(study: Sequence[AtBudget]) -> dict[str, Any]:
    """Give what was found as plain data."""
    return {
        str(at.budget): {
            "methods": at.methods,
            "tables": at.tables,
            "seeds": at.n_seeds,
            "mean_ranks": at.ranks.mean.tolist(),
            "friedman": at.ranks.pvalue,
            "critical_difference": at.ranks.critical_difference,
            "models": at.means(models_score).tolist(),
            "gain": at.means(gain).tolist(),
            "unseen": at.means(unseen_score).tolist(),
            "share": at.shares().tolist(),
            "margins": {r: vars(m) for r, m in at.margins(models_score).items()},
            "margins_unseen": {r: vars(m) for r, m in at.margins(unseen_score).items()},
        }
        for at in study
    }


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--keep", type=Path, metavar="FOLDER", help="folder of runs")
    made.add_argument("--kept", action="store_true", help="run nothing, summarize what was kept")
    made.add_argument(
        "--data", nargs="+", choices=list(ALL_TABLES), metavar="NAME", help="only these tables"
    )
    made.add_argument("--budgets", nargs="+", type=int, metavar="N", help="only these budgets")
    made.add_argument("--seeds", nargs="+", type=int, metavar="N", help="these seeds (0 to 4)")
    made.add_argument(
        "--methods", nargs="+", choices=list(METHODS), metavar="NAME",
        help="only these methods, at every budget",
    )  # fmt: skip
    made.add_argument("--evaluator", choices=list(EVALUATORS), default="panel")
    made.add_argument("--pictures", type=Path, metavar="FOLDER", help="folder of pictures (bench)")
    options = made.parse_args()
    matplotlib.use("Agg")
    asked = plan(options)
    folder = options.keep or (QUICK_KEPT if options.quick else KEPT)
    kept = KeptRuns(folder / options.evaluator, EVALUATORS[options.evaluator])
    if not options.kept:
        make_all(asked, kept, options)
    found, failed = kept_runs(asked, kept)
    names = list(dict.fromkeys(unit.table for unit in asked))
    study = study_of(found, {name: kept.n_columns(name) for name in names})
    if not study:
        sys.exit("There are no runs of two methods on one table yet.")
    ran = {name for by_table in found.values() for name in by_table}
    away = [name for name in names if name not in ran]
    there = what_is_there(coverage(asked, kept), of_other_code(asked, kept), study, failed, away)
    folder = options.pictures or QUICK_KEPT / options.evaluator
    folder.mkdir(parents=True, exist_ok=True)
    print(page(study, there, folder))
    save(options.json, {"evaluator": options.evaluator, "budgets": figures(study)})


def make_all(asked: Sequence[Unit], kept: KeptRuns, options: Any) -> None:
    """Make the runs that are missing; a table that cannot be had is left out."""
    tables = {**ALL_TABLES, **(QUICK_TABLES if options.quick else {})}
    away: set[str] = set()
    for unit in asked:
        if unit.table in away or not unit.missing(kept):
            continue
        try:
            make_runs(unit, kept, tables[unit.table], options.threads)
        except LookupError as error:
            away.add(unit.table)
            print(f"{unit.table}: left out: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
