"""Code that uses a selection, to copy."""

from __future__ import annotations

from collections.abc import Sequence

#: Characters of a list of names that somebody would still paste into a program.
_MOST = 4000


def code_to_use(names: Sequence[str]) -> list[dict[str, str]]:
    """Give snippets that use a selection of these features, each with a title and language."""
    snippets = [
        {
            "title": "In Python, on any pandas, polars or pyarrow frame",
            "language": "python",
            "text": "from nffs import Selection\n\n"
            'selection = Selection.load("selection.json")\n'
            "X_small = selection.transform(X)",
        },
        {
            "title": "In a terminal, on files",
            "language": "shell",
            "text": "nffs transform new.csv --selection selection.json --out reduced.parquet",
        },
    ]
    if sum(len(name) for name in names) > _MOST:
        return snippets
    # repr() writes quotes, line ends and marks that turn the text's direction as escapes.
    listed = "selected = [\n" + "".join(f"    {name!r},\n" for name in names) + "]"
    title = "The selected features as a list"
    return [*snippets, {"title": title, "language": "python", "text": listed}]
