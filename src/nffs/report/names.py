"""Names and values from the user's data, made fit for a page: bounded, visible, valid text.

Escaping is the template's work. What is done here is what escaping cannot do: a name of ten
thousand characters must not fill the screen, nor ten thousand such names the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import escape

#: Characters of a name that are shown, and those that open on demand.
SHOWN, WHOLE = 60, 10_000

#: Control characters would vanish; Unicode has pictures of them, but for those beyond ASCII and
#: those that turn the direction of text, and could make a name look like another.
_PICTURES = {
    **{i: 0x2400 + i for i in range(32)},
    0x7F: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}


def visible(text: Any) -> str:
    r"""Give a value as text in which every character can be seen and encoded.

    >>> visible("a\tb")
    'a␉b'
    """
    return str(text).encode("utf-8", "replace").decode("utf-8").translate(_PICTURES)


def clipped(text: Any, most: int = SHOWN) -> str:
    """Give at most so many characters of a value, the last one an ellipsis if there were more.

    >>> clipped("abcdef", 4)
    'abc…'
    """
    text = str(text)
    return visible(text if len(text) <= most else text[: most - 1] + "…")


def clipped_pairs(pairs: Mapping[str, Any], most: int) -> dict[str, str]:
    """Clip the names of a mapping, and its values to at most so many characters."""
    return {clipped(name): clipped(value, most) for name, value in pairs.items()}


def counted(n: int, what: str) -> str:
    """Say how many there are of something.

    >>> counted(1, "feature"), counted(1234, "feature")
    ('1 feature', '1,234 features')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


class Names:
    """Shortens names; all the long ones that it keeps whole take at most `room` bytes of a page."""

    def __init__(self, room: int = 300_000) -> None:
        self._room = room

    def __call__(self, name: Any) -> dict[str, Any]:
        """Give what is shown, what opens (None if that is all or there is no room), the length."""
        text, whole = str(name), None
        if len(text) > SHOWN:
            offered = clipped(text, WHOLE)
            size = len(str(escape(offered)).encode())
            if size <= self._room:
                self._room -= size
                whole = offered
        return {"text": clipped(text), "whole": whole, "length": len(text)}
