"""Names that a shell completes."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r'^    name: ClassVar\[str\] = "([\w-]+)"$', re.M)


def method_names() -> list[str]:
    """Read the methods' names in their source: a shell cannot wait for their import."""
    folder = Path(__file__).parents[1] / "methods"
    texts = (path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    return sorted(name for text in texts for name in _NAME.findall(text))


def complete_method(incomplete: str) -> list[str]:
    """Complete a method's name."""
    return [name for name in method_names() if name.startswith(incomplete)]


def complete_methods(incomplete: str) -> list[str]:
    """Complete the last of some methods' names with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_method(last)]
