"""Results on disk, one file each: what was computed before a stop is not computed again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nffs.atomic import write_text
from nffs.errors import InputError, quoted

Result = dict[str, Any]
Where = str | os.PathLike[str] | None

#: A folder, or what gives one for the identity of some work; None keeps nothing.
Keep = Where | Callable[[Mapping[str, str]], Where]

#: Says what the results of a folder belong to.
IDENTITY = "identity.json"


class KeptResults:
    """A folder of results that belong to one piece of work, and to no other; None keeps nothing.

    The identity is everything that the results depend on, item by item: a folder that was made for
    another one is refused. `what` names the work in messages.
    """

    def __init__(self, keep: Keep, identity: Mapping[str, str], what: str) -> None:
        folder = keep(identity) if callable(keep) else keep
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            _claim(self._folder, dict(identity), what)

    def once(
        self, name: str, compute: Callable[[], Result], on_found: Callable[[Result], object]
    ) -> Result:
        """Give a result that was kept, once `on_found` has seen it, or compute it and keep it."""
        result = self.find(name)
        if result is None:
            result = compute()
            self.keep(name, result)
        else:
            on_found(result)
        return result

    def find(self, name: str) -> Result | None:
        """Give a result that was kept, or None."""
        return None if self._folder is None else _read(self._folder / f"{name}.json")

    def keep(self, name: str, result: Result) -> None:
        """Keep a result, whole or not at all."""
        if self._folder is not None:
            _write(self._folder / f"{name}.json", result)


def digest_of(identity: Mapping[str, str]) -> str:
    """Name an identity in a few characters, for a folder's name.

    >>> digest_of({"rows": "3", "seed": "0"}) == digest_of({"seed": "0", "rows": "3"})
    True
    """
    text = json.dumps(dict(identity), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def _claim(folder: Path, identity: dict[str, str], what: str) -> None:
    """Make the folder that of this work, or refuse it."""
    if folder.is_file():
        raise InputError(f"{folder}: is a file; name a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    known = _read(folder / IDENTITY, "name another folder")
    if known is None:
        # Hidden ones are no results: what a killed process was writing, or a file manager's own.
        if any(not path.name.startswith(".") for path in folder.iterdir()):
            raise InputError(
                f"{folder}: holds files but no {IDENTITY}, so what they belong to is not known "
                "(earlier versions of nffs did not say); name a new folder, or delete this one."
            )
        _write(folder / IDENTITY, identity)
    elif known != identity:
        items = [name for name in {**known, **identity} if known.get(name) != identity.get(name)]
        raise InputError(
            f"{folder}: holds the results of another {what} (it differs in {quoted(items)}); name "
            "another folder."
        )


def _read(path: Path, remedy: str = "delete that file") -> Result | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is damaged ({error}); {remedy}.") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: is damaged (it holds no result); {remedy}.")
    return found


def _write(path: Path, result: Result) -> None:
    write_text(path, json.dumps(result, indent=1) + "\n")
