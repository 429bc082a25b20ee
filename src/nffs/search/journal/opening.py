"""Opening a journal's file: to write it, to look at it, and what is said when that fails."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from nffs.errors import InputError, JournalError
from nffs.search.journal.schema import refuse_foreign

#: Seconds to wait for another process that is writing.
_PATIENCE = 30.0

#: What holds for every error that says nothing of damage.
_KEEP = "nothing committed is lost. Run the same command again to continue."

#: What to do, by the kind of SQLite's error. Only a journal that is damaged is to be given up.
_REMEDIES = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and run the same command again to "
    "continue.",
    sqlite3.SQLITE_IOERR: "the disk, or a quota on it, prevents reading or writing ({name}); check "
    f"space, quota and the health of the disk; {_KEEP}",
    sqlite3.SQLITE_READONLY: "the file or its folder cannot be written; make it writable, or "
    "choose another place.",
    sqlite3.SQLITE_PERM: "permission denied; ask for access, or choose another place.",
    sqlite3.SQLITE_BUSY: f"another process held it for more than {_PATIENCE:.0f} s; wait for it or "
    "stop it, then run the same command again.",
    sqlite3.SQLITE_NOTADB: "this is not a journal; choose another file.",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; move it away and start again.",
    # what is asked is always the same, so the tables are not what they were
    sqlite3.SQLITE_ERROR: "the file is damaged, its tables are not those of a journal; move it "
    "away and start again.",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; does its folder exist, and may you write there?",
}
_REMEDIES[sqlite3.SQLITE_LOCKED] = _REMEDIES[sqlite3.SQLITE_BUSY]


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a journal into a sentence with a remedy."""
    try:
        yield
    except InputError:
        raise
    except sqlite3.Error as error:
        raise JournalError(f"journal: {path}: {_remedy(error)}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(
            f"journal: {path} is damaged ({error}); move it away and start again."
        ) from error


def _remedy(error: sqlite3.Error) -> str:
    # the first byte of SQLite's code is the kind of error
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    remedy = _REMEDIES.get(kind)
    if remedy is None:
        return f"{error}; {_KEEP}"
    return remedy.format(name=getattr(error, "sqlite_errorname", error))


def check_folder(path: Path) -> None:
    """Refuse a path that no file can stand at."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"journal: the folder {folder} does not exist; make it first.")
    if path.is_dir():
        raise InputError(f"journal: {path} is a folder; name a file in it.")
    if path.exists() and not path.is_file():
        raise InputError(f"journal: {path} is a pipe, device or socket; name a file.")


def connect(path: Path) -> sqlite3.Connection:
    """Open the file to write it, making it if it does not exist; one of others is left alone."""
    connection = _opened(str(path))
    try:
        refuse_foreign(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # A process may die at any moment without harm; a machine that loses power may lose the
        # last few evaluations, never the file.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _opened(where: str, *, uri: bool = False) -> sqlite3.Connection:
    # autocommit off: `with connection` is one transaction
    connection = sqlite3.connect(where, timeout=_PATIENCE, check_same_thread=False, uri=uri)
    # a damaged text is no text, but it must not hide the rows that are intact
    connection.text_factory = lambda content: content.decode(errors="replace")
    return connection


def files_of(path: Path) -> list[Path]:
    """Name the files of a journal: its own, and those that SQLite keeps next to it."""
    return [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]


@contextmanager
def looking(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file to read it, so that neither it nor its folder is changed.

    What a search has written lately is in a file beside the journal, which SQLite reads through a
    third one. Where there is nothing of it, the file alone is read, without a lock. Where the third
    file is not there, or cannot be used, SQLite would make one: then a copy is read.
    """
    path = path.resolve()
    _, lately, through = files_of(path)
    before = _state(path, lately)
    n_lately = before[1][1]
    where = shared = f"{path.as_uri()}?mode=ro"
    try:
        with ExitStack() as stack:
            if n_lately == 0:
                where += "&immutable=1"
            elif not (through.is_file() and _is_readable(where)):
                folder = Path(stack.enter_context(TemporaryDirectory(prefix="nffs-")))
                for file in (path, lately):
                    shutil.copyfile(file, folder / file.name)
                where = (folder / path.name).as_uri()
            yield stack.enter_context(closing(_opened(where, uri=True)))
    except (sqlite3.Error, FileNotFoundError) as error:
        if where == shared or _state(path, lately) == before:
            raise
        raise JournalError(
            f"journal: a search began to write {path} while it was read; try again."
        ) from error


def _state(*paths: Path) -> list[tuple[int, int]]:
    """Tell when files were changed and how long they are; nothing of those that are not there."""
    found = []
    for path in paths:
        try:
            stat = path.stat()
        except FileNotFoundError:
            found.append((0, 0))
        else:
            found.append((stat.st_mtime_ns, stat.st_size))
    return found


def _is_readable(where: str) -> bool:
    """Tell whether SQLite can open all files of a journal."""
    with closing(_opened(where, uri=True)) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                return False
            raise
    return True
