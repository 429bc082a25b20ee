"""`nffs reproduce`: the paper's experiment, next to the paper's own numbers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from nffs.cli import terminal
from nffs.cli.datasets import NAMES, check_dataset
from nffs.cli.options import DATA_HOME, THREADS, MessageOptions, option
from nffs.cli.printable import on_one_line

Part = StrEnum("Part", ["tables", "figures", "search"])
_DATASET = typer.Argument(
    ..., help="Which experiment: nsl-kdd or unsw-nb15.", autocompletion=lambda: NAMES
)
_PART = option("Run only this part; may be repeated.")
_OUT = option("Folder for the results.", Path("reproduction"))


def reproduce(
    *,
    dataset: str = _DATASET,
    messages: MessageOptions,
    part: list[Part] | None = _PART,
    out: Path = _OUT,
    data_home: Path | None = DATA_HOME,
    quick: bool = option("5 seeds and 2 searches instead of 30 and 30.", False, "--quick"),
    stand_in: bool = option(
        "Do not look for the training file of UNSW-NB15: split the test file instead.",
        False,
        "--stand-in",
    ),
    n_jobs: int = THREADS,
) -> None:
    """Reproduce the paper's tables and figures, and its search many times.

    Every subset that the paper reports gets the same search for forest parameters and the same
    seeds; parameters are chosen on the test file, as in the paper. The search is repeated many
    times in two ways: subsets are evaluated on the test file, as in the paper, or on held-out
    training rows. Run the same command again to continue a stopped run.

    UNSW-NB15 needs both of its files. If its training file is not available, the test file is
    split, and every output says so; the paper's numbers are then left out.

    For example:

      nffs reproduce nsl-kdd --part tables
    """
    check_dataset(dataset)
    from nffs.paper.reproduction import PARTS, Reproduction
    from nffs.validation.given import PAPER_SEEDS

    rows, about = _load(dataset, data_home, stand_in)
    folder = out / dataset / ("quick" if quick else "full")
    work = Reproduction(
        *rows,
        folder,
        seeds=PAPER_SEEDS[:5] if quick else PAPER_SEEDS,
        n_searches=2 if quick else 30,
        n_jobs=n_jobs,
        **about,
    )
    parts = [str(name) for name in part or PARTS]
    what = f"{dataset}: {', '.join(parts)}"
    hours = "" if quick else ", which may take hours (--quick: a small run)"
    messages.note(
        f"{what}, {work.steps(parts)} steps{hours}; finished ones are kept in {folder}: run the "
        "same command again to continue after a stop"
    )
    with messages.counting(what, work.steps(parts), {}, brief=True) as step:
        page = work.run(parts, step)
    for text in (*(table.to_markdown() for table in work.tables), *work.sentences):
        print(text)
    if quick:
        messages.note("a quick run: 5 seeds and 2 searches; leave --quick out for the real one")
    print(on_one_line(page))


def _load(
    dataset: str, data_home: Path | None, stand_in: bool
) -> tuple[tuple[Any, Any, Any, Any], dict[str, Any]]:
    """Give the rows of a data set and what the reproduction must know of it."""
    from nffs.datasets import fetch_nsl_kdd, fetch_unsw_nb15
    from nffs.errors import DownloadError, InputError
    from nffs.paper.reported import UNSW_NB15
    from nffs.paper.standin import STAND_IN, stand_in_split

    if dataset == "nsl-kdd":
        if stand_in:
            raise InputError("--stand-in: is for unsw-nb15; leave --stand-in out for nsl-kdd.")
        return fetch_nsl_kdd(data_home=data_home, return_X_y=True, names="paper"), {}
    about = {"subsets": UNSW_NB15, "title": "NFFS on UNSW-NB15", "paper_threshold": None}
    if not stand_in:
        try:
            return fetch_unsw_nb15(data_home=data_home, return_X_y=True, names="paper"), about
        except DownloadError as reason:
            terminal.note(f"{reason} Going on with a stand-in split of the test file.")
    test = fetch_unsw_nb15(data_home=data_home, subset="test", names="paper").test
    return stand_in_split(test), {**about, "stand_in": STAND_IN}
