"""A table that can be written as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nffs.atomic import write_text

_LATEX = str.maketrans({"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "±": r"$\pm$"})


@dataclass(frozen=True)
class Table:
    """Rows of text under a header, with a name for files and a title for readers."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def to_markdown(self) -> str:
        """Write it as Markdown."""
        lines = [self.header, tuple("---" for _ in self.header), *self.rows]
        body = "\n".join(
            "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines
        )
        return f"**{self.title}**\n\n{body}\n"

    def to_csv(self) -> str:
        """Write it as CSV."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.header, *self.rows])
        return text.getvalue()

    def to_latex(self) -> str:
        """Write it as a LaTeX table with booktabs rules."""
        head, *body = (
            " & ".join(cell.translate(_LATEX) for cell in row) for row in (self.header, *self.rows)
        )
        return "\n".join(
            [
                r"\begin{table}",
                rf"\caption{{{self.title.translate(_LATEX)}}}",
                rf"\begin{{tabular}}{{{'l' * len(self.header)}}}",
                r"\toprule",
                rf"{head} \\",
                r"\midrule",
                *(rf"{row} \\" for row in body),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def write(self, folder: Path) -> None:
        """Write all three files."""
        texts = {"md": self.to_markdown(), "csv": self.to_csv(), "tex": self.to_latex()}
        for ending, text in texts.items():
            write_text(folder / f"{self.name}.{ending}", text)
