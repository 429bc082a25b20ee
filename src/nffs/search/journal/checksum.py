"""Checksums: a row, or what a journal belongs to, is what was written, or it is not believed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

#: What of a row the checksum covers: all of it.
COLUMNS = "mask, run, n_features, value, splits, scores, seconds, worker, finished"


def checksum_of(*row: Any) -> bytes:
    """Give the checksum of values as SQLite gives them back."""
    return hashlib.blake2b(repr(row).encode(), digest_size=16).digest()


def _first_checksum_of(*row: Any) -> bytes:
    """Give the checksum that journals of the first two schemas have: of mask and scores alone."""
    mask, scores = row[0], row[5]
    return hashlib.blake2b(mask + b"\0" + scores, digest_size=16).digest()


def is_intact(row: Sequence[Any], checksum: Any, schema: int) -> bool:
    """Tell whether a row is what was written."""
    try:
        return bool(checksum == (checksum_of if schema >= 3 else _first_checksum_of)(*row))
    except TypeError:  # of another type than it was
        return False
