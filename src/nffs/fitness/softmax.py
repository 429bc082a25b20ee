"""Passes over the rows that logistic regression makes, each class a contiguous stretch.

A pass does all there is to do for a row: margins to class probabilities, and what is summed up of
them. The exponential is a polynomial of its own, so that a pass is vector instructions throughout
and its bits do not depend on which of them a processor has.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from nffs._numba import inlined, kernel

#: Rows that are taken together: a block of all classes stays in the cache.
_BLOCK = 256

#: Margins beyond this make probabilities of 0 or 1 in single precision.
_FAR = np.float32(80.0)

_LOG2E = np.float32(1.4426950408889634)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_ROUND = np.float32(12582912.0)  # 1.5 * 2^23: added and taken away again, it rounds
_C0, _C1, _C2 = (
    np.float32(1.9875691500e-4),
    np.float32(1.3981999507e-3),
    np.float32(8.3334519073e-3),
)
_C3, _C4, _C5 = (
    np.float32(4.1665795894e-2),
    np.float32(1.6666665459e-1),
    np.float32(5.0000001201e-1),
)
_BIAS, _MANTISSA = np.int32(127), np.int32(23)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


@inlined
def exponential(x):
    """Give e to the power of x, at most 0, in single precision (Cephes's polynomial)."""
    x = max(x, -_FAR)
    whole = (x * _LOG2E + _ROUND) - _ROUND
    rest = x - whole * _LN2_HIGH - whole * _LN2_LOW
    series = ((((_C0 * rest + _C1) * rest + _C2) * rest + _C3) * rest + _C4) * rest + _C5
    power = np.int32((np.int32(whole) + _BIAS) << _MANTISSA)
    return (series * rest * rest + rest + _ONE) * power.view(np.float32)


@inlined
def shares_of_block(margins, along, far, start, n, out, top, total):
    """Fill the class probabilities of ``n`` rows, some way along a direction.

    Of two classes there are margins of class 1 only; those of class 0 are 0.
    """
    n_classes = margins.shape[0]
    if n_classes == 1:
        row, ahead, target = margins[0, start : start + n], along[0, start : start + n], out[0]
        for i in range(n):
            margin = row[i] + far * ahead[i]
            small = exponential(-abs(margin))
            larger = _ONE / (_ONE + small)
            target[i] = larger if margin > _ZERO else _ONE - larger
        return
    for c in range(n_classes):
        row, ahead, target = margins[c, start : start + n], along[c, start : start + n], out[c]
        for i in range(n):
            margin = row[i] + far * ahead[i]
            target[i] = margin
            top[i] = margin if c == 0 else max(top[i], margin)
    for c in range(n_classes):
        target = out[c]
        for i in range(n):
            share = exponential(target[i] - top[i])
            target[i] = share
            total[i] = share if c == 0 else total[i] + share
    for i in range(n):
        total[i] = _ONE / total[i]
    for c in range(n_classes):
        target = out[c]
        for i in range(n):
            target[i] *= total[i]


@kernel
def advance(margins, along, far, codes, weight, residual, curvature):
    """Go some way: margins, residuals of the rows and the mean of their classes' curvatures."""
    n_classes, n = margins.shape
    out = np.empty((n_classes, _BLOCK), dtype=np.float32)
    top, total = np.empty(_BLOCK, dtype=np.float32), np.empty(_BLOCK, dtype=np.float32)
    inverse = np.float32(1.0 / n_classes)
    for start in range(0, n, _BLOCK):
        m = min(_BLOCK, n - start)
        shares_of_block(margins, along, far, start, m, out, top, total)
        w, code = weight[start : start + m], codes[start : start + m]
        curved = curvature[start : start + m]
        for c in range(n_classes):
            share, left = out[c], residual[c, start : start + m]
            row, ahead = margins[c, start : start + m], along[c, start : start + m]
            name = np.int32(1) if n_classes == 1 else np.int32(c)
            for i in range(m):
                row[i] += far * ahead[i]
                truth = _ONE if code[i] == name else _ZERO
                left[i] = (truth - share[i]) * w[i]
                bent = share[i] * (_ONE - share[i]) * w[i] * inverse
                curved[i] = bent if c == 0 else curved[i] + bent


@kernel
def look(margins, along, far, codes, weight):
    """Give slope and curvature of the loss, some way along a direction."""
    n_classes, n = margins.shape
    out = np.empty((n_classes, _BLOCK), dtype=np.float32)
    top, total = np.empty(_BLOCK, dtype=np.float32), np.empty(_BLOCK, dtype=np.float32)
    sloping, mean = np.empty(_BLOCK, dtype=np.float32), np.empty(_BLOCK, dtype=np.float32)
    bent = np.empty(_BLOCK, dtype=np.float32)
    slope, curvature = 0.0, 0.0
    for start in range(0, n, _BLOCK):
        m = min(_BLOCK, n - start)
        shares_of_block(margins, along, far, start, m, out, top, total)
        w, code = weight[start : start + m], codes[start : start + m]
        sloping[:m] = _ZERO
        mean[:m] = _ZERO
        bent[:m] = _ZERO
        for c in range(n_classes):
            share, ahead = out[c], along[c, start : start + m]
            name = np.int32(1) if n_classes == 1 else np.int32(c)
            for i in range(m):
                truth = _ONE if code[i] == name else _ZERO
                step = ahead[i] * share[i]
                sloping[i] += truth * ahead[i] - step
                mean[i] += step
                bent[i] += step * ahead[i]
        for i in range(m):
            slope += np.float64(sloping[i] * w[i])
            curvature += np.float64((bent[i] - mean[i] * mean[i]) * w[i])
    return slope, curvature


@kernel
def probabilities(margins, out):
    """Turn margins into class probabilities, rows first; of two classes both."""
    n_classes, n = margins.shape
    block = np.empty((n_classes, _BLOCK), dtype=np.float32)
    top, total = np.empty(_BLOCK, dtype=np.float32), np.empty(_BLOCK, dtype=np.float32)
    for start in range(0, n, _BLOCK):
        m = min(_BLOCK, n - start)
        shares_of_block(margins, margins, _ZERO, start, m, block, top, total)
        if n_classes == 1:
            for i in range(m):
                positive = np.float64(block[0, i])
                out[start + i, 0], out[start + i, 1] = 1.0 - positive, positive
        else:
            for i in range(m):
                whole = 0.0
                for c in range(n_classes):
                    whole += np.float64(block[c, i])
                for c in range(n_classes):
                    out[start + i, c] = np.float64(block[c, i]) / whole
