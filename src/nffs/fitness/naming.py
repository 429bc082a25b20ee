"""Names for what a user gives: two objects have one name only if they compute the same.

A journal outlives the process that made it, so an object in memory is no name, and neither is a
`repr`: scikit-learn cuts it, and it leaves out what a scorer calls. A name is made of what the
object consists of: class and parameters of an estimator, function and arguments of a scorer, arrays
by a digest. Classes and functions go by their module and name, with the version of their package;
those that belong to no package, lambdas and local ones among them, by a digest of their code and of
what it refers to. What cannot be named so, such as a lock, makes all that holds it nameless, unless
its user has named it: with an attribute `__nffs_name__`.
"""

from __future__ import annotations

import copyreg
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from importlib.metadata import packages_distributions, version
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from nffs._version import __version__
from nffs.errors import InputError
from nffs.fitness.code import imported, imported_by, names_in
from nffs.fitness.identity import DECIDING

#: Types whose `repr` says all; that of a class derived from them need not.
_PLAIN = {type(None), bool, int, float, complex, str, bytes, type(Ellipsis)}
_NUMPYS = (np.generic, np.dtype)

#: The attribute by which a user names what cannot be named otherwise.
_GIVEN = "__nffs_name__"

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
            f"({str(error)[:200]}); set {_GIVEN} on it or on its class, to a text that you change "
            "whenever it computes something else, or save nothing."
        ) from error


class _Namer:
    """Names one object and all it consists of; what is met inside itself is named by its depth."""

    def __init__(self) -> None:
        self._inside: list[int] = []
        self._code_names: dict[Any, str] = {}
        self._frozen = 0

    def name(self, value: Any) -> str:
        if type(value) in _PLAIN or (isinstance(value, _NUMPYS) and _is_of_numpy(value)):
            return repr(value)
        if id(value) in self._inside:
            return f"<{len(self._inside) - self._inside.index(id(value))} up>"
        self._inside.append(id(value))
        try:
            return self._made(value)
        except Unnamed:
            given = getattr(value, _GIVEN, None)
            if not isinstance(given, str):
                raise
            return self._called(value, given)
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

    def _called(self, value: Any, given: str) -> str:
        """Name an object as its user does, and of an estimator what else can be named."""
        known = {}
        if hasattr(value, "get_params") and not isinstance(value, type):
            for key, item in value.get_params(deep=False).items():
                with suppress(Unnamed):
                    known[key] = self.name(item)
        kind = value if hasattr(value, "__qualname__") else type(value)
        return f"{kind.__module__}.{kind.__qualname__} called {given!r} {known or ''}"

    def _sequence(self, value: Sequence[Any]) -> str:
        if type(value) not in (list, tuple):
            return self._object(value)
        opening, closing = "()" if isinstance(value, tuple) else "[]"
        return opening + ", ".join(map(self.name, value)) + closing

    def _set(self, value: Iterable[Any]) -> str:
        return self._derived(value) + "{" + ", ".join(sorted(map(self.name, value))) + "}"

    def _mapping(self, value: Mapping[Any, Any]) -> str:
        items = sorted((self.name(key), self.name(item)) for key, item in value.items())
        named = "{" + ", ".join(f"{key}: {item}" for key, item in items) + "}"
        return self._derived(value) + named

    def _derived(self, value: Any) -> str:
        """Name class and attributes of a container that is not one of Python's own."""
        if type(value) in (set, frozenset, dict, MappingProxyType):
            return ""
        return self.name([type(value), getattr(value, "__dict__", {})])

    def _array(self, value: Any) -> str:
        if type(value) not in (np.ndarray, np.memmap):
            return self._object(value)
        if value.dtype.hasobject:
            return f"array {self.name(value.tolist())}"
        content = np.ascontiguousarray(value).tobytes()
        return f"array {value.dtype.str} {value.shape} {_digest(content)}"

    def _module(self, value: ModuleType, used: Iterable[str] | None = None) -> str:
        """Name a module with its version; one of no package by what is used of it."""
        name, package = value.__name__, _package(value.__name__)
        if package is not None:
            return f"module {name}{package}"
        members = vars(value)
        names = {key for key in members if not key.startswith("__")} if used is None else used
        return f"module {name} {self._outside(members, names)}"

    def _outside(self, members: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
        """Name what code refers to outside itself."""
        found, used = {}, set(names)
        for key in sorted(used & members.keys()):
            what = members[key]
            is_module = isinstance(what, ModuleType) and id(what) not in self._inside
            found[key] = self._inside_of(what, used) if is_module else self.name(what)
        return found

    def _inside_of(self, module: ModuleType, used: Iterable[str]) -> str:
        self._inside.append(id(module))
        try:
            return self._module(module, used)
        finally:
            self._inside.pop()

    def _partial(self, value: Any) -> str:
        return f"partial({self.name([value.func, value.args, value.keywords])})"

    def _method(self, value: MethodType) -> str:
        return f"{self.name(value.__self__)}.{value.__name__}"

    def _builtin(self, value: Any) -> str:
        if value.__self__ is not None and not isinstance(value.__self__, ModuleType):
            return self._method(value)
        package = _package(str(value.__module__))
        if package is None:
            raise Unnamed(f"{value.__module__}.{value.__qualname__}, which is of no package")
        return f"{value.__module__}.{value.__qualname__}{package}"

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

    def _cached(self, value: Any) -> str:
        return self._by_code(value, lambda cached: f"cached {self.name(cached.__wrapped__)}")

    def _function_code(self, value: FunctionType) -> str:
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        own = [value.__defaults__, value.__kwdefaults__, cells]
        if attributes := {k: v for k, v in vars(value).items() if k != _GIVEN}:
            own.append(attributes)
        used = names_in(value)
        means = self._outside(value.__globals__, used)
        means |= {name: self._import(name, used) for name in imported_by(value)}
        return f"{self._code(value.__code__)} {self.name(own)} {means}"

    def _import(self, name: str, used: Iterable[str]) -> str:
        """Name a module that code imports: it is not imported here if its package names it."""
        package = _package(name)
        if package is not None:
            return f"module {name}{package}"
        module = imported(name)
        return "nothing" if module is None else self._inside_of(module, used)

    def _class_code(self, value: type) -> str:
        members = {k: v for k, v in vars(value).items() if k not in _OF_EVERY_CLASS}
        inner = {key: self.name(members[key]) for key in sorted(members)}
        made_by = "" if type(value) is type else f"{self.name(type(value))} "
        return f"{made_by}{self.name(value.__bases__)} {inner}"

    def _code(self, code: CodeType) -> str:
        inner = [self._code(c) if isinstance(c, CodeType) else self.name(c) for c in code.co_consts]
        parts = (code.co_code, code.co_names, code.co_varnames, code.co_flags, inner)
        return repr((*parts, code.co_exceptiontable))

    def _member(self, value: Any) -> str:
        # "func" is of a cached property, which also holds a lock
        parts = ("__func__", "fget", "fset", "fdel", "func")
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
            return _of_package(value, made)
        # class, arguments, state; then items of a list and of a dict, if it is one
        call, arguments, state, items, pairs = (*made, None, None, None)[:5]
        if getattr(call, "__name__", "") == "__newobj__":
            call, *arguments = arguments
        parts = [*arguments, state, items and list(items), pairs and list(pairs)]
        return f"{self.name(call)}{self.name([part for part in parts if part is not None])}"


_NAMERS: list[tuple[Any, Callable[[_Namer, Any], str]]] = [
    ((list, tuple), _Namer._sequence),
    ((set, frozenset), _Namer._set),
    ((dict, MappingProxyType), _Namer._mapping),
    (np.ndarray, _Namer._array),
    (type, _Namer._class),
    (FunctionType, _Namer._function),
    (MethodType, _Namer._method),
    (BuiltinFunctionType, _Namer._builtin),
    ((staticmethod, classmethod, property, cached_property), _Namer._member),
    (type(lru_cache(len)), _Namer._cached),
    (partial, _Namer._partial),
    (ModuleType, _Namer._module),
]


def _is_of_numpy(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "numpy"


def _of_package(value: Any, name: str) -> str:
    """Name an object that a package has under its name, as functions written in C are."""
    module: str = pickle.whichmodule(value, name)  # type: ignore[attr-defined]
    package = _package(module)
    if package is None or _found(module, name) is not value:
        raise Unnamed(f"{name}, which is of no package")
    return f"{module}.{name}{package}"


def _is_importable(value: Any) -> bool:
    """Tell whether the object is what its module has under its name."""
    return _found(value.__module__, value.__qualname__) is value


def _found(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a variable that has no value yet
        return False


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
