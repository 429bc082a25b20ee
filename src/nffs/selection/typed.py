"""From JSON to dataclasses: every value is checked against the type that its field declares."""

from __future__ import annotations

import json
import math
import re
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from nffs.errors import InputError

_NAMES = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}

#: Numbers beyond it are none that a search gives, and charts cannot be scaled to them.
_LARGEST = 1e150
#: Halves of characters, which JSON can spell and no file can hold.
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(data: bytes) -> Any:
    """Read JSON strictly: numbers and text that no JSON file should have are refused."""
    try:
        found = json.loads(data.decode("utf-8"), parse_constant=_finite, parse_float=_finite)
        if _HALVES.search(data):
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})") from error
    return found


def _finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise ValueError(f"{text} is no number")
    return float(text)


def parse(kind: Any, value: Any, key: str = "") -> Any:
    """Turn a value read from JSON into a type; `key` says where it stands, for the message.

    The type is a dataclass, ``tuple[X, ...]``, ``dict[str, X]``, a union, a `Literal` or a plain
    one. Fields of dataclasses that have a default may be missing; other keys are ignored.

    >>> parse(tuple[float, ...], [1, 2.5])
    (1.0, 2.5)
    >>> parse(dict[str, tuple[int, ...]], {"a": [1, "2"]})
    Traceback (most recent call last):
    nffs.errors.InputError: has '2' at 'a[1]' where a whole number is expected
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any or (value is None and NoneType in inner):
        return value
    if origin in (Union, UnionType):
        *others, last = (option for option in inner if option is not NoneType)
        return value if type(value) in others else parse(last, value, key)
    if origin is Literal:
        _check(value in inner, value, key, " or ".join(map(repr, inner)))
        return value
    if is_dataclass(kind):
        return _parse_record(kind, value, key)
    if origin is tuple:
        _check(isinstance(value, list), value, key, "a list")
        return tuple(parse(inner[0], item, f"{key}[{i}]") for i, item in enumerate(value))
    if origin is dict:
        _check(isinstance(value, dict), value, key, "an object")
        return {name: parse(inner[1], item, _below(key, name)) for name, item in value.items()}
    fits = type(value) is kind or (kind is float and type(value) is int)
    _check(fits, value, key, _NAMES[kind])
    if kind in (int, float):
        _check(abs(value) <= _LARGEST, value, key, "a number of usual size")
    return kind(value)


def _parse_record(kind: Any, value: Any, key: str) -> Any:
    _check(isinstance(value, dict), value, key, "an object")
    hints, given = _hints(kind), {}
    for field in fields(kind):
        where = _below(key, field.name)
        if field.name in value:
            given[field.name] = parse(hints[field.name], value[field.name], where)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"lacks {where!r}")
    return kind(**given)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _below(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _check(fits: bool, value: Any, key: str, expected: str) -> None:
    if not fits:
        raise _mismatch(value, key, expected)


def _mismatch(value: Any, key: str, expected: str) -> InputError:
    if isinstance(value, list | dict):
        found = "a list" if isinstance(value, list) else "an object"
    else:
        found = repr(value) if isinstance(value, str) else json.dumps(value)
        found = found if len(found) <= 40 else f"{found[:39]}…"
    place = f" at {key!r}" if key else ""
    return InputError(f"has {found}{place} where {expected} is expected")
