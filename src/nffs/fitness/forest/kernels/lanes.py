"""Several numbers of an array at once, in the lanes of one vector.

Written out in LLVM's own terms, since whether a loop becomes vectors is not for the loop to say. A
processor with narrower vectors takes more instructions for the same answer, bit for bit.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs, disable-error-code="misc, untyped-decorator"

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core.cgutils import alloca_once_value, for_range
from numba.extending import intrinsic

#: Values that :func:`n_smaller` looks at.
VALUES = 16

# A score below this share of the best one is surely below it, whatever was rounded.
_SURELY = 1.0 - 1e-9

#: Sums that :func:`better_splits` looks at.
SUMS = 8


@intrinsic
def n_smaller(typingctx, values, at, value):
    """Count which of 16 values from a place on are smaller than a value."""

    def generate(context, builder, signature, arguments):
        array, place, value = arguments
        some = _load(builder, _vector(context, builder, signature.args[0], array, place, VALUES))
        smaller = builder.fcmp_ordered("<", some, _spread(builder, value, VALUES))
        count = builder.ctpop(builder.bitcast(smaller, ir.IntType(VALUES)))
        return builder.zext(count, ir.IntType(64))

    return types.uint64(values, types.uint64, types.float32), generate


@intrinsic
def score_splits(typingctx, sums, gains, weights, start, n_lists, length, n_sums, shift, n, total):
    """Score splits by packed sums on the left; return a score that only the best ones reach.

    There are ``n_sums`` from a start on in every list, and a list has room for ``length``. Scores
    are fractions of gains and weights, as :func:`.sums.score` says; both are 0 for a split of no
    rows from all. Up to 7 entries after a list's are overwritten.
    """

    def generate(context, builder, signature, arguments):
        floats = ir.VectorType(ir.DoubleType(), SUMS)
        sums, gains, weights, first, n_lists, length, n_sums, *numbers = arguments
        shift, n, total = (_spread(builder, number, SUMS) for number in numbers)
        whole, nothing = n_sums.type, floats([0.0] * SUMS)
        best = alloca_once_value(builder, nothing)
        n_blocks = builder.udiv(builder.add(n_sums, whole(SUMS - 1)), whole(SUMS))
        end = _spread(builder, n_sums, SUMS)
        with for_range(builder, n_lists) as a_list, for_range(builder, n_blocks) as block:
            place = builder.mul(block.index, whole(SUMS))
            at = builder.add(builder.mul(a_list.index, length), builder.add(first, place))
            some, gain_at, weight_at = (
                _vector(context, builder, kind, array, at, SUMS)
                for kind, array in zip(signature.args[:3], (sums, gains, weights), strict=True)
            )
            left = _load(builder, some)
            drawn = builder.lshr(left, shift)
            summed = builder.xor(left, builder.shl(drawn, shift))
            nl, sl = builder.uitofp(drawn, floats), builder.uitofp(summed, floats)
            d = builder.fsub(builder.fmul(sl, n), builder.fmul(total, nl))
            numbers = builder.add(_spread(builder, place, SUMS), left.type(list(range(SUMS))))
            inside = builder.icmp_unsigned("<", numbers, end)
            gain = builder.select(inside, builder.fmul(d, d), nothing)
            weight = builder.select(inside, builder.fmul(nl, builder.fsub(n, nl)), nothing)
            builder.store(gain, gain_at, align=4)
            builder.store(weight, weight_at, align=4)
            score, before = builder.fdiv(gain, weight), builder.load(best)
            better = builder.fcmp_ordered(">", score, before)  # not if nothing is parted: 0 / 0
            builder.store(builder.select(better, score, before), best)
        lanes, found = builder.load(best), ir.DoubleType()(0.0)
        for lane in range(SUMS):
            score = builder.extract_element(lanes, ir.IntType(32)(lane))
            found = builder.select(builder.fcmp_ordered(">", score, found), score, found)
        return builder.fmul(found, ir.DoubleType()(_SURELY))

    whole, float64 = types.uint64, types.float64
    return float64(sums, gains, weights, *[whole] * 5, float64, float64), generate


@intrinsic
def better_splits(typingctx, gains, weights, at, gain, weight):
    """Tell which of 8 splits beat another, as the set of their numbers."""

    def generate(context, builder, signature, arguments):
        gains, weights, at, *other = arguments
        some, of = (
            _load(builder, _vector(context, builder, kind, array, at, SUMS))
            for kind, array in zip(signature.args[:2], (gains, weights), strict=True)
        )
        gain, weight = (_spread(builder, number, SUMS) for number in other)
        better = builder.fcmp_ordered(">", builder.fmul(some, weight), builder.fmul(gain, of))
        return builder.zext(builder.bitcast(better, ir.IntType(SUMS)), ir.IntType(64))

    float64 = types.float64
    return types.uint64(gains, weights, types.uint64, float64, float64), generate


def _vector(context, builder, array_type, array, place, lanes):
    """Give where a vector of an array's items starts."""
    item = context.get_value_type(array_type.dtype)
    first = builder.gep(context.make_array(array_type)(context, builder, array).data, [place])
    return builder.bitcast(first, ir.VectorType(item, lanes).as_pointer())


def _load(builder, pointer):
    """Read a vector that starts at any item."""
    some = builder.load(pointer)
    some.align = 4  # bytes
    return some


def _spread(builder, number, lanes):
    """Make a vector of one number in all lanes."""
    empty = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    one = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(one, empty, everywhere)
