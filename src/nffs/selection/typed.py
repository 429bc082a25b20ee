"""From JSON to dataclasses: every value is checked against the type that its field declares."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_NAMES = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
_NAMES |= {NoneType: "null", tuple: "a list", dict: "an object"}


class MismatchError(ValueError):
    """A document is not what it should be; the message names the key and what was found."""


def read_json(text: str) -> Any:
    """Read JSON text strictly: numbers that no JSON file should have are refused."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise MismatchError(f"is not JSON ({error})") from error


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    value = float(text)
    return value if abs(value) != float("inf") else _refuse(text)


def parse(kind: Any, value: Any, key: str = "") -> Any:
    """Turn a value read from JSON into a type.

    Parameters
    ----------
    kind : type
        A dataclass, ``tuple[X, ...]``, ``dict[str, X]``, a union, a `Literal` or a plain type.
        Fields of dataclasses that have a default may be missing; keys without a field are ignored.
    value : JSON-like
        What was read.
    key : str
        Where it stands in the document, for the message.

    Examples
    --------
    >>> parse(tuple[float, ...], [1, 2.5])
    (1.0, 2.5)
    >>> parse(dict[str, tuple[int, ...]], {"a": [1, "2"]})
    Traceback (most recent call last):
    nffs.selection.typed.MismatchError: has '2' at 'a[1]' where a whole number is expected
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, UnionType):
        return _parse_union(inner, value, key)
    if origin is Literal:
        if value not in inner:
            raise _mismatch(value, key, " or ".join(map(repr, inner)))
        return value
    if is_dataclass(kind):
        return _parse_record(kind, value, key)
    if origin is tuple:
        _check(isinstance(value, list), value, key, tuple)
        return tuple(parse(inner[0], item, f"{key}[{i}]") for i, item in enumerate(value))
    if origin is dict:
        _check(isinstance(value, dict), value, key, dict)
        return {name: parse(inner[1], item, _below(key, name)) for name, item in value.items()}
    allowed = (int, float) if kind is float else kind
    is_bool = isinstance(value, bool)
    _check(isinstance(value, allowed) and (kind is bool or not is_bool), value, key, kind)
    try:
        return kind(value)
    except OverflowError:
        raise _mismatch(value, key, "a number of usual size") from None


def _parse_union(options: tuple[Any, ...], value: Any, key: str) -> Any:
    if value is None and NoneType in options:
        return None
    left = [option for option in options if option is not NoneType]
    for option in left[:-1]:
        if type(value) is option:
            return value
    return parse(left[-1], value, key)


def _parse_record(kind: Any, value: Any, key: str) -> Any:
    _check(isinstance(value, dict), value, key, dict)
    hints, given = _hints(kind), {}
    for field in fields(kind):
        where = _below(key, field.name)
        if field.name in value:
            given[field.name] = parse(hints[field.name], value[field.name], where)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise MismatchError(f"lacks {where!r}")
    return kind(**given)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _below(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _check(fits: bool, value: Any, key: str, kind: Any) -> None:
    if not fits:
        raise _mismatch(value, key, _NAMES[kind])


def _mismatch(value: Any, key: str, expected: str) -> MismatchError:
    if isinstance(value, list | dict):
        found = "a list" if isinstance(value, list) else "an object"
    else:
        found = repr(value) if isinstance(value, str) else json.dumps(value)
        found = found if len(found) <= 40 else f"{found[:39]}…"
    place = f" at {key!r}" if key else ""
    return MismatchError(f"has {found}{place} where {expected} is expected")
