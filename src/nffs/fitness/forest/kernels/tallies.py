"""What growth asks of a tally, which adds up rows and scores splits.

A tally comes in three kinds: packed (:mod:`.packed`) for two classes and whole weights, weighted
(:mod:`.weighted`) for any classes and weights, summed (:mod:`.summed`) for numbers. All have the
steps below under the same names.
Numba picks the kind by the tally's type when it compiles growth, so asking costs nothing.

"Counts" are one 64-bit number that growth hands on without looking inside.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from typing import Any

from numba.extending import overload

from nffs.fitness.forest.kernels import packed, summed, weighted
from nffs.fitness.forest.kernels.steps import STEP

_KINDS = {
    packed.PackedTally: packed,
    summed.SummedTally: summed,
    weighted.WeightedTally: weighted,
}


def _step(name: str) -> Any:
    """Declare a step that every kind of tally takes in its own way."""

    def step(tally, *arguments):
        raise NotImplementedError(f"{name} is for kernels only")

    def choose(tally, *arguments):
        return getattr(_KINDS[tally.instance_class], name).py_func

    overload(step, strict=False, jit_options=STEP)(choose)
    return step


# Of a whole node: its counts, how many rows were drawn, whether they are of one class.
add_up = _step("add_up")
n_drawn = _step("n_drawn")
is_pure = _step("is_pure")

# Writing a node as a leaf with its class shares; knowing beforehand that a child will be one.
write_leaf = _step("write_leaf")
is_leaf = _step("is_leaf")

# Growing all that is below a node in another way, where there is a quicker one.
grow_rest = _step("grow_rest")

# Splits between bins: counting the rows by bin, then finding the best place.
count_rows = _step("count_rows")
scan_bins = _step("scan_bins")

# Splits between sorted values: what lies below them all, then finding the best place.
none_below = _step("none_below")
rows_below = _step("rows_below")
add = _step("add")
score = _step("score")
