"""A journal's tables: making them, bringing old ones up to date, refusing those of others."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nffs.errors import InputError
from nffs.search.journal.checksum import COLUMNS, checksum_of, is_intact

#: Of the tables below. A program refuses journals of a later one and brings earlier ones up to it.
SCHEMA = 4

#: Characters before the place where two long items of an identity begin to differ.
_AROUND = 60

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    finished REAL,
    status TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    parameters TEXT NOT NULL,
    versions TEXT NOT NULL,
    process TEXT NOT NULL
);
CREATE TABLE evaluation (
    mask BLOB PRIMARY KEY,
    run INTEGER NOT NULL,
    n_features INTEGER NOT NULL,
    value REAL NOT NULL,
    splits INTEGER NOT NULL,
    scores BLOB NOT NULL,
    seconds REAL NOT NULL,
    worker TEXT NOT NULL,
    finished REAL NOT NULL,
    checksum BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE claim (
    mask BLOB PRIMARY KEY,
    owner TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    expires REAL NOT NULL,
    process TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX evaluation_value ON evaluation (value);
"""

_FAILURE = """
CREATE TABLE failure (
    id INTEGER PRIMARY KEY,
    mask BLOB NOT NULL,
    run INTEGER NOT NULL,
    n_features INTEGER NOT NULL,
    reason TEXT NOT NULL,
    worker TEXT NOT NULL,
    failed REAL NOT NULL
);
"""

_PROCESS = """
ALTER TABLE run ADD COLUMN process TEXT NOT NULL DEFAULT '';
ALTER TABLE claim ADD COLUMN process TEXT NOT NULL DEFAULT '';
"""

#: What brings the tables of an earlier schema to the next one. Since the third one, numbers of
#: processes are not all, and checksums cover whole rows and what the journal belongs to.
_UPGRADES = {1: _FAILURE, 2: _PROCESS, 3: ""}

#: Items that the identity did not name before a schema.
_SINCE = {"scipy": 3, "vectors": 4}


def prepare(
    connection: sqlite3.Connection, path: Path, identity: Mapping[str, str], features: list[str]
) -> None:
    """Make the tables, or check that they are ours."""
    with connection:
        # Two processes may start at once: one makes the tables while the other waits.
        connection.execute("BEGIN IMMEDIATE")
        if not _has_tables(connection):
            _execute_all(connection, _TABLES + _FAILURE)
            _write_about(connection, identity, features)
            return
    schema = check_schema(connection, path)
    asked = {k: v for k, v in identity.items() if schema >= _SINCE.get(k, 0)}
    _check_identity(about(connection)["identity"], asked, path)
    if schema < SCHEMA:
        _upgrade(connection, identity, features)


def _write_about(
    connection: sqlite3.Connection, identity: Mapping[str, str], features: list[str]
) -> None:
    texts = json.dumps(dict(identity)), json.dumps(features)
    connection.executemany(
        "INSERT OR REPLACE INTO about VALUES (?, ?)",
        [
            ("schema", str(SCHEMA)),
            ("identity", texts[0]),
            ("features", texts[1]),
            ("checksum", checksum_of(*texts).hex()),
        ],
    )


def _upgrade(
    connection: sqlite3.Connection, identity: Mapping[str, str], features: list[str]
) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        schema = schema_of(connection) or SCHEMA
        if schema == SCHEMA:
            return  # another process has done it meanwhile
        for earlier in range(schema, SCHEMA):
            _execute_all(connection, _UPGRADES[earlier])
        rows = connection.execute(f"SELECT {COLUMNS}, checksum FROM evaluation").fetchall()
        connection.executemany(
            "UPDATE evaluation SET checksum = ? WHERE mask = ?",
            [
                (checksum_of(*row), row[0])
                for *row, checksum in rows
                if is_intact(row, checksum, schema)
            ],
        )
        _write_about(connection, identity, features)


def _execute_all(connection: sqlite3.Connection, statements: str) -> None:
    # one by one: `executescript` would commit what came before
    for statement in filter(None, statements.strip().split(";\n")):
        connection.execute(statement)


def _has_tables(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return bool(found)


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file with tables of someone else's, before anything in it is changed."""
    if _has_tables(connection):
        check_schema(connection, path)


def check_schema(connection: sqlite3.Connection, path: Path) -> int:
    """Give the schema of a journal; refuse a file that is none, or one of a later program."""
    schema = schema_of(connection)
    if schema is None:
        raise InputError(f"journal: {path} is an SQLite file, not a journal; choose another file.")
    if schema > SCHEMA:
        raise InputError(
            f"journal: {path} was written by a later nffs (schema {schema}, this one knows "
            f"{SCHEMA}); update nffs, or choose another file."
        )
    return schema


def schema_of(connection: sqlite3.Connection) -> int | None:
    """Read which tables a file has; None if they are not a journal's."""
    try:
        row = connection.execute("SELECT value FROM about WHERE key = 'schema'").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        return None
    return None if row is None else int(row[0])


def _check_identity(found: Mapping[str, str], asked: Mapping[str, str], path: Path) -> None:
    differing = [key for key in {**found, **asked} if found.get(key) != asked.get(key)]
    if differing:
        items = "; ".join(
            "{} was {}, is {}".format(
                key, *_shown(found.get(key, "not given"), asked.get(key, "not given"))
            )
            for key in differing
        )
        raise InputError(
            f"journal: {path} belongs to another search: {items}. Choose another file, or the same "
            "settings."
        )


def _shown(*texts: str) -> Iterator[str]:
    """Cut long texts to what is around their first difference."""
    most = 4 * _AROUND
    differ = (i for i, pair in enumerate(zip(*texts, strict=False)) if len(set(pair)) > 1)
    first = next(differ, min(map(len, texts)))
    begin = max(0, first - _AROUND) if max(map(len, texts)) > most else 0
    for text in texts:
        end = "..." if len(text) > begin + most else ""
        yield ("..." if begin else "") + text[begin : begin + most] + end


def about(connection: sqlite3.Connection) -> dict[str, Any]:
    """Read what a journal belongs to."""
    rows = dict(connection.execute("SELECT key, value FROM about"))
    # As text: a damaged file may have none there, which is no JSON either.
    identity, features = (str(rows[name]) for name in ("identity", "features"))
    if (schema_of(connection) or SCHEMA) >= 3 and (
        rows["checksum"] != checksum_of(identity, features).hex()
    ):
        raise ValueError("its identity is not what was written")
    found = {"identity": json.loads(identity), "features": json.loads(features)}
    if not isinstance(found["identity"], dict) or not isinstance(found["features"], list):
        raise ValueError("its identity cannot be read")
    return found
