"""What a label may be: text, a number or a boolean, as every result and every file can hold it."""

from __future__ import annotations

import numbers
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError


def refuse_strange_labels(values: NDArray[Any], argument: str) -> None:
    """Refuse labels that are bytes, dates or other objects; those that are missing may pass."""
    if values.dtype.kind in "biufUT":
        return
    if values.dtype.kind == "O":
        types = {type(value) for value in values if value is not None}
        strange = {t.__name__ for t in types if not issubclass(t, str | np.bool_ | numbers.Real)}
        strange -= {"NAType", "NaTType"}
    else:
        strange = {"bytes" if values.dtype.kind == "S" else values.dtype.name}
    if strange:
        refuse_types(strange, argument)


def refuse_types(types: set[str], argument: str) -> NoReturn:
    """Refuse labels of types that have these names."""
    raise InputError(
        f"{argument}: holds labels of type {', '.join(sorted(types))}; convert them to text, "
        "numbers or booleans."
    )
