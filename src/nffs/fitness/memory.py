"""How much memory a search needs, told before it starts."""

from __future__ import annotations

from nffs.fitness.splits import JudgedRows

#: Bytes for every row that a thread at work holds beside what grows with the columns: lists of
#: drawn rows, the nodes of a tree, sums of class shares.
_ROW_BYTES = 96

#: Bytes for every row and column: the projection (4) and the bins by row and by column (1 each).
_CELL_BYTES = 6


def memory_need(rows: JudgedRows, n_threads: int) -> int:
    """Bound the bytes that a search with the binned forest holds at its peak.

    Parameters
    ----------
    rows : JudgedRows
        What is searched.
    n_threads : int
        Subsets judged at a time.

    Returns
    -------
    int
        The encoded matrix twice, while its columns are put in order, and what the threads hold if
        each judges all columns at once without dropping a component.
    """
    n_rows, n_columns = rows.matrix.shape
    in_thread: int = n_rows * (_CELL_BYTES * n_columns + _ROW_BYTES)
    return int(2 * rows.matrix.nbytes + n_threads * in_thread)
