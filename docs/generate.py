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
from nffs.paper import figures
from nffs.paper.tables import Table

DOCS = Path(__file__).parent
CAPTIONS = {
    "figure-1": "Figure 1: one-hot and ordinal encoding",
    "figure-4": "Figure 4: mutual information and the threshold",
    "figure-5": "Figure 5: fitness of the drawn subsets with and without PCA",
    "figure-6": "Figure 6: drawn against nested subsets",
    "figure-7": "Figure 7: F-score and AUC of the reported subsets",
}
COMMANDS = (
    "select",
    "transform",
    "validate",
    "stability",
    "compare",
    "evaluate",
    "reproduce",
    "runs",
    "datasets",
    "demo",
)


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
    """Write docs/paper.md and its figures from the committed JSON of full reproductions."""
    folder = DOCS / "paper"
    parts = [(folder / "introduction.md").read_text(encoding="utf-8")]
    for path in sorted(folder.glob("*.json")):
        name, document = path.stem, json.loads(path.read_text(encoding="utf-8"))
        parts += [f"## {document['title']}", *document["sentences"]]
        mark = "Stand-in split" if document["stand_in"] else ""
        # a run of the tables alone has no figures
        drawn = (
            figures.draw_all(document["figures"], document["scores"], mark)
            if "figures" in document
            else {}
        )
        for number, figure in drawn.items():
            if number == "figure-1" and mark:
                continue  # it shows the encodings, whatever the data
            figures.save_svg(figure, folder, f"{name}-{number}")
            parts.append(f"![{CAPTIONS[number]}](paper/{name}-{number}.svg)")
        parts += [
            Table(**{**table, "rows": [tuple(row) for row in table["rows"]]}).to_markdown()
            for table in document["tables"]
        ]
    (DOCS / "paper.md").write_text("\n\n".join(p.strip() for p in parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    picture()
    command_reference()
    paper_page()
