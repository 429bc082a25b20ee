"""Sets of rows, 64 to a word: how many there are, which comes first, rows for columns."""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs, disable-error-code="misc, untyped-decorator"

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from nffs.fitness.forest.kernels.steps import shared_step, step

ONE = np.uint64(1)
ZERO = np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@intrinsic
def ones(typingctx, word):
    """Count the members of a word; one instruction of the processor."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def lowest(typingctx, word):
    """Give the number of the first member of a word that is not empty."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], types_bool(builder))

    return types.uint64(types.uint64), generate


def types_bool(builder):
    """Give what tells LLVM that an empty word need not be thought of."""
    from llvmlite import ir

    return ir.Constant(ir.IntType(1), 1)


@step
def first(n):
    """Give the set of the first ``n`` of 64, n at least 1."""
    return ALL >> np.uint64(64 - n)


@shared_step
def transpose(block):
    """Turn 64 words of 64 bits by 64: bit j of word i becomes bit i of word j.

    Halves are swapped across the diagonal, then quarters, and so on down to single bits.
    """
    swap(block, 32, 0x00000000FFFFFFFF)
    swap(block, 16, 0x0000FFFF0000FFFF)
    swap(block, 8, 0x00FF00FF00FF00FF)
    swap(block, 4, 0x0F0F0F0F0F0F0F0F)
    swap(block, 2, 0x3333333333333333)
    swap(block, 1, 0x5555555555555555)


@step
def swap(block, width, mask):
    """Swap the squares of ``width`` bits beside the diagonal of squares twice as wide."""
    shift, mask = np.uint64(width), np.uint64(mask)
    for i in range(0, 64, 2 * width):
        for j in range(i, i + width):
            crossed = ((block[j] >> shift) ^ block[j + width]) & mask
            block[j] ^= crossed << shift
            block[j + width] ^= crossed
