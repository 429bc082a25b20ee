"""Every table of the suite as it is, one command each: whether it works, how long, how much memory.

The tables have missing values, categories, many classes, thousands of columns and continuous
targets. Each is passed to `nffs select NAME.parquet --target target` in its own process, without
other options. "Told" is the memory that the command announces, before the search or before it
scores models, whichever is more; "measured" is the peak of the process. If a table ends in an
error, the last column shows the message. Every table is saved in the folder that `--keep` names;
run the same command again to continue. Where "s", by the clock, is far more than "processor s",
other programs ran on the machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from _commands import kept, select
from _common import data_folder, parser, progress, save, table

QUICK = ("sorlie", "led24")


def measure(file: Path) -> dict[str, Any]:
    """Run one table."""
    frame = pl.scan_parquet(file)
    n_rows = frame.select(pl.len()).collect().item()
    return {"rows": n_rows, "columns": len(frame.collect_schema()) - 1, **select(file)}


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument("--keep", type=Path, default=Path("bench/suite"), help="where runs are kept")
    options = made.parse_args()
    files = sorted((data_folder() / "suite").glob("*.parquet"))
    if options.quick:
        files = [file for file in files if file.stem in QUICK]
    results = {
        file.stem: kept(options.keep, file.stem, lambda file=file: measure(file))
        for file in progress(files, len(files), "tables")
    }
    header = [
        "table", "rows", "columns", "s", "processor s", "told MiB", "measured MiB", "selected of",
        "fitness", "all features", "said",
    ]  # fmt: skip
    print(table(header, [row(name, found) for name, found in results.items()]))
    done = sum(not found["said"] for found in results.values())
    print(f"\n{done} of {len(results)} tables work")
    save(options.json, {"tables": results})


def row(name: str, found: dict[str, Any]) -> list[Any]:
    """Give a line of the table."""
    start = [name, found["rows"], found["columns"], f"{found['seconds']:.0f}"]
    start += [f"{found['cpu_seconds']:.0f}", found["told_mib"] or "-", f"{found['peak_mib']:.0f}"]
    if found["said"]:
        return [*start, "", "", "", found["said"][:70]]
    scores = [f"{found[key]:.3f}" for key in ("fitness", "all_features")]
    return [*start, f"{found['selected']} of {found['features']}", *scores, ""]


if __name__ == "__main__":
    main()
