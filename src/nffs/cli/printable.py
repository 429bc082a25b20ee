"""Text from data, made safe to print: nothing in it can steer a terminal."""

from __future__ import annotations

#: Control characters (C0, DEL and C1), and those that part lines or turn the direction of text.
_STEERING = (*range(32), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))

#: What Python makes of bytes in names of files that are no text: no terminal can show it.
_NO_TEXT = range(0xD800, 0xE000)

_ESCAPES = {i: f"\\x{i:02x}" if i < 256 else f"\\u{i:04x}" for i in (*_STEERING, *_NO_TEXT)}
_KEEPING_LINES = {i: escape for i, escape in _ESCAPES.items() if i != 10}


def printable(text: str) -> str:
    r"""Escape what could steer a terminal, and leave lines as they are.

    >>> print(printable("a\x1b[2J\x9b\0\nb"))
    a\x1b[2J\x9b\x00
    b
    """
    return text.translate(_KEEPING_LINES)


def on_one_line(text: object) -> str:
    r"""Give a name, or another value from data, for a line that is ours: it cannot begin another.

    >>> print(on_one_line("a\nfitness: 1.0"))
    a\x0afitness: 1.0
    """
    return str(text).translate(_ESCAPES)
