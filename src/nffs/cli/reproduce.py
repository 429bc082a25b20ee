"""`nffs reproduce`: the paper's experiment, next to the paper's own numbers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nffs.cli import options, terminal


class DataSet(StrEnum):
    """What can be reproduced."""

    nsl_kdd = "nsl-kdd"


class Part(StrEnum):
    """What can be run alone."""

    tables = "tables"
    figures = "figures"
    search = "search"


def reproduce(
    dataset: Annotated[DataSet, typer.Argument(help="Which experiment.")],
    part: Annotated[
        list[Part] | None, typer.Option(help="Run this part alone; may be given again.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for what is made.")] = Path("reproduction"),
    data_home: options.DataHome = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="5 seeds and 2 searches instead of 30 and 30.")
    ] = False,
    n_jobs: options.Threads = -1,
) -> None:
    """Reproduce the paper's tables and figures, and its search many times.

    Every reported subset gets the same search for forest parameters and the same seeds; parameters
    are chosen on the test file, as in the paper. The search runs under the paper's protocol and
    under an honest one. What was computed before a stop is not computed again.

    For example:

      nffs reproduce nsl-kdd --part tables
    """
    from nffs.datasets import fetch_nsl_kdd
    from nffs.evaluation import PAPER_SEEDS
    from nffs.paper.reproduction import PARTS, Reproduction

    X, y, X_test, y_test = fetch_nsl_kdd(data_home=data_home, return_X_y=True, names="paper")
    work = Reproduction(
        X,
        y,
        X_test,
        y_test,
        out / ("quick" if quick else "full"),
        seeds=PAPER_SEEDS[:5] if quick else PAPER_SEEDS,
        n_searches=2 if quick else 30,
        n_jobs=n_jobs,
    )
    parts = [p.value for p in part] if part else list(PARTS)
    with terminal.counting_bar(f"{dataset.value}: {', '.join(parts)}", work.steps(parts)) as step:
        page = work.run(parts, step)
    for table in work.tables:
        print(table.to_markdown())
    for sentence in work.sentences:
        print(sentence)
    if quick:
        terminal.note("a quick run: 5 seeds and 2 searches; leave --quick out for the real one")
    print(page)
