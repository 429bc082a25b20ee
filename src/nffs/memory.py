"""How much memory there is, and refusing work that needs more before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from nffs.errors import InputError

#: Bytes of compiled kernels and of libraries, which the first search of a process loads.
CODE = 72 * 2**20

#: Where cgroups stand, and which ones this process is in.
_CGROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")

#: Limit, use, and what of the use is files that the kernel drops when memory is short: cgroups of
#: the second version, and of the first.
_SECOND = ("memory.max", "memory.current", ("inactive_file", "active_file"))
_FIRST = (
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    ("total_inactive_file", "total_active_file"),
)


def available_memory() -> int:
    """Give the bytes that this process may still take, of the machine's and its container's.

    Files that are cached do not count as used, as in what the kernel calls available.
    """
    left = [int(psutil.virtual_memory().available)]
    for folder, names in _own_cgroups():
        try:
            left.append(_left(folder, *names))
        except (OSError, ValueError):
            continue  # no such cgroup here, or "max"
    return max(0, min(left))


def _own_cgroups() -> Iterator[tuple[Path, tuple[str, str, tuple[str, ...]]]]:
    """Give the cgroups that bound this process: its own and all that it is inside of.

    A container sees its own one at the root, though its name may be that of the host's.
    """
    try:
        lines = _OWN.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, names = _CGROUPS, _SECOND
        elif "memory" in controllers.split(","):
            root, names = _CGROUPS / "memory", _FIRST
        else:
            continue
        own = root / path.lstrip("/")
        yield from (
            (folder, names) for folder in (own, *own.parents) if root in (folder, *folder.parents)
        )


def _left(folder: Path, limit: str, used: str, cached: tuple[str, ...]) -> int:
    most = int((folder / limit).read_text())
    counts = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    return (
        most - int((folder / used).read_text()) + sum(int(counts.get(name, 0)) for name in cached)
    )


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
