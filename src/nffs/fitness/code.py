"""What the code of a function refers to: names outside it, and modules that it imports itself."""

from __future__ import annotations

import dis
import importlib
from collections.abc import Iterator
from importlib.util import resolve_name
from types import CodeType, FunctionType, ModuleType


def names_in(function: FunctionType) -> set[str]:
    """Give the names of variables outside a function, and of attributes, that its code has."""
    return {name for code in _codes(function) for name in code.co_names}


def imported_by(function: FunctionType) -> list[str]:
    """Name the modules that code inside a function imports."""
    found = set()
    for code in _codes(function):
        steps = list(dis.get_instructions(code))
        for place, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                # before it stand how many packages to go up, and what is taken from the module
                level = steps[place - 2].argval if place > 1 else 0
                dots = "." * level if isinstance(level, int) else ""
                package = function.__globals__.get("__package__") or ""
                if not dots or package:
                    found.add(resolve_name(f"{dots}{step.argval}", package))
    return sorted(found)


def imported(name: str) -> ModuleType | None:
    """Import a module, as the code that refers to it will do; None if that fails."""
    try:
        return importlib.import_module(name)
    except Exception:  # whatever importing raises; the code may expect it
        return None


def _codes(function: FunctionType) -> Iterator[CodeType]:
    """Give the code of a function, and of all that is defined inside it."""
    left = [function.__code__]
    while left:
        code = left.pop()
        yield code
        left += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
