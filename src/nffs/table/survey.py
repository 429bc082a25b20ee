"""What one pass over all rows sees of every raw column."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nffs.table.dates import PARTS, part_of
from nffs.table.reading import Kind, RawColumn, RowSource


@dataclass
class Seen:
    """A raw column: how often each category, or the range of the numbers, and its contents."""

    name: str
    kind: Kind
    counts: Counter[str | None] = field(default_factory=Counter)
    low: float = np.inf
    high: float = -np.inf
    # Of dates, the smallest and the largest of every part
    parts: dict[str, tuple[float, float]] = field(default_factory=dict)
    gaps: bool = False  # whether numbers are missing
    _contents: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))
    _gaps: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))

    @property
    def contents(self) -> bytes:
        """The same for two columns of the same values, 0/1 and booleans being the same."""
        return bytes(self._contents.digest())

    @property
    def gap_rows(self) -> bytes:
        """The same for two columns whose numbers are missing in the same rows."""
        return bytes(self._gaps.digest())

    @property
    def constant(self) -> bool:
        """Whether it has one value only; what is missing among numbers is another."""
        if self.kind == "categorical":
            return len(self.counts) == 1
        if self.kind == "datetime":
            return not self.varying_parts and not self.gaps
        return self.low > self.high or (self.low == self.high and not self.gaps)

    @property
    def most_frequent(self) -> list[str | None]:
        """The categories, the most frequent first; of equals by name, a missing one first."""
        return sorted(self.counts, key=lambda c: (-self.counts[c], c is not None, c or ""))

    @property
    def varying_parts(self) -> list[str]:
        """The parts of dates that are not the same in all rows."""
        return [part for part, (low, high) in self.parts.items() if low < high]

    def add(self, raw: RawColumn) -> None:
        """Look at some rows."""
        if raw.kind == "categorical":
            values = raw.values.tolist()
            self.counts.update(values)
            self._contents.update(repr(values).encode())
            return
        missing = raw.missing
        self.gaps |= bool(missing.any())
        self._gaps.update(missing.tobytes())
        if raw.kind == "datetime":
            self._contents.update(raw.values.tobytes())
            for part in PARTS:
                numbers = part_of(raw.values, part)
                low, high = self.parts.get(part, (np.inf, -np.inf))
                self.parts[part] = (
                    min(low, float(np.fmin.reduce(numbers))),
                    max(high, float(np.fmax.reduce(numbers))),
                )
            return
        numbers = np.where(missing, np.nan, raw.values).astype(np.float64)
        self.low = min(self.low, float(np.fmin.reduce(numbers)))
        self.high = max(self.high, float(np.fmax.reduce(numbers)))
        self._contents.update((numbers + 0.0).tobytes())  # -0.0 is the same value as 0.0


def survey(rows: RowSource) -> list[Seen]:
    """Look through all rows."""
    found: dict[str, Seen] = {}
    for block in rows.blocks("their categories"):
        for raw in block.columns:
            found.setdefault(raw.name, Seen(raw.name, raw.kind)).add(raw)
    return list(found.values())
