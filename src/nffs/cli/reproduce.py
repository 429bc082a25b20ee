"""`nffs reproduce`: the paper's tables, next to the paper's own numbers."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nffs.cli import terminal


class DataSet(StrEnum):
    """What can be reproduced."""

    nsl_kdd = "nsl-kdd"


def reproduce(
    dataset: Annotated[DataSet, typer.Argument(help="Which experiment.")],
    out: Annotated[Path, typer.Option(help="Folder for the tables.")] = Path("reproduction"),
    data_home: Annotated[
        Path | None, typer.Option(help="Folder with the data, before NFFS_DATA and the cache.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="5 runs instead of 30.")] = False,
    n_jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = -1,
) -> None:
    """Reproduce the paper's tables: types of features, class counts, subsets and their scores.

    Every reported subset gets the same search for forest parameters and the same seeds. The
    parameters are chosen on the test file, as in the paper. A run that was stopped goes on where it
    was. Tables are written as Markdown, CSV and LaTeX, everything in one JSON file.

    For example:

      nffs reproduce nsl-kdd --out reproduction
    """
    from nffs.datasets import fetch_nsl_kdd
    from nffs.evaluation import F_SCORE, PAPER_SEEDS, SEARCH_SEEDS, TestBench
    from nffs.paper import description, scores
    from nffs.paper.reported import NSL_KDD

    X, y, X_test, y_test = fetch_nsl_kdd(data_home=data_home, return_X_y=True, names="paper")
    seeds = PAPER_SEEDS[:5] if quick else PAPER_SEEDS
    bench = TestBench(X, y, X_test, y_test)
    with terminal.counting_bar("runs", len(NSL_KDD) * (len(seeds) + len(SEARCH_SEEDS))) as step:
        results = scores.resumable_scores(
            bench, NSL_KDD, out / "scores", seeds=seeds, n_jobs=n_jobs, on_run=step
        )
    tables = [
        description.types_table(X, X_test),
        description.classes_table(y, y_test),
        description.subsets_table(NSL_KDD, bench.encoding),
        scores.scores_table(NSL_KDD, results),
        scores.ordering_table(results),
    ]
    for table in tables:
        table.write(out)
        print(table.to_markdown())
    for which in ("matching", "best"):
        near = [scores.agreement(s, r, which) for s, r in zip(NSL_KDD, results, strict=True)]
        print(
            f"{which} parameters: {sum(row[F_SCORE] for row in near)} of {len(near)} rows "
            f"agree in F-score, {sum(all(row) for row in near)} in all five indicators "
            "(two standard deviations of the paper's, or 0.01)"
        )
    document = {"quick": quick, "judged_on": "the test file", "rows": results}
    (out / "nsl-kdd.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    terminal.note(f"wrote the tables to {out}")
