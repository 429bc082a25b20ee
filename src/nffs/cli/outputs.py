"""Files that a command writes: refused before the work, and not lost if they fail after it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from nffs.atomic import check_replaceable, write_text
from nffs.errors import InputError

#: What SQLite keeps next to a journal has its name and these endings.
_BESIDE = ("-wal", "-shm")


def check_outputs(outputs: Mapping[str, Path | None], reads: Iterable[Path | None] = ()) -> None:
    """Refuse outputs that could not be written in the end, or that would destroy something.

    Parameters
    ----------
    outputs : mapping of str to path
        Files to write, by the options that name them; None for one that was not asked for.
    reads : iterable of paths
        Files that the command reads or keeps, which no output may replace.
    """
    taken: dict[str, str] = {}
    for read in filter(None, reads):
        taken |= {_real(read) + ending: f"a file of the journal {read}" for ending in _BESIDE}
        taken[_real(read)] = f"the same file as {read}, which is read"
    for option, path in outputs.items():
        if path is None:
            continue
        _refuse_what_is_no_file(path, option)
        _refuse_what_is_printed_to(path, option)
        real = _real(path)
        if real in taken:
            raise InputError(f"{option}: {path} is {taken[real]}; name another file.")
        taken[real] = f"the file of {option}"
        try:
            check_replaceable(path)
        except OSError as error:
            raise InputError(
                f"{option}: {path} cannot be written ({error.strerror}); name another file."
            ) from error


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _refuse_what_is_no_file(path: Path, option: str) -> None:
    if path == Path("-"):
        raise InputError(f"{option}: - is not a file; name one, or print the result with --json.")
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder; name a file.")
    folder = Path(_real(path)).parent if path.is_symlink() else path.parent
    try:
        mode = path.stat().st_mode  # of what a symlink names
    except OSError:
        if not folder.is_dir():
            raise InputError(
                f"{option}: the folder {folder} does not exist; make it first."
            ) from None
        return
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"
        raise InputError(f"{option}: {path} is {kind}; name a file. --json prints to stdout.")


def _refuse_what_is_printed_to(path: Path, option: str) -> None:
    """Refuse the file that stdout or stderr goes to: replacing it would lose what is printed."""
    for number in (1, 2):
        try:
            same = os.path.samestat(path.stat(), os.fstat(number))
        except OSError:
            continue
        if same:
            raise InputError(
                f"{option}: {path} is the file that is printed to; name another file, or print the "
                "result with --json."
            )


def save(path: Path, text: str, option: str) -> str:
    """Write a result; where that fails after all, write it to another folder.

    Gives what to tell the user then; nothing if all went well.
    """
    try:
        write_text(path, text)
    except OSError as error:
        return f"{option}: {path} cannot be written ({error.strerror}); {rescue(path.name, text)}"
    return ""


def rescue(name: str, text: str) -> str:
    """Write a result where it can be written, and say where that is."""
    for folder in (tempfile.gettempdir(), Path.cwd(), Path.home()):
        try:
            path = Path(tempfile.mkdtemp(prefix="nffs-", dir=folder)) / name
            write_text(path, text)
        except OSError:
            continue
        return f"it was saved as {path} instead."
    return "nor could it be saved in another folder."
