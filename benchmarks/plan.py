"""What a large search would take, calculated from the measured constants.

Nothing here was run. The time for evaluation is what `benchmarks/scaling.py` measured for one
subset on one core, extrapolated with its exponent; the time for reading is what
`benchmarks/large.py` measured for the four passes over all rows, on one core; the throughput of
workers is what `benchmarks/cluster.py` measured.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from _common import parser, save, table

#: Rows of the table, of the sample that evaluates, machines, and cores of each.
CASES = (
    (126_000, 126_000, 1, 2),
    (5_000_000, 200_000, 1, 16),
    (100_000_000, 500_000, 10, 16),
    (1_000_000_000, 1_000_000, 100, 16),
)
PHASES = (180, 70, 1)
FOLDS = 3
COLUMNS = 60


def constants(folder: Path) -> dict[str, float]:
    """Read what was measured."""
    found: dict[str, Any] = {}
    for name in ("scaling", "cluster", "large"):
        path = folder / f"{name}.json"
        if not path.exists():
            sys.exit(f"run `python benchmarks/{name}.py --json {path}` first")
        found[name] = json.loads(path.read_text(encoding="utf-8"))
    wide = [s for s in found["scaling"]["sizes"] if s["columns"] == COLUMNS]
    largest = max(wide, key=lambda s: s["rows"])
    return {
        # Earlier runs shared a subset among threads, and say what that gained.
        "seconds": largest["seconds"] * largest.get("speedup_two_threads", 1.0),
        "at_rows": largest["rows"],
        "exponent": found["scaling"]["exponent"],
        "bytes_per_row": largest["peak_mib"] * 2**20 / largest["rows"],
        "pace": found["cluster"]["ratio"],
        "read": found["large"]["rows_per_second"],
    }


def shown(seconds: float) -> str:
    """Say a time in the unit that suits it."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--measured", type=Path, default=Path("bench/full"), help="folder")
    options = arguments.parse_args()
    c = constants(options.measured)
    rows = []
    for n_rows, sample, machines, cores in CASES:
        split = sample * (FOLDS - 1) / FOLDS
        one = FOLDS * c["seconds"] * (split / c["at_rows"]) ** c["exponent"]
        workers = machines * cores * (c["pace"] if machines > 1 else 1.0)
        passes = n_rows / c["read"] if sample < n_rows else 0.0
        waves = sum(n / min(workers, n) for n in PHASES)
        rows.append(
            [
                f"{n_rows:,}",
                f"{sample:,}",
                f"{machines} x {cores} cores",
                shown(one),
                shown(one * waves),
                shown(passes),
                f"{c['bytes_per_row'] * sample / 2**30:.2f} GiB",
            ]
        )
    header = ["rows", "sample", "machines", "a subset", "evaluating", "reading", "memory a core"]
    print(f"{sum(PHASES)} subsets of {COLUMNS} columns, {FOLDS} folds; worked out, not run\n")
    print(table(header, rows))
    print(
        "\nReading is the client's, four passes on one core: it, not the cluster, bounds the\n"
        "largest case. A sample of the file taken beforehand removes it. More workers than\n"
        "subsets of a phase wait: 180 drawn, then 70 nested, then all columns. Memory is that\n"
        "of one subset at a time."
    )
    save(options.json, {"rows": rows, "constants": c})


if __name__ == "__main__":
    main()
