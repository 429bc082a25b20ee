"""Whether the workers of a cluster would give the same bits as this machine."""

from __future__ import annotations

import logging
from typing import Any

from distributed import Client

from nffs._version import __version__
from nffs.errors import InputError

#: Packages that decide the bits of a fitness beside the data.
_DECIDING = ("nffs", "numpy", "scipy", "numba", "scikit-learn")

#: What BLAS and NumPy have chosen for the processor, which decides last bits too.
_KERNELS = "BLAS kernels"
_VECTORS = "vector units"


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
    for chosen, variable in (
        (_KERNELS, "OPENBLAS_CORETYPE"),
        (_VECTORS, "NPY_DISABLE_CPU_FEATURES"),
    ):
        other = {address for address, theirs in found.items() if theirs[chosen] != mine[chosen]}
        if other:
            logging.getLogger(__name__).warning(
                "%d worker(s) have another processor (%s: %s, here %s): their scores may differ "
                "in the last bits. For the same bits set %s to one value everywhere.",
                len(other),
                chosen,
                ", ".join(sorted({str(found[address][chosen]) for address in other})),
                mine[chosen],
                variable,
            )


def _probe() -> Any:
    names, kernels, vectors = _DECIDING, _KERNELS, _VECTORS

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
            import numpy  # its BLAS is the one that counts
            import threadpoolctl
        except ImportError:
            return {**found, kernels: None, vectors: None}
        blas = threadpoolctl.ThreadpoolController().select(user_api="blas").info()
        kinds = {f"{b['internal_api']} {b.get('architecture', '')}".strip() for b in blas}
        shown: Any = numpy.show_config(mode="dicts")
        simd = shown["SIMD Extensions"]
        units = " ".join([*simd["baseline"], *simd.get("found", [])])
        return {**found, kernels: ", ".join(sorted(kinds)), vectors: units}

    return about
