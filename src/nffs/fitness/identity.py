"""What decides the scores of every subset, item by item: the rows, and everything else by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from nffs.fitness.blas import blas_kernels
from nffs.fitness.splits import SplitRows
from nffs.fitness.unlabelled import Unlabelled
from nffs.table.features import Features
from nffs.table.grouping import REVISION as GROUPING_REVISION

#: Packages whose versions decide the bits of every score, beside that of scipy.
DECIDING = ("numpy", "numba", "scikit-learn")


def program_identity() -> dict[str, str]:
    """Name the programs that compute."""
    versions = ", ".join(f"{name} {version(name)}" for name in DECIDING)
    # items of their own: journals of an earlier schema do not have all of them
    return {
        "versions": versions,
        "scipy": version("scipy"),
        "blas": blas_kernels(),
        "vectors": vector_units(),
    }


def vector_units() -> str:
    """Name the vector units that NumPy uses here, which decide last bits of logarithms, say."""
    shown: Any = np.show_config(mode="dicts")
    found = shown["SIMD Extensions"]
    return " ".join([*found["baseline"], *found.get("found", [])])


def data_identity(rows: SplitRows, features: Features) -> dict[str, str]:
    """Name the data: the same for the same rows, whatever the order of the columns."""
    beyond = {} if rows.beyond is None else {"beyond": _moments(rows, features)}
    return {
        "rows": str(len(rows.target)),
        "features": f"{len(features)} ({digest(sorted(features.names))})",
        "values": digest(sorted(_columns(rows, features))),
        "target": rows.target.digest(),
        "weights": "none" if rows.weights is None else _hashed(rows.weights.astype("<f8")),
        "evaluated_on": f"{rows.evaluated_on} ({splits_digest(rows)})",
        **({"categories": _groups(rows, features)} if rows.grouped else {}),
        **beyond,
        **_unlabelled(rows.unlabelled),
    }


def splits_digest(rows: SplitRows) -> str:
    """Name the splits in a few characters."""
    found = hashlib.blake2b(digest_size=8)
    for split in rows.splits:
        found.update(np.ascontiguousarray(split.train, dtype="<i8").tobytes() + b"|")
        found.update(np.ascontiguousarray(split.evaluation, dtype="<i8").tobytes() + b"/")
    return found.hexdigest()


def digest(names: Any) -> str:
    """Name a sequence of texts in a few characters."""
    text = "\0".join(str(name) for name in names)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _columns(rows: SplitRows, features: Features) -> Iterator[str]:
    for column, feature in enumerate(features.membership):
        values = np.ascontiguousarray(rows.matrix[:, column], dtype="<f4")
        yield f"{features.names[feature]} {_hashed(values)}"


def _groups(rows: SplitRows, features: Features) -> str:
    """Name what the groups of categories are learned from, whatever the order of the columns."""
    owners = features.membership
    found = (
        f"{sorted(features.names[owners[place]] for place in column.columns.values())} "
        f"{column.n_groups} {column.strength:g} {_hashed(column.codes.astype('<i8'))}"
        for column in rows.grouped
    )
    return f"cluster {GROUPING_REVISION} ({digest(sorted(found))})"


def _unlabelled(rows: Unlabelled | None) -> dict[str, str]:
    """Name how many rows have no label, and what they are used for, if they are.

    What they hold is in `values`, the weights that likeness gave in `weights`.
    """
    if rows is None or not rows.uses:
        return {}
    return {"unlabelled": f"{rows.n_rows} rows for {', '.join(rows.uses)}"}


def _moments(rows: SplitRows, features: Features) -> str:
    assert rows.beyond is not None
    # in the order of the names, which the order of the search does not change
    names = [features.names[feature] for feature in features.membership]
    order = sorted(range(len(names)), key=lambda column: (names[column], column))
    moments = rows.beyond.take(np.array(order, dtype=np.intp))
    values = np.concatenate([moments.mean, moments.scatter.ravel()])
    return f"{moments.n} rows ({_hashed(values.astype('<f8'))})"


def _hashed(array: Any) -> str:
    return hashlib.blake2b(memoryview(array).cast("B"), digest_size=8).hexdigest()
