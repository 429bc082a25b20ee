"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

# Panels of the help.
SEARCH, FILES, OUTPUT = "The search", "Reading the table", "Output"

Train = Annotated[Path, typer.Argument(help="Training table: CSV or Parquet, CSV also .gz.")]
Target = Annotated[str, typer.Option(help="Column that holds the label.")]
Positive = Annotated[
    str | None, typer.Option(help="Of two labels the positive one; else the last by name.")
]
Drop = Annotated[list[str] | None, typer.Option(help="Column to leave out; may be given again.")]
Scoring = Annotated[
    str | None, typer.Option(help="Any scikit-learn scorer; the F-score by default.")
]
Group = Annotated[
    str | None,
    typer.Option(help="Column whose groups are never split between training and judging rows."),
]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same result.", rich_help_panel=SEARCH)]
Threads = Annotated[int, typer.Option(help="Threads; -1 for all cores.", rich_help_panel=SEARCH)]
MaxRows = Annotated[
    int | None,
    typer.Option(
        min=10,
        help="Judge by a stratified sample of so many rows; a Parquet file is then read in "
        "parts and may be larger than memory.",
        rich_help_panel=SEARCH,
    ),
]
Header = Annotated[
    bool,
    typer.Option(
        help="Whether a CSV file names its columns; else they are f1, f2, ...",
        rich_help_panel=FILES,
    ),
]
Separator = Annotated[
    str, typer.Option(help="Between the fields of a CSV line.", rich_help_panel=FILES)
]
DataHome = Annotated[
    Path | None,
    typer.Option("--data-home", help="Folder with the data, before NFFS_DATA and the cache."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Results, warnings and errors only: no progress bar, no notes.",
        rich_help_panel=OUTPUT,
    ),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Log what the library does, every evaluation too, to stderr.",
        rich_help_panel=OUTPUT,
    ),
]


def folds(n: int, groups: Any, seed: int) -> Any:
    """Give what ``cv`` takes: folds that keep groups together where there are groups."""
    if groups is None:
        return n
    from sklearn.model_selection import StratifiedGroupKFold

    return StratifiedGroupKFold(n, shuffle=True, random_state=seed)
