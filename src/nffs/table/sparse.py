"""Sparse matrices of SciPy: read column by column, given back as the kind they came in.

Raw columns become dense one at a time, when they are looked at. The encoded matrix is a dense one
of float32, as for any table: whether it fits is checked before it is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csc_matrix, hstack, sparray
from sklearn.utils import check_array

from nffs.errors import InputError
from nffs.table.reading import Indices, Kind, RawColumn, RawTable


def read_sparse(X: Any, argument: str, only: Collection[str] | None) -> RawTable:
    """Read a sparse matrix; its columns are named by their places, as those of an array."""
    matrix = check_array(
        X, accept_sparse="csc", dtype=None, ensure_all_finite=False, input_name=argument
    )
    if matrix.dtype.kind not in "iufb":
        raise InputError(
            f"{argument}: sparse matrices of type {matrix.dtype} cannot be used; give numbers or "
            "booleans."
        )
    places = [i for i in range(matrix.shape[1]) if only is None or f"x{i}" in only]
    columns = SparseColumns(csc_array(matrix)[:, places], tuple(f"x{i}" for i in places))
    return SparseTable(columns, matrix.shape[0], argument)


def sparse_like(X: Any, columns: Sequence[int | NDArray[Any]]) -> Any:
    """Build a sparse matrix of X's kind and format: of X's own columns, by place, and others."""
    own = X if X.format in ("csr", "csc") else X.tocsc()
    if all(isinstance(column, int) for column in columns):
        return own[:, columns].asformat(X.format)
    sparse = csc_array if isinstance(X, sparray) else csc_matrix
    parts = [
        own[:, [column]] if isinstance(column, int) else sparse(column[:, None].astype(X.dtype))
        for column in columns
    ]
    return hstack(parts, format=X.format)


@dataclass(frozen=True)
class SparseColumns(Sequence[RawColumn]):
    """Named columns, each made dense when it is asked for."""

    matrix: Any  # csc_array
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> RawColumn: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RawColumn, ...]: ...
    def __getitem__(self, place: int | slice) -> RawColumn | tuple[RawColumn, ...]:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(len(self))[place])
        return RawColumn(self.names[place], self._kind, self._dense(range(len(self))[place]))

    def __iter__(self) -> Iterator[RawColumn]:
        return (self[i] for i in range(len(self)))

    @property
    def _kind(self) -> Kind:
        return "boolean" if self.matrix.dtype.kind == "b" else "numeric"

    def _dense(self, place: int) -> NDArray[Any]:
        matrix = self.matrix
        stored = slice(matrix.indptr[place], matrix.indptr[place + 1])
        values = np.zeros(matrix.shape[0], dtype=matrix.dtype)
        # Added: a place may be stored more than once.
        np.add.at(values, matrix.indices[stored], matrix.data[stored])
        return values


@dataclass(frozen=True)
class SparseTable(RawTable):
    """A table whose columns are held sparse."""

    columns: SparseColumns

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.columns.names)

    def __getitem__(self, name: str) -> RawColumn:
        return self.columns[self._place[name]]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.columns.names)}

    def _rows(self, rows: slice | Indices) -> SparseTable:
        taken = self.columns.matrix[rows].tocsc()
        columns = SparseColumns(taken, self.columns.names)
        return replace(self, columns=columns, n_rows=taken.shape[0])
