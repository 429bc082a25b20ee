"""Time and memory of whole searches on wide tables, from 500 to 50,000 columns.

Every search is `nffs select` in its own process, with its defaults on two threads, including
reading, the final check, the models on held-out rows and the report. "Told" is the memory that the
command announces, before the search or before it scores models, whichever is more; "measured" is
the peak of the process. Two tables are real gene expression data (golub, khan); the others are
synthetic: the label is the noisy sum of ten columns, and the rest are noise. Processor seconds are
given because machines are shared. Every search is saved in the folder that `--keep` names; run the
same command again to continue.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from _commands import kept, select
from _common import data_folder, parser, progress, save, table

SHAPES = ((200, 500), (200, 2000), (100, 10_000), (100, 50_000), (500, 5000), (300, 20_000),
          (2000, 5000))  # fmt: skip
SEARCHES: dict[str, list[str]] = {
    "nffs": [],
    "guided": ["--method", "guided"],
    "mrmr": ["--method", "mrmr"],
    "nffs, --max-features 50": ["--max-features", "50"],
    "nffs, --time-limit 60": ["--time-limit", "60"],
}
#: Beside the default search of every table.
MORE = (
    ("golub", "guided"), ("golub", "mrmr"), ("golub", "nffs, --max-features 50"),
    ("500x5000", "guided"), ("500x5000", "nffs, --time-limit 60"),
    ("300x20000", "nffs, --time-limit 60"), ("100x50000", "guided"),
)  # fmt: skip
QUICK = (("200x500", "nffs"), ("200x2000", "guided"))


def drawn(n: int, d: int) -> pl.DataFrame:
    """Draw a table of which ten columns add up to the label."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32)
    y = X[:, :10].sum(axis=1) + rng.normal(size=n) > 0
    return pl.DataFrame(X, schema=[f"g{i}" for i in range(d)]).with_columns(
        pl.Series("target", y.astype(np.int64))
    )


def measure(name: str, search: str, threads: int) -> dict[str, Any]:
    """Run one search."""
    options = [*SEARCHES[search], "--n-jobs", str(threads)]
    if "x" not in name:
        return select(data_folder() / "suite" / f"{name}.parquet", options)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.parquet")
        drawn(*map(int, name.split("x"))).write_parquet(file)
        return select(file, options)


def main() -> None:
    made = parser(__doc__ or "")
    made.add_argument(
        "--keep", type=Path, default=Path("bench/wide"), help="where searches are kept"
    )
    made.add_argument("--data", nargs="*", help="tables such as 500x5000; all by default")
    made.add_argument("--searches", nargs="*", help="such as nffs and guided; all by default")
    made.add_argument("--kept", action="store_true", help="show what was kept, run nothing")
    options = made.parse_args()
    names = ["khan", "golub", *(f"{n}x{d}" for n, d in SHAPES)]
    cases = QUICK if options.quick else (*((name, "nffs") for name in names), *MORE)
    for place, wanted in enumerate((options.data, options.searches)):
        cases = [case for case in cases if wanted is None or case[place] in wanted]
    results = []
    for name, search in progress(cases, len(cases), "searches"):
        key = f"{name} {search}".replace(" ", "_").replace(",", "")
        if options.kept and not (options.keep / f"{key}.json").exists():
            continue
        found = kept(options.keep, key, lambda n=name, s=search: measure(n, s, options.threads))
        results.append({"table": name, "search": search, **found})
    header = [
        "table", "search", "s", "processor s", "told MiB", "measured MiB", "selected", "fitness",
        "all columns", "JSON MB", "report MB",
    ]  # fmt: skip
    print(table(header, [row(result) for result in results]))
    save(options.json, {"searches": results})


def row(found: dict[str, Any]) -> list[Any]:
    """Give a line of the table; a search that failed says why."""
    start = [found["table"], found["search"], f"{found['seconds']:.0f}"]
    start += [f"{found['cpu_seconds']:.0f}", found["told_mib"] or "-", f"{found['peak_mib']:.0f}"]
    if found["said"]:
        return [*start, found["said"][:60], *[""] * 4]
    scores = [f"{found[name]:.3f}" for name in ("fitness", "all_features")]
    sizes = [f"{found[name]:.1f}" for name in ("json_mb", "report_mb")]
    return [*start, found["selected"], *scores, *sizes]


if __name__ == "__main__":
    main()
