"""Float columns -> at most 256 bins, numbered in the values' order.

Values that are frequent get a bin of their own and the rest are split by rank, so a column with at
most 256 distinct values is binned exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_BINS = 256


def bin_column(values: NDArray[np.float32], max_bins: int = MAX_BINS) -> NDArray[np.intp]:
    """Give the number of every value's bin."""
    distinct, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(distinct) <= max_bins:
        return codes
    frequent = counts > len(values) / max_bins
    # A frequent value may cut a run of rare ones in two, so it costs up to two bins.
    n_shared = max(1, max_bins - 2 * int(frequent.sum()) - 1)
    rare_rank = np.cumsum(np.where(frequent, 0, counts)) - np.where(frequent, 0, counts)
    share = (rare_rank * n_shared) // max(1, int(counts[~frequent].sum()))
    change = np.ones(len(distinct), dtype=np.bool_)
    change[1:] = frequent[1:] | frequent[:-1] | (share[1:] != share[:-1])
    return (np.cumsum(change) - 1)[codes]
