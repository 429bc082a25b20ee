"""The report: size of the file and time to write it, for 50, 500 and 20,000 encoded columns.

The selections are generated, because a search on tables this wide would take too long. The last row
has names of 10,000 characters, all of which need escaping. A report must stay within 2 MB and 5 s.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from _common import parser, save, table

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from documents import made_up

from nffs.report import render_report

HOSTILE = [(f"{i}" + "&" * 10_000, "<" * 10_000) for i in range(1000)]


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    rows = []
    render_report(made_up(50))  # reads the templates, imports what is needed
    for n_columns, names in ((50, None), (500, None), (20_000, None), (20_000, HOSTILE)):
        selection = made_up(n_columns, names=names)
        seconds = []
        for _ in range(1 if options.quick else 5):
            began = time.perf_counter()
            page = render_report(selection)
            seconds.append(time.perf_counter() - began)
        name = f"{n_columns:,}" + (", worst names" if names else "")
        rows.append((name, len(page.encode()) / 1e6, min(seconds)))
    print(table(["encoded columns", "MB", "seconds"], rows))
    save(
        options.json, {"reports": [dict(zip(("columns", "mb", "s"), r, strict=True)) for r in rows]}
    )


if __name__ == "__main__":
    main()
