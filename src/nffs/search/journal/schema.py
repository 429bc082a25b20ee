"""A journal's tables: making them, bringing old ones up to date, refusing those of others."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nffs.errors import InputError

#: Of the tables below. A program refuses journals of a later one and brings earlier ones up to it.
SCHEMA = 2

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
    versions TEXT NOT NULL
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
    expires REAL NOT NULL
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

#: What brings a journal of an earlier schema to the next one.
_UPGRADES = {1: _FAILURE}


def prepare(
    connection: sqlite3.Connection, path: Path, identity: Mapping[str, str], features: list[str]
) -> None:
    """Make the tables, or check that they are ours."""
    with connection:
        # Two processes may start at once: one makes the tables while the other waits.
        connection.execute("BEGIN IMMEDIATE")
        if not _has_tables(connection):
            _execute_all(connection, _TABLES + _FAILURE)
            connection.executemany(
                "INSERT INTO about VALUES (?, ?)",
                [
                    ("schema", str(SCHEMA)),
                    ("identity", json.dumps(dict(identity))),
                    ("features", json.dumps(features)),
                ],
            )
            return
    check_schema(connection, path)
    _check_identity(about(connection)["identity"], identity, path)
    _upgrade(connection)


def _upgrade(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for schema in range(schema_of(connection) or SCHEMA, SCHEMA):
            _execute_all(connection, _UPGRADES[schema])
            connection.execute(
                "UPDATE about SET value = ? WHERE key = 'schema'", (str(schema + 1),)
            )


def _execute_all(connection: sqlite3.Connection, statements: str) -> None:
    # one by one: `executescript` would commit what came before
    for statement in statements.strip().split(";\n"):
        connection.execute(statement)


def _has_tables(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return bool(found)


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is no journal, or one of a later program."""
    schema = schema_of(connection)
    if schema is None:
        raise InputError(f"journal: {path} is an SQLite file but no journal; choose another file.")
    if schema > SCHEMA:
        raise InputError(
            f"journal: {path} was written by a later nffs (schema {schema}, this one knows "
            f"{SCHEMA}); update nffs, or choose another file."
        )


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
            f"{key} was {found.get(key, 'not given')}, is {asked.get(key, 'not given')}"
            for key in differing
        )
        raise InputError(
            f"journal: {path} belongs to another search: {items}. Choose another file, or ask for "
            "the same."
        )


def about(connection: sqlite3.Connection) -> dict[str, Any]:
    """Read what a journal belongs to."""
    rows = dict(connection.execute("SELECT key, value FROM about"))
    # As text: a damaged file may have none there, which is no JSON either.
    return {name: json.loads(str(rows[name])) for name in ("identity", "features")}
