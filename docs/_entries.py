"""Parameters and attributes of docstrings as lists whose names and types stand as they are written.

Sphinx's field lists take the last underscore of `fitness_` for a mark-up, and every word of a type,
such as `n_features` of `(n_features,) float`, for a name to link to. A definition list does
neither.
"""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any

_SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n((?:(?!\S.*\n-{3,}$).*\n?)*)", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*)\n((?:(?:    .*)?(?:\n|\Z))*)", re.MULTILINE)


def list_entries(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the sections of a docstring, before napoleon reads it."""
    lines[:] = _SECTION.sub(_section, "\n".join(lines)).split("\n")


def _section(found: re.Match[str]) -> str:
    entries = indent(_ENTRY.sub(_entry, found[2]).rstrip(), "   ")
    return f".. rubric:: {found[1]}\n\n.. container:: entries\n\n{entries}\n\n"


def _entry(found: re.Match[str]) -> str:
    names, colon, kind = found[1].partition(" : ")
    written = ", ".join(f"``{name.strip()}``" for name in names.split(","))
    return f"{written}{colon}{kind}\n{found[2].rstrip()}\n\n"


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx call us when it reads a docstring."""
    app.connect("autodoc-process-docstring", list_entries, priority=100)
    return {"parallel_read_safe": True}
