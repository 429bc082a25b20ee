"""Make the generated parts of the documentation: the picture in README and the command reference.

Run by `make docs`; what it writes is committed, so that README has its picture on any host.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

from rich.console import Console

from nffs import NFFS, make_connections
from nffs.cli.terminal import print_selection
from nffs.paper.tables import Table

DOCS = Path(__file__).parent
COMMANDS = ("select", "transform", "evaluate", "reproduce", "datasets", "demo")


def picture() -> None:
    """Draw what `nffs demo` prints."""
    table = make_connections()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = NFFS(pos_label="attack", n_jobs=-1, random_state=0)
        selector.fit(table.data, table.target)
    console = Console(record=True, width=80, file=io.StringIO())
    print_selection(selector.selection_, console)
    drawn = console.export_svg(title="nffs demo", unique_id="demo")
    # The page must not ask anyone for a font.
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    (DOCS / "demo.svg").write_text(drawn, encoding="utf-8")


def command_reference() -> None:
    """Write down what the commands' --help says."""
    parts = ["# Commands\n", "Made by `make docs` from `nffs COMMAND --help`.\n"]
    for command in COMMANDS:
        shown = subprocess.run(
            [sys.executable, "-m", "nffs", command, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "COLUMNS": "96", "NO_COLOR": "1"},
        ).stdout
        lines = "\n".join(line.rstrip() for line in shown.strip("\n").splitlines())
        parts.append(f"## nffs {command}\n\n```text\n{lines}\n```\n")
    (DOCS / "commands.md").write_text("\n".join(parts), encoding="utf-8")


def paper_page() -> None:
    """Write docs/paper.md from the committed JSON of a full reproduction."""
    document = json.loads((DOCS / "paper" / "nsl-kdd.json").read_text(encoding="utf-8"))
    tables = [Table(**{**t, "rows": [tuple(row) for row in t["rows"]]}) for t in document["tables"]]
    parts = [
        (DOCS / "paper" / "introduction.md").read_text(encoding="utf-8"),
        *document["sentences"],
        *(table.to_markdown() for table in tables),
    ]
    (DOCS / "paper.md").write_text("\n\n".join(p.strip() for p in parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    picture()
    command_reference()
    paper_page()
