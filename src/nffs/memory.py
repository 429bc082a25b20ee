"""How much memory there is, and refusing work that needs more before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psutil

from nffs.errors import InputError

#: Bytes of compiled kernels and of libraries, which the first search of a process loads.
CODE = 72 * 2**20

#: Where a container's limit and use stand: cgroups of the second and of the first version.
_CONTAINER = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def available_memory() -> int:
    """Give the bytes that this process may still take, of the machine's and its container's."""
    free = int(psutil.virtual_memory().available)
    for limit, used in _CONTAINER:
        try:
            left = int(Path(limit).read_text()) - int(Path(used).read_text())
        except (OSError, ValueError):
            continue  # no container, or "max"
        free = min(free, max(0, left))
    return free


def used_memory() -> int:
    """Give the bytes that this process holds."""
    return int(psutil.Process().memory_info().rss)


def refuse_large(argument: str, work: str, need: int, there: int, remedies: Sequence[str]) -> None:
    """Refuse work that needs more memory than there is, and say what would fit."""
    if need > there:
        raise InputError(
            f"{argument}: {work} needs up to {_gib(need)}, and {_gib(there)} are free; "
            f"{' or '.join(remedies)} would fit."
        )


def rounded_down(n: int) -> int:
    """Keep two digits of a number that is offered as a remedy.

    >>> rounded_down(123456)
    120000
    """
    step = 10 ** max(0, len(str(n)) - 2)
    return int(n // step * step)


def _gib(n: int) -> str:
    return f"{n / 2**30:.1f} GiB" if n >= 2**27 else f"{n / 2**20:.1f} MiB"
