"""The results of a comparison on disk, one file for every method and seed, so that none is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nffs.errors import InputError, quoted

_ABOUT = "comparison.json"


class Kept:
    """A folder of results that belong to one comparison.

    Parameters
    ----------
    folder : path or None
        Made if it does not exist. None keeps nothing.
    about : mapping
        What the results depend on, item by item. A folder made for anything else is refused.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, about: Mapping[str, str]) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is None:
            return
        if self._folder.is_file():
            raise InputError(f"keep: {self._folder} is a file; name a folder.")
        self._folder.mkdir(parents=True, exist_ok=True)
        known = _read(self._folder / _ABOUT)
        if known is None:
            if any(self._folder.iterdir()):
                raise InputError(
                    f"keep: {self._folder} holds files but no {_ABOUT}; name an empty or a new "
                    "folder."
                )
            _write(self._folder / _ABOUT, about)
        elif known != about:
            items = [name for name in {**known, **about} if known.get(name) != about.get(name)]
            raise InputError(
                f"keep: {self._folder} holds the results of another comparison (it differs in "
                f"{quoted(items)}); name another folder."
            )

    def find(self, method: str, seed: int) -> dict[str, Any] | None:
        """Give a result that is there."""
        return None if self._folder is None else _read(self._path(method, seed))

    def keep(self, method: str, seed: int, result: Mapping[str, Any]) -> None:
        """Write a result, whole or not at all."""
        if self._folder is not None:
            _write(self._path(method, seed), result)

    def _path(self, method: str, seed: int) -> Path:
        assert self._folder is not None
        return self._folder / f"{method}-{seed}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"keep: {path} is damaged ({error}); delete that file.") from error
    return dict(found)


def _write(path: Path, result: Mapping[str, Any]) -> None:
    # One writer for one name: processes that share a folder do not write to one temporary file.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
