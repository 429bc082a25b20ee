"""Whether the workers of a cluster would give the same bits as this machine."""

from __future__ import annotations

import logging
from typing import Any

from distributed import Client

from nffs._version import __version__
from nffs.errors import InputError

#: Packages that decide the bits of a fitness beside the data.
_DECIDING = ("nffs", "numpy", "scipy", "numba", "scikit-learn")

#: The kernels that BLAS has chosen for the processor, which decide last bits too.
_KERNELS = "BLAS kernels"


def check_workers(client: Client, workers: list[str]) -> None:
    """Refuse workers that lack this package or have another version of what decides a fitness.

    Workers with another kind of processor are taken, with a warning: clusters are mixed, and scores
    that differ in their last bits are better than none.
    """
    found = client.run(_probe(), workers=workers)
    mine = _probe()()
    wrong = []
    for address, theirs in sorted(found.items()):
        lacking = [name for name in _DECIDING if theirs[name] is None]
        differing = [
            f"{name} {theirs[name]} instead of {mine[name]}"
            for name in _DECIDING
            if theirs[name] not in (None, mine[name])
        ]
        if lacking or differing:
            wrong.append(
                f"{address} "
                + " and ".join(
                    ([f"lacks {', '.join(lacking)}"] if lacking else [])
                    + ([f"has {', '.join(differing)}"] if differing else [])
                )
            )
    if wrong:
        raise InputError(
            f"scheduler: {len(wrong)} worker(s) cannot take part: {'; '.join(wrong)}. Install "
            f"nffs {__version__} with the same versions there."
        )
    other = {address for address, theirs in found.items() if theirs[_KERNELS] != mine[_KERNELS]}
    if other:
        logging.getLogger(__name__).warning(
            "%d worker(s) have another processor (%s: %s, here %s): their scores may differ in the "
            "last bits. For the same bits set OPENBLAS_CORETYPE to one value everywhere.",
            len(other),
            _KERNELS,
            ", ".join(sorted({str(found[address][_KERNELS]) for address in other})),
            mine[_KERNELS],
        )


def _probe() -> Any:
    names, kernels = _DECIDING, _KERNELS

    # Local, so that it travels by value: a worker may lack this package.
    def about() -> dict[str, str | None]:
        from importlib import metadata

        found: dict[str, str | None] = {}
        for name in names:
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                found[name] = None
        try:
            import numpy  # noqa: F401 - its BLAS is the one that counts
            import threadpoolctl
        except ImportError:
            return {**found, kernels: None}
        blas = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
        kinds = {f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in blas}
        return {**found, kernels: ", ".join(sorted(kinds))}

    return about
