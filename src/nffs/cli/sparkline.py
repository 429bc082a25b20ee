"""A curve in one line of text, and a mark below it."""

from __future__ import annotations

from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"

#: For terminals that know no blocks: the more ink, the higher.
ASCII = "_.:-=+*#"


def can_show(text: str, encoding: str) -> bool:
    """Tell whether an encoding has all characters of a text."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def sparkline(values: Sequence[float], width: int = 72, encoding: str = "utf-8") -> str:
    """Draw values as a line of characters, lowest to highest.

    Parameters
    ----------
    values : sequence of float
        From left to right.
    width : int
        The most characters; of more values neighbours share one, which shows the highest of them.
    encoding : str
        Of the stream it goes to; blocks where it has them, else ASCII.

    Examples
    --------
    >>> sparkline([0.1, 0.5, 0.9, 0.7])
    '▁▄█▆'
    >>> sparkline([0.1, 0.5, 0.9, 0.7], encoding="ascii")
    '_-#+'
    >>> sparkline([0.1, 0.5, 0.9, 0.7], width=2)
    '▁█'
    """
    levels = BLOCKS if can_show(BLOCKS, encoding) else ASCII
    n = min(width, len(values))
    shown = [max(values[i * len(values) // n : (i + 1) * len(values) // n]) for i in range(n)]
    low, high = min(shown), max(shown)
    if high <= low:
        return levels[len(levels) // 2] * n
    top = len(levels) - 1
    return "".join(levels[int((value - low) / (high - low) * top)] for value in shown)


def pointer(at: int, n_values: int, label: str, width: int = 72) -> str:
    """Point from below at one of the values that `sparkline` drew.

    >>> pointer(2, 8, "here", width=8)
    '  ^ here'
    >>> pointer(6, 8, "here", width=8)
    ' here ^'
    """
    n = min(width, n_values)
    # The last character that begins at or before the value.
    place = next(i for i in reversed(range(n)) if i * n_values // n <= at)
    right = f"{' ' * place}^ {label}"
    return right if len(right) <= width else f"{label} ^".rjust(place + 1)
