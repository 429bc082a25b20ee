"""How the steps of growth are compiled, so that naming them costs nothing.

Steps take bundles of arrays. Numba would hand a bundle over by value, count the references to every
array in it, and make each step callable from Python: small nodes would take half as long again, and
compiling too. A step is compiled into its caller instead, and works on memory that its caller owns.
"""
# numba infers the kernels' types:
# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numba

from nffs._numba import UNCOUNTED

# numba's stubs know no options in a dict
_njit: Any = numba.njit

#: Numba's options for a step.
STEP: Any = {"nogil": True, "error_model": "numpy", "forceinline": True, **UNCOUNTED}
STEP |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def step(function):
    """Declare a step; it may allocate nothing and is for kernels only."""
    return _njit(**STEP)(function)


def shared_step(function):
    """Declare a step that is long and taken in several places: called, not compiled into each."""
    return _njit(**{**STEP, "forceinline": False})(function)
