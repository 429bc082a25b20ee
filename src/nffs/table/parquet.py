"""A table in a Parquet file that need not fit into memory."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError, instead
from nffs.table.reading import BLOCK, Indices, RawTable, read_table

_log = logging.getLogger(__name__)

#: Seconds between two words on how far a file is read.
_PAUSE = 5.0


class ParquetTable:
    """A table in a Parquet file, read in blocks: it may be larger than memory.

    Give it to `NFFS(max_rows=...).fit(table, table.labels())`: encoding, mutual information and
    covariance use all rows, and subsets are evaluated on a stratified sample of ``max_rows`` rows.

    Parameters
    ----------
    path : path
        The file. Reading it needs pyarrow (``pip install pyarrow``).
    target : str
        The column of labels.
    drop : sequence of str, default=()
        Columns to leave out.

    Examples
    --------
    >>> import tempfile
    >>> from nffs import NFFS, ParquetTable, make_connections
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_connections(5000).frame().write_parquet(f"{folder}/large.parquet")
    ...     table = ParquetTable(f"{folder}/large.parquet", target="label")
    ...     selector = NFFS(n_subsets=8, n_nested=4, max_rows=1000, random_state=0)
    ...     print(selector.fit(table, table.labels()).evaluated_on_)
    10-fold stratified cross-validation of a stratified sample of 1000 of the 5000 training rows
    """

    def __init__(
        self, path: str | os.PathLike[str], *, target: str, drop: Sequence[str] = ()
    ) -> None:
        try:
            from pyarrow import ArrowException, parquet
        except ImportError as error:
            raise InputError(
                "ParquetTable: needs pyarrow; install it with pip install pyarrow."
            ) from error
        self.path, self.target = Path(path), target
        if not self.path.is_file():
            raise InputError(f"{self.path}: no such file.")
        try:
            self._file = parquet.ParquetFile(self.path)
        except (ArrowException, OSError) as error:
            raise InputError(f"{self.path}: not a readable Parquet file ({error}).") from error
        present = self._file.schema_arrow.names
        for argument, name in [("target", target), *(("drop", name) for name in drop)]:
            if name not in present:
                raise InputError(
                    f"{argument}: {self.path} has no column {name!r}{instead(name, present)}"
                )
        self._names = [name for name in present if name != target and name not in drop]
        if not self._names:
            raise InputError(f"{self.path}: no feature column is left besides {target!r}.")
        if not self.n_rows:
            raise InputError(f"{self.path}: the table has no rows.")

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return int(self._file.metadata.num_rows)

    @property
    def names(self) -> list[str]:
        """The columns that are features."""
        return list(self._names)

    @property
    def argument(self) -> str:
        """What messages call it: its path."""
        return str(self.path)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.n_rows, len(self._names)

    def labels(self) -> NDArray[Any]:
        """Read the labels of all rows."""
        return self.column(self.target)

    def column(self, name: str) -> NDArray[Any]:
        """Read one column of all rows, equal texts as one object."""
        column = self._file.read([name]).column(0)
        if column.null_count:
            raise InputError(
                f"{self.path}: {column.null_count} values are missing in column {name!r}; drop "
                "those rows."
            )
        parts = [chunk.dictionary_encode() for chunk in column.chunks]
        values = [np.asarray(p.dictionary.to_pylist())[p.indices.to_numpy()] for p in parts]
        return np.concatenate(values)

    def blocks(self, doing: str) -> Iterator[RawTable]:
        """Read all rows."""
        return (read_table(block, argument=self.argument) for block in self._read(doing))

    def take(self, rows: Indices | None) -> RawTable:
        """Read some rows, or all of them."""
        if rows is None:
            return read_table(self._file.read(self._names), argument=self.argument)
        import pyarrow as pa

        found, start = [], 0
        for block in self._read(f"taking {len(rows)} of them"):
            mine = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + len(block))]
            if len(mine):
                found.append(block.take(pa.array(mine - start)))
            start += len(block)
        return read_table(pa.concat_tables(found), argument=self.argument)

    def _read(self, doing: str) -> Iterator[Any]:
        """Read blocks of one size, whatever the sizes in the file."""
        import pyarrow as pa

        held: list[Any] = []
        n_held, done, last = 0, 0, time.monotonic()
        _log.info("reading %d rows of %s: %s", self.n_rows, self.path, doing)
        for batch in self._file.iter_batches(BLOCK, columns=self._names):
            held.append(batch)
            n_held += len(batch)
            while n_held >= BLOCK:
                table = pa.Table.from_batches(held)
                yield table.slice(0, BLOCK)
                held, n_held = table.slice(BLOCK).to_batches(), n_held - BLOCK
                done += BLOCK
            if time.monotonic() - last > _PAUSE:
                last = time.monotonic()
                _log.info("read %d of %d rows", done, self.n_rows)
        if n_held:
            yield pa.Table.from_batches(held)
