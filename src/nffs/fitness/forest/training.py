"""The rows a forest grows on: binned, padded to cache lines, merged where that pays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.forest.binning import Bins, aligned_rows, apply_bins
from nffs.fitness.forest.kernels import common

# Merging pays as soon as it saves a tenth of the rows: it costs about half a tree.
_MERGE_BELOW = 0.9


class TrainingRows:
    """The rows a forest grows on, prepared once for all its trees.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features), float32
        The rows.
    bins : Bins
        Their bins, from :func:`nffs.fitness.forest.binning.find_bins`.
    y : ndarray of shape (n_rows,)
        Classes as whole numbers from 0.
    n_classes : int
        Number of classes.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows.
    merge : bool, default=True
        Whether to let equal rows stand for one another where it pays. It changes the time, never
        the result.
    codes : ndarray of shape (n_rows, row_bytes), uint8, optional
        The numbers of the rows' bins, if they are known.
    """

    def __init__(
        self,
        Z: NDArray[np.float32],
        bins: Bins,
        y: NDArray[Any],
        n_classes: int,
        sample_weight: NDArray[np.float64] | None = None,
        merge: bool = True,
        codes: NDArray[np.uint8] | None = None,
    ) -> None:
        self.n_drawn, self.n_features = Z.shape
        self.n_classes = n_classes
        self.bins = bins
        self.width = row_bytes(self.n_features)
        Z = np.ascontiguousarray(Z, dtype=np.float32)
        if codes is None:
            codes = apply_bins(Z, bins, self.width)
        self.packed = n_classes <= 2 and sample_weight is None
        if self.packed:
            self.label: NDArray[Any] = np.asarray(y).astype(np.uint8)
            if merge:
                Z, codes = self._merge(Z, codes)
            else:
                self.slot = np.arange(self.n_drawn, dtype=np.uint32)
        else:
            self.label = np.asarray(y).astype(np.int32)
            self.slot = np.arange(self.n_drawn, dtype=np.uint32)
            weight = np.ones(self.n_drawn) if sample_weight is None else np.asarray(sample_weight)
            self.sample_weight = np.ascontiguousarray(weight, dtype=np.float64)
        self.n_rows = len(codes)
        self.bits = Z.reshape(-1).view(np.uint32)
        self.codes = codes.reshape(-1)
        if self.packed:
            self.columns = np.ascontiguousarray(codes[:, : self.n_features].T)

    def _merge(
        self, Z: NDArray[np.float32], codes: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        n = len(Z)
        self.slot = np.empty(n, dtype=np.uint32)
        kept = np.empty(n, dtype=np.uint32)
        table = np.zeros(1 << (2 * n - 1).bit_length(), dtype=np.uint32)
        n_slots = common.merge_rows(Z.view(np.uint32), self.label, self.slot, table, kept)
        if n_slots > _MERGE_BELOW * n:
            self.slot = np.arange(n, dtype=np.uint32)
            return Z, codes
        first = kept[:n_slots]
        self.label = self.label[first]
        merged = aligned_rows(n_slots, self.width)
        return Z[first], np.take(codes, first, axis=0, out=merged, mode="clip")


def row_bytes(n_features: int) -> int:
    """Bytes of a row of bins: no row touches more cache lines than it must."""
    return (
        max(8, 1 << (n_features - 1).bit_length())
        if n_features <= 64
        else -(-n_features // 64) * 64
    )
