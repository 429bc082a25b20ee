"""Values as characters of a line: bars, curves and what points at them."""

from __future__ import annotations

from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"

#: Parts of a character, from the left.
_EIGHTHS = "▏▎▍▌▋▊▉█"

#: For terminals that know no blocks: the more ink, the higher.
ASCII = "_.:-=+*#"


def bar(value: float, largest: float, width: int = 10, encoding: str = "utf-8") -> str:
    """Draw a value as a bar, the largest one at full width; nothing for 0 and below.

    >>> bar(0.5, 1), bar(0.31, 1), bar(-1, 1), bar(0.5, 1, encoding="ascii")
    ('█████', '███▏', '', '#####')
    """
    if value <= 0 or largest <= 0:
        return ""
    eighths = max(1, round(8 * width * value / largest))
    if not _can_show(_EIGHTHS, encoding):
        return "#" * -(-eighths // 8)
    whole, rest = divmod(eighths, 8)
    return _EIGHTHS[-1] * whole + (_EIGHTHS[rest - 1] if rest else "")


def sparkline(values: Sequence[float], width: int = 72, encoding: str = "utf-8") -> str:
    """Draw values as a line of characters: blocks where the encoding has them, else ASCII.

    Of more values than the width, neighbours share a character, which shows the highest of them.

    >>> sparkline([0.1, 0.5, 0.9, 0.7])
    '▁▄█▆'
    >>> sparkline([0.1, 0.5, 0.9, 0.7], encoding="ascii")
    '_-#+'
    >>> sparkline([0.1, 0.5, 0.9, 0.7], width=2)
    '▁█'
    """
    levels = BLOCKS if _can_show(BLOCKS, encoding) else ASCII
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


def _can_show(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
