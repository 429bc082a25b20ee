"""A generated Parquet table of five million rows, searched within 8 GiB with `max_rows`.

`nffs select FILE --max-rows N` runs in its own process; its peak memory is what the operating
system reports. Encoding, mutual information and covariance use all rows; subsets are evaluated on
the sample.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq
from _common import parser, progress, save, table

from nffs import NFFS, ParquetTable, make_connections

#: Rows that are made at a time.
PART = 100_000


def write(path: Path, n_rows: int) -> None:
    """Write a table without ever holding it."""
    writer = None
    parts = -(-n_rows // PART)
    for part in progress(range(parts), parts, "writing"):
        frame = make_connections(min(PART, n_rows - part * PART), random_state=part).frame()
        rows = frame.to_arrow()
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    assert writer is not None
    writer.close()


def reading_pace(path: Path, max_rows: int) -> float:
    """Do all that a search does before it evaluates, on one core; give rows a second."""
    started = time.perf_counter()
    source = ParquetTable(path, target="label")
    NFFS(max_rows=max_rows, random_state=0).evaluation(source, source.labels()).ranked()
    return source.n_rows / (time.perf_counter() - started)


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--rows", type=int, help="of the table (5 million)")
    options = arguments.parse_args()
    n_rows = options.rows or (200_000 if options.quick else 5_000_000)
    max_rows = n_rows // 25
    rows = []
    pace = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "large.parquet", Path(folder) / "selection.json"
        write(path, n_rows)
        size = path.stat().st_size
        pace = reading_pace(path, max_rows)
        command = [sys.executable, "-m", "nffs", "select", str(path), "--target", "label"]
        command += ["--max-rows", str(max_rows), "--n-jobs", str(options.threads)]
        command += ["--subsets", "60", "--nested", "30", "--out", str(out)]
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        assert status == 0, f"nffs select ended with status {status}"
        document = json.loads(out.read_text(encoding="utf-8"))
        rows.append(
            [
                f"{n_rows:,}",
                f"{size / 2**20:.0f} MiB",
                f"{max_rows:,}",
                document["evaluations"],
                f"{seconds:.0f} s",
                f"{document['seconds']:.0f} s",
                f"{used.ru_maxrss / 2**20:.2f} GiB",
            ]
        )
    header = ["rows", "file", "sample", "evaluations", "whole command", "fit", "peak memory"]
    print(table(header, rows))
    print(f"\nevaluated on: {document['evaluated_on']}")
    print(f"before it evaluates, four passes in all: {pace:,.0f} rows a second, on one core")
    figures = {"rows": rows, "bytes": used.ru_maxrss * 1024, "rows_per_second": pace}
    save(options.json, figures)


if __name__ == "__main__":
    main()
