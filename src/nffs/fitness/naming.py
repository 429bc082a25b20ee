"""Names for what a user gives: two objects have one name only if they compute the same.

A journal outlives the process that made it, so an object in memory is no name, and neither is a
`repr`: scikit-learn cuts it, and it leaves out what a scorer calls. A name is made of what the
object consists of: class and parameters of an estimator, function and arguments of a scorer, arrays
by a digest. Classes and functions go by their module and name, with the version of their package;
those that belong to no package, lambdas and local ones among them, by a digest of their code and of
what it refers to.
"""

from __future__ import annotations

import copyreg
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import packages_distributions, version
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from nffs._version import __version__
from nffs.errors import InputError
from nffs.fitness.identity import DECIDING

#: Types whose `repr` says all.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), np.generic, np.dtype)

#: What Python puts into every class, and what `abc` does.
_OF_EVERY_CLASS = {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__",
                   "__static_attributes__", "__annotations__", "__abstractmethods__", "_abc_impl",
                   "__parameters__", "__orig_bases__"}  # fmt: skip


class Unnamed(Exception):  # noqa: N818  (it says what was met)
    """Raised inside: an object that consists of nothing that could be named."""


def name_of(value: Any, argument: str) -> str:
    """Name an object by what decides what it computes.

    Parameters
    ----------
    value : object
        An estimator, a scorer, parameters.
    argument : str
        What the user calls it, for the message if it cannot be named.
    """
    try:
        return _Namer().name(value)
    except (Unnamed, RecursionError) as error:
        raise InputError(
            f"{argument}: cannot be identified in a journal or a folder of results "
            f"({str(error)[:200]}); write it as a function or class of a module, with plain "
            "values as parameters, or save nothing."
        ) from error


class _Namer:
    """Names one object and all it consists of; what is met inside itself is named by its depth."""

    def __init__(self) -> None:
        self._inside: list[int] = []
        self._code_names: dict[FunctionType | type, str] = {}
        self._frozen = 0

    def name(self, value: Any) -> str:
        if isinstance(value, _PLAIN):
            return repr(value)
        if id(value) in self._inside:
            return f"<{len(self._inside) - self._inside.index(id(value))} up>"
        self._inside.append(id(value))
        try:
            return self._made(value)
        finally:
            self._inside.pop()

    def _made(self, value: Any) -> str:
        for kinds, namer in _NAMERS:
            if isinstance(value, kinds):
                return namer(self, value)
        if hasattr(value, "get_params"):
            return self._estimator(value)
        if hasattr(value, "py_func"):
            return f"compiled {self.name(value.py_func)}"  # by numba
        return self._object(value)

    def _sequence(self, value: Sequence[Any]) -> str:
        opening, closing = "()" if isinstance(value, tuple) else "[]"
        return opening + ", ".join(map(self.name, value)) + closing

    def _set(self, value: Iterable[Any]) -> str:
        return "{" + ", ".join(sorted(map(self.name, value))) + "}"

    def _mapping(self, value: Mapping[Any, Any]) -> str:
        items = sorted((self.name(key), self.name(item)) for key, item in value.items())
        return "{" + ", ".join(f"{key}: {item}" for key, item in items) + "}"

    def _array(self, value: Any) -> str:
        if value.dtype.hasobject:
            return f"array {self.name(value.tolist())}"
        content = np.ascontiguousarray(value).tobytes()
        return f"array {value.dtype.str} {value.shape} {_digest(content)}"

    def _module(self, value: ModuleType) -> str:
        return f"module {value.__name__}{_package(value.__name__) or ''}"

    def _partial(self, value: Any) -> str:
        return f"partial({self.name([value.func, value.args, value.keywords])})"

    def _method(self, value: MethodType) -> str:
        return f"{self.name(value.__self__)}.{value.__name__}"

    def _builtin(self, value: Any) -> str:
        if value.__self__ is None or isinstance(value.__self__, ModuleType):
            return f"{value.__module__}.{value.__qualname__}"
        return self._method(value)

    def _function(self, value: FunctionType) -> str:
        return self._by_code(value, self._function_code)

    def _class(self, value: type) -> str:
        return self._by_code(value, self._class_code)

    def _by_code(self, value: Any, code: Callable[[Any], str]) -> str:
        """Name a function or class of a package by its name, any other by a digest of its code."""
        # made by `exec`, it may be of no module at all
        name, package = f"{value.__module__}.{value.__qualname__}", _package(str(value.__module__))
        if package is not None and _is_importable(value):
            return f"{name}{package}"
        if value not in self._code_names:
            self._code_names[value] = f"{name} ({_digest(code(value).encode())})"
        return self._code_names[value]

    def _function_code(self, value: FunctionType) -> str:
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        own = self.name([value.__defaults__, value.__kwdefaults__, cells])
        means = {key: self._around(value.__globals__[key]) for key in _globals(value)}
        return f"{self._code(value.__code__)} {own} {means}"

    def _class_code(self, value: type) -> str:
        members = {k: v for k, v in vars(value).items() if k not in _OF_EVERY_CLASS}
        inner = {key: self._around(members[key]) for key in sorted(members)}
        return f"{self.name(value.__bases__)} {inner}"

    def _code(self, code: CodeType) -> str:
        inner = [self._code(c) if isinstance(c, CodeType) else self.name(c) for c in code.co_consts]
        parts = (code.co_code, code.co_names, code.co_varnames, code.co_flags, inner)
        return repr((*parts, code.co_exceptiontable))

    def _around(self, value: Any) -> str:
        """Name what code refers to, by its class alone if there is no better name."""
        try:
            return self.name(value)
        except Unnamed:
            return type(value).__qualname__

    def _member(self, value: Any) -> str:
        parts = ("__func__", "fget", "fset", "fdel")
        return self.name([getattr(value, part, None) for part in parts])

    def _estimator(self, value: Any) -> str:
        usual = BaseEstimator.__sklearn_clone__
        if self._frozen or getattr(type(value), "__sklearn_clone__", usual) is not usual:
            # `clone` gives it as it is, and all inside it: what it has learned counts
            self._frozen += 1
            try:
                return self._object(value)
            finally:
                self._frozen -= 1
        params = value.get_params(deep=False)
        named = (f"{key}={self.name(params[key])}" for key in sorted(params))
        return f"{self.name(type(value))}({', '.join(named)})"

    def _object(self, value: Any) -> str:
        """Name anything else by what pickling it would keep."""
        try:
            registered = copyreg.dispatch_table.get(type(value))
            made = value.__reduce_ex__(2) if registered is None else registered(value)
        except Exception as error:  # whatever a class of someone else's raises
            raise Unnamed(f"{type(value).__qualname__}: {error}") from error
        if isinstance(made, str):
            return f"{type(value).__module__}.{made}"
        # class, arguments, state; then items of a list and of a dict, if it is one
        call, arguments, state, items, pairs = (*made, None, None, None)[:5]
        if getattr(call, "__name__", "") == "__newobj__":
            call, *arguments = arguments
        parts = [*arguments, state, items and list(items), pairs and list(pairs)]
        return f"{self.name(call)}{self.name([part for part in parts if part is not None])}"


_NAMERS: list[tuple[Any, Callable[[_Namer, Any], str]]] = [
    ((list, tuple), _Namer._sequence),
    ((set, frozenset), _Namer._set),
    (dict, _Namer._mapping),
    (np.ndarray, _Namer._array),
    (type, _Namer._class),
    (FunctionType, _Namer._function),
    (MethodType, _Namer._method),
    (BuiltinFunctionType, _Namer._builtin),
    ((staticmethod, classmethod, property), _Namer._member),
    (partial, _Namer._partial),
    (ModuleType, _Namer._module),
]


def _is_importable(value: Any) -> bool:
    """Tell whether the object is what its module has under its name."""
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a variable that has no value yet
        return False


def _globals(function: FunctionType) -> list[str]:
    """List the names outside a function that its code, and code inside it, refers to."""
    names: set[str] = set()
    left = [function.__code__]
    while left:
        code = left.pop()
        names.update(code.co_names)
        left += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return sorted(names & function.__globals__.keys())


@cache
def _package(module: str) -> str | None:
    """Say which version a module is of, unless every identity does; None if it is of no package."""
    root = module.partition(".")[0]
    if root == "nffs":
        return f" of nffs {__version__}"
    if root in sys.stdlib_module_names and root != "__main__":
        return ""
    found = _distributions().get(root, ())
    return next(("" if p in DECIDING else f" of {p} {version(p)}" for p in found), None)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()
