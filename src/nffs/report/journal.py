"""What a journal can tell: its evaluations, features, runs and identity. It holds no selection."""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from nffs.report.names import Names, clipped, clipped_pairs
from nffs.report.series import spread_of, subsets_of
from nffs.report.tables import MOST_LISTED, MOST_ROWS
from nffs.search.journal import file as journal_file
from nffs.search.journal import schema as journal_schema
from nffs.table.target import positive_in

#: Bounds that keep the file small: best subsets, runs.
MOST_BEST, MOST_RUNS = 10, 50


def summarize_journal(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Gather what the report of a journal, which may be in use, shows: plain and bounded data."""
    with journal_file.reading(path) as connection:
        about, runs = journal_schema.about(connection), journal_file.runs(connection)
        names = [str(name) for name in about["features"]]
        tally = _Tally(len(names))
        n_final = 0
        for entry in journal_file.entries(connection):
            if entry.stage == journal_file.SEARCH:
                tally.add(entry)
            else:
                n_final += 1
    identity = about["identity"]
    positive = positive_in(identity.get("target", ""))
    # of a scorer of the user's own, all that it consists of comes after its name
    named = str(identity.get("scoring", "fitness")).partition(" = ")[0]
    scoring = clipped(named.strip("'\""), 24)
    best, count = tally.best(), len(tally.values)
    common: dict[str, Any] = {"scoring": scoring, "all_features": tally.everything}
    return {
        "title": f"{count:,} {'evaluation' if count == 1 else 'evaluations'} of a search over "
        f"{len(names):,} features",
        "file": clipped(Path(path).name),
        "status": runs[-1].status if runs else "never run",
        "scoring": scoring,
        "evaluated_on": clipped(identity.get("evaluated_on", "not known"), 300),
        "positive": clipped(positive) if positive else None,
        "n_evaluations": count,
        "n_final": n_final,
        "n_damaged": sum(run.evaluations for run in runs) - count - n_final,
        "seconds_of_work": tally.seconds,
        "n_features": len(names),
        "all_features": tally.everything,
        "best": [_subset(value, mask, names) for value, mask in best],
        "subsets": subsets_of(
            tally.sizes,
            tally.values,
            chosen=(sum(best[0][1]), best[0][0]) if best else None,
            **common,
        ),
        "spread": spread_of(
            [("evaluated", tally.values)], chosen=best[0][0] if best else None, **common
        ),
        "features": _rows(tally, best[0][1] if best else b"", names),
        "runs": [
            {
                "number": run.number,
                "started": _when(run.started),
                "finished": None if run.finished is None else _when(run.finished),
                "status": clipped(run.status),
                "evaluations": run.evaluations,
                "host": clipped(run.host),
                "versions": clipped(", ".join(f"{k} {v}" for k, v in run.versions.items()), 200),
            }
            for run in runs[-MOST_RUNS:]
        ],
        "n_more_runs": max(0, len(runs) - MOST_RUNS),
        "identity": clipped_pairs(identity, 300),
        "parameters": clipped_pairs(runs[-1].parameters, 500) if runs else {},
    }


class _Tally:
    """Counts evaluations one by one; a journal may hold more of them than fit in memory."""

    def __init__(self, n_features: int) -> None:
        self.values: list[float] = []
        self.sizes: list[int] = []
        self.seconds = 0.0
        self.everything: float | None = None
        self.times = np.zeros(n_features, dtype=np.int64)
        self.total = np.zeros(n_features)
        self._best: list[tuple[float, int, bytes]] = []

    def add(self, entry: journal_file.Entry) -> None:
        mask, value = np.frombuffer(entry.mask, dtype=np.bool_), entry.fitness.value
        size = int(mask.sum())
        self.values.append(value)
        self.sizes.append(size)
        self.seconds += entry.seconds
        self.times += mask
        self.total += value * mask
        if size == len(mask):
            self.everything = value
        # Of equals the one with fewer features.
        heapq.heappush(self._best, (value, -size, entry.mask))
        if len(self._best) > MOST_BEST:
            heapq.heappop(self._best)

    def best(self) -> list[tuple[float, bytes]]:
        return [(value, mask) for value, _, mask in sorted(self._best, reverse=True)]


def _subset(value: float, mask: bytes, names: Sequence[str]) -> dict[str, Any]:
    chosen = [name for name, kept in zip(names, mask, strict=True) if kept]
    return {
        "fitness": value,
        "size": len(chosen),
        "names": [clipped(name, 40) for name in chosen[:MOST_LISTED]],
        "n_more": max(0, len(chosen) - MOST_LISTED),
    }


def _rows(tally: _Tally, best: bytes, names: Sequence[str]) -> dict[str, Any]:
    count, total = len(tally.values), sum(tally.values)
    with np.errstate(invalid="ignore", divide="ignore"):
        with_it = tally.total / tally.times
        without = (total - tally.total) / (count - tally.times)
    difference = with_it - without
    in_best = np.frombuffer(best, dtype=np.bool_) if best else np.zeros(len(names), dtype=np.bool_)
    order = np.lexsort((-np.nan_to_num(difference), ~in_best))
    shown = Names()
    return {
        "rows": [
            {
                "name": shown(names[i]),
                "times": int(tally.times[i]),
                "with": _number(with_it[i]),
                "without": _number(without[i]),
                "difference": _number(difference[i]),
                "in_best": bool(in_best[i]),
            }
            for i in order[:MOST_ROWS]
        ],
        "n_more": max(0, len(names) - MOST_ROWS),
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
