"""The attack on every promise: how many cases were tried, and in how many the promise held.

Processes are killed while they share a journal; journals and tables are damaged and read; commands
are interrupted between import and exit; selections are tampered with; tables and forests are drawn
at random. A case holds if nothing is lost, nothing is wrong and there is no traceback.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache, partial
from pathlib import Path

from _common import parser, save, table
from _faults import files, inputs, interrupts, kills, selections, tables
from _faults.record import Outcome, Record

#: How many cases of every kind: by default, in a quick run, and in a full one.
SIZES = {
    "journals": (8, 2, 8),
    "kills": (60, 4, 500),
    "files": (500, 30, 5000),
    "selections": (200, 20, 1000),
    "inputs": (200, 20, 3000),
    "tables": (300, 10, 5000),
    "forests": (300, 30, 3000),
    "interrupts": (24, 6, 300),
}


def attacks(sizes: dict[str, int], folder: Path, record: Record) -> dict[str, Outcome]:
    """Try everything that is not known yet."""

    def range_of(name: str) -> list[int]:
        return list(range(sizes[name]))

    found = {}
    if sizes["kills"]:
        found["kills of one of three processes"] = record.attack(
            "kills",
            kills.cases(sizes["journals"], sizes["kills"]),
            partial(kills.attack, folder / "kills"),
        )
    for name, what, make in (
        ("files", "damaged journals", files.Journals),
        ("selections", "tampered selections", selections.Selections),
        ("inputs", "damaged tables", inputs.Inputs),
        ("interrupts", "interrupts of commands", interrupts.Commands),
    ):
        if sizes[name]:
            ready = cache(partial(make, folder / name))  # made for the first case that is not known
            found[what] = record.attack(
                name, range_of(name), lambda case, rng, ready=ready: ready().attempt(case, rng)
            )
    for name, what, attempt in (
        ("tables", "random tables", partial(tables.attempt_table, folder / "tables")),
        ("forests", "random forests", tables.attempt_forest),
    ):
        if sizes[name]:
            found[what] = record.attack(name, range_of(name), attempt)
    return found


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--full", action="store_true", help="many more cases: takes hours")
    arguments.add_argument(
        "--results", type=Path, metavar="FILE", help="keep outcomes in FILE; go on from there"
    )
    arguments.add_argument(
        "--seed", default="", metavar="TEXT", help="draw other cases than without it"
    )
    for name, (default, quick, full) in SIZES.items():
        arguments.add_argument(
            f"--{name}", type=int, help=f"how many (default: {default}, {quick}, {full})"
        )
    options = arguments.parse_args()
    column = 1 if options.quick else 2 if options.full else 0
    sizes = {
        name: given if (given := getattr(options, name)) is not None else known[column]
        for name, known in SIZES.items()
    }
    with tempfile.TemporaryDirectory(prefix="nffs-faults-") as folder:
        found = attacks(sizes, Path(folder), Record(options.results, options.seed))
    rows = []
    for what, outcome in found.items():
        cases = {fault.split(":")[0] for fault in outcome.faults}
        seen = ", ".join(f"{count:,} {name}" for name, count in outcome.counts.items())
        rows.append(
            [what, f"{outcome.tried:,}", f"{outcome.tried - len(cases):,}", len(cases), seen]
        )
    print(table(["", "tried", "held", "did not", "of them"], rows))
    fewer = [f"{known[2]:,} {n}" for n, known in SIZES.items() if sizes[n] < known[2]]
    if fewer:
        print(f"\nThis is not the full size, which has {', '.join(fewer)}.")
    faults = [fault for outcome in found.values() for fault in outcome.faults]
    for fault in faults[:40]:
        print(f"  {fault.splitlines()[0][:120]}")
    save(options.json, {"sizes": sizes, "rows": rows, "faults": faults})
    if faults:
        sys.exit(f"{len(faults)} promises were not kept")


if __name__ == "__main__":
    main()
