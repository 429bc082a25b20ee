"""All methods on the same tables, with the same evaluator and the same number of evaluations.

Every method of `nffs.methods` has 250 evaluations, and those that a claim is about have 50 and 1000
as well, on every table of the suite and the eleven of earlier comparisons. Every seed holds out
another quarter of the rows, the same for all methods, unless a table has test rows of its own. The
evaluator is the default one with fewer trees: a panel of forests of 10 trees and logistic
regression, by 3 folds of at most 2000 rows. Methods are ranked by what a random forest, boosting
and logistic regression, none of which had a part in the search, score in the mean on the unseen
rows with the selected columns.

Every run is kept in `--keep`, and the same command goes on where it was stopped. Several processes
may run the same command and share the work. `--kept` runs nothing and writes about what is there.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _common import parser
from _runs import BUDGETS, EVALUATORS, Unit, kept_runs, make_runs, units
from _suite import ALL_TABLES
from _tables import QUICK_TABLES

from nffs.methods import METHODS

QUICK_METHODS = ("guided", "ga", "random", "all")
QUICK_BUDGETS = (10, 20)


def plan(options: object) -> list[Unit]:
    """List the runs that the command line asks for."""
    given = vars(options)
    quick = given["quick"]
    tables = given["data"] or list(QUICK_TABLES if quick else ALL_TABLES)
    budgets = given["budgets"] or (QUICK_BUDGETS if quick else tuple(BUDGETS))
    fallback = QUICK_METHODS if quick else BUDGETS[250]
    methods = {
        budget: given["methods"] or (fallback if quick else BUDGETS.get(budget, fallback))
        for budget in budgets
    }
    seeds = given["seeds"] or (range(2) if quick else range(5))
    return units(tables, methods, list(seeds))


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--keep", type=Path, default=Path("bench/comparison"), help="folder of runs")
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
    options = made.parse_args()
    asked = plan(options)
    runs = options.keep / ("quick" if options.quick else "full") / options.evaluator
    tables = {**ALL_TABLES, **(QUICK_TABLES if options.quick else {})}
    away: dict[str, str] = {}
    for unit in [] if options.kept else asked:
        if unit.table in away or not unit.missing(runs):
            continue
        try:
            make_runs(
                unit, runs, tables[unit.table], EVALUATORS[options.evaluator], options.threads
            )
        except LookupError as error:
            away[unit.table] = str(error)
            print(f"{unit.table}: left out: {error}", file=sys.stderr)
    found, failed = kept_runs(asked, runs)
    for budget, by_table in found.items():
        n_runs = sum(len(mine) for by_method in by_table.values() for mine in by_method.values())
        print(f"{budget} evaluations: {n_runs} runs on {len(by_table)} tables")
    print("\n".join(failed))


if __name__ == "__main__":
    main()
