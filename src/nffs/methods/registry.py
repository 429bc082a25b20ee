"""All methods by name, found in the files beside this one."""

from __future__ import annotations

import importlib
import pkgutil
from inspect import isabstract
from pathlib import Path

from nffs.errors import InputError, instead
from nffs.search.method import Method


def _found() -> dict[str, type[Method]]:
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name != "registry":
            importlib.import_module(f"nffs.methods.{module.name}")
    found: dict[str, type[Method]] = {}
    waiting: list[type[Method]] = list(Method.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if not isabstract(kind) and kind.__module__.startswith("nffs.methods."):
            found[kind.name] = kind
    # The paper's first, no selection last, the others by name.
    return dict(
        sorted(found.items(), key=lambda item: (item[0] != "nffs", item[0] == "all", item[0]))
    )


#: Every method by its name: call it to make one with its default parameters, ``METHODS["pso"]()``;
#: its `description` is one line and its `source` says who published it.
METHODS: dict[str, type[Method]] = _found()


def method_of(method: str | Method) -> Method:
    """Give a method by its name, by ``package.module:Class``, or the one that was given."""
    if isinstance(method, Method):
        return method
    if method in METHODS:
        return METHODS[method]()
    if ":" in method:
        return _imported(method)
    listed = instead(method, METHODS, "there are", len(METHODS))
    raise InputError(f"method: {method!r} is not a method{listed}")


def _imported(path: str) -> Method:
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"method: {path!r} cannot be imported ({error}).") from error
    if not (isinstance(found, type) and issubclass(found, Method)):
        raise InputError(f"method: {path!r} is not a subclass of nffs.methods.Method.")
    return found()
