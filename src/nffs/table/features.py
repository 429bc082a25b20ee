"""What is selected: encoded columns or raw ones, and the order in which the search sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nffs.table.encoding import Encoding

Unit = Literal["category", "column"]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Features:
    """The features of a search and the encoded columns that each stands for."""

    names: tuple[str, ...]
    columns: tuple[Indices, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def membership(self) -> Indices:
        """For the columns of all features, one after the other, the feature each belongs to."""
        return np.repeat(np.arange(len(self)), [len(columns) for columns in self.columns])

    def columns_of(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the encoded columns of the features in a mask."""
        marked = np.zeros(sum(len(columns) for columns in self.columns), dtype=np.bool_)
        for i in np.flatnonzero(mask):
            marked[self.columns[i]] = True
        return marked

    def take(self, order: Indices) -> Features:
        """Give some of the features, in the given order."""
        return Features(tuple(self.names[i] for i in order), tuple(self.columns[i] for i in order))

    def joined(self, parts: Sequence[Indices]) -> Features:
        """Make one feature of every part: of one feature, or of some that are kept together."""
        return Features(
            tuple(" + ".join(self.names[i] for i in part) for part in parts),
            tuple(np.concatenate([self.columns[i] for i in part]) for part in parts),
        )


def features_of(encoding: Encoding, unit: Unit) -> Features:
    """List the features: every encoded column, or every raw column with its indicators together."""
    if unit == "category":
        columns = tuple(np.array([i]) for i in range(len(encoding.columns)))
        return Features(tuple(encoding.names), columns)
    places: dict[str, list[int]] = {name: [] for name in encoding.kinds}
    for i, column in enumerate(encoding.columns):
        places[column.column].append(i)
    return Features(tuple(places), tuple(np.array(own) for own in places.values()))


def varying(matrix: NDArray[np.float32], features: Features) -> NDArray[np.bool_]:
    """Tell which features are not constant."""
    # What is missing tells nothing of its own column.
    differs = np.fmax.reduce(matrix) > np.fmin.reduce(matrix)
    return np.array([differs[columns].any() for columns in features.columns])


def search_order(
    matrix: NDArray[np.float32], features: Features, mi: NDArray[np.float64]
) -> Indices:
    """Order features by mutual information, equals by their contents, copies by their names.

    The search draws and breaks ties in this order, never in the table's, so that shuffled columns
    do not change what is selected, and other names only which one of several copies.
    """
    values, counts = np.unique(mi, return_counts=True)
    tied = set(values[counts > 1].tolist())

    def contents(i: int) -> bytes:
        if mi[i] not in tied:
            return b""
        block = np.ascontiguousarray(matrix[:, features.columns[i]])
        return hashlib.blake2b(block.tobytes(), digest_size=16).digest()

    keys = [(-mi[i], contents(i), features.names[i], i) for i in range(len(features))]
    return np.array([i for *_, i in sorted(keys)], dtype=np.intp)


@dataclass(frozen=True)
class Placement:
    """Leads from the search's order back to the table's."""

    # For every feature of the search, its place among all features: several of what is kept
    # together
    places: tuple[Indices, ...]
    n_features: int  # how many features there are, those that the search left out included

    @property
    def sizes(self) -> Indices:
        """How many features of the table every feature of the search stands for."""
        return np.array([len(places) for places in self.places], dtype=np.intp)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Put values over the search's features to their places; zero elsewhere."""
        out = np.zeros((*values.shape[:-1], self.n_features), dtype=values.dtype)
        out[..., np.concatenate(self.places)] = np.repeat(values, self.sizes, axis=-1)
        return out

    def ranks(self, best_first: Indices, names: Sequence[str]) -> Indices:
        """Give ranks from 1 by an order of the search's features.

        Those left out come last, by the names of all features, not by their places in the table.
        """
        placed = np.concatenate([self.places[i] for i in best_first])
        left_out = np.setdiff1d(np.arange(self.n_features), placed)
        rest = np.array(sorted(left_out, key=names.__getitem__), dtype=np.intp)
        ranks = np.empty(self.n_features, dtype=np.intp)
        ranks[np.concatenate([placed, rest])] = np.arange(1, self.n_features + 1)
        return ranks
