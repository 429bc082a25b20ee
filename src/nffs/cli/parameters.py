"""Options that belong together, as a dataclass that a command takes as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any, get_type_hints


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options, and groups of groups.

    Every field of a parameter that is a dataclass becomes an option of its own.
    """

    def run(**given: Any) -> None:
        _call(command, given)

    run.__name__, run.__doc__ = command.__name__, flowing(command.__doc__ or "")
    run.__signature__ = inspect.Signature(list(_options_of(command)))  # type: ignore[attr-defined]
    return run


def flowing(text: str) -> str:
    r"""Give a docstring whose paragraphs fill the lines of any terminal.

    Indented paragraphs are examples: each keeps its line, and none is empty between them.

    >>> print(flowing("Do it.\n\n    With\n    care.\n\n      nffs a\n\n      nffs b"))
    Do it.
    <BLANKLINE>
    With care.
    <BLANKLINE>
      nffs a
      nffs b
    """
    said = ""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        example = paragraph.startswith(" ")
        after = "\n" if example and said.rpartition("\n")[2].startswith(" ") else "\n\n"
        said += (after if said else "") + (paragraph if example else " ".join(paragraph.split()))
    return said


def _options_of(called: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(called)
    for name, parameter in inspect.signature(called).parameters.items():
        if is_dataclass(hints[name]):
            yield from _options_of(hints[name])
        else:
            # By name only: an option that must be given may then follow one that need not.
            yield parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[name])


def _call(called: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    kinds = get_type_hints(called)
    names = inspect.signature(called).parameters
    groups = {name: _call(kinds[name], given) for name in names if is_dataclass(kinds[name])}
    return called(**{name: groups.get(name, given.get(name)) for name in names})
