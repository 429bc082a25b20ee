"""Writing files whole or not at all: a reader sees the old content or the new, never a part."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a file to write in place of another, which it replaces once it is whole.

    Where writing fails, or is interrupted, the old file stays as it was and nothing is left beside
    it. A symlink stays one: the file that it names is replaced. Pipes and devices cannot be
    replaced and are written to directly. What is given is an empty file in the same folder, with
    the same ending, that nobody else writes to.
    """
    given, target = Path(path), Path(os.path.realpath(path))
    if given.exists() and not given.is_file():
        yield given
        return
    temporary = _make_beside(path, target)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())  # or a machine that stops may keep the name and not the bytes
        temporary.replace(target)
    except OSError as error:
        if error.filename not in (None, str(temporary)):
            raise
        # What was written to does not say its name, or that of the file beside it.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise what writing to a path would raise, before there is anything to write."""
    _make_beside(path, Path(os.path.realpath(path))).unlink()


def _make_beside(path: str | os.PathLike[str], target: Path) -> Path:
    """Make an empty file in the folder of a target; errors name the path that the user gave."""
    # Hidden, short whatever the name's length, and with the ending by which writers tell formats.
    beside = f".{target.stem[:40]}.{os.getpid()}-{secrets.token_hex(4)}{target.suffix}"
    temporary = target.with_name(beside)
    try:
        # Not tempfile: its files are for their owner alone, where a new file follows the umask.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    return temporary
