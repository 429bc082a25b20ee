"""Selections whose values are changed, dropped or moved, or whose bytes are flipped, and then used.

Whatever the file contains, it must be used, or refused with a sentence that names it; never with a
traceback.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from sklearn.naive_bayes import GaussianNB

from _faults.commands import fault_of, nffs
from _faults.record import Outcome
from nffs import NFFS, Selector, make_connections

#: What may stand where something else should.
_JUNK: tuple[Any, ...] = (
    None, True, 0, -1, 10**9, 0.5, float("nan"), float("inf"), "", "x", "\x1b[31m", "9" * 400,
    [], {}, [None], [[1]], {"a": 1}, [0.1, 0.2], ["a", "b"],
)  # fmt: skip


class Selections:
    """Some selections of all kinds, and a table that they belong to."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        table = make_connections(150)
        self._n_rows = len(table.target)
        self._table = folder / "table.csv"
        table.frame().write_csv(self._table)
        how = {"estimator": GaussianNB(), "random_state": 0}
        selectors = [
            NFFS(n_subsets=8, n_nested=4, **how),
            NFFS(n_subsets=8, n_nested=4, choose="method", unit="column", **how),
            Selector("ga", max_evaluations=10, **how),
            Selector("mrmr", max_evaluations=6, param_groups=[{"n_estimators": 3}], random_state=0),
            NFFS(n_subsets=8, n_nested=4, categories="cluster", max_features=20, **how),
            Selector("guided", max_evaluations=8, categories="cluster", unit="column", **how),
        ]
        X, y = table.data, table.target
        self._texts = [selector.fit(X, y).selection_.to_json() for selector in selectors]

    def attempt(self, number: int, rng: random.Random) -> Outcome:
        """Tamper with one, then apply it, report it and pick from it."""
        path = self._folder / "selection.json"
        text = rng.choice(self._texts)
        if rng.random() < 0.2:
            content = bytearray(text.encode())
            for _ in range(rng.choice([1, 3])):
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            if rng.random() < 0.3:
                del content[rng.randrange(len(content)) :]
            path.write_bytes(content)
        else:
            document = json.loads(text)
            for _ in range(rng.choice([1, 1, 2, 4])):
                _tamper(document, rng)
            path.write_text(json.dumps(document))
        outcome = Outcome()
        out = self._folder / "reduced.csv"
        out.unlink(missing_ok=True)
        done = nffs("transform", self._table, "--selection", path, "--out", out)
        outcome.faults += [f"transform: {fault}" for fault in fault_of(done)]
        outcome.counts["used" if done.exit_code == 0 else "refused"] = 1
        done = nffs("report", path, "--out", self._folder / "page.html")
        outcome.faults += [f"report: {fault}" for fault in fault_of(done)]
        for asked in ((), ("--at-most", 3)):
            done = nffs("pick", path, *asked)
            outcome.faults += [f"pick: {fault}" for fault in fault_of(done)]
        return outcome


def _tamper(document: Any, rng: random.Random) -> None:
    """Change one thing somewhere in a document."""
    holder, key = rng.choice(list(_places(document)) or [(document, None)])
    if key is None:
        return
    kind = rng.choice(["junk", "junk", "drop", "rename", "repeat", "swap"])
    if kind == "junk":
        holder[key] = rng.choice(_JUNK)
    elif kind == "drop":
        del holder[key]
    elif kind == "rename" and isinstance(holder, dict):
        holder[f"{key}_"] = holder.pop(key)
    elif kind == "repeat" and isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        other_holder, other = rng.choice(list(_places(document)))
        holder[key] = json.loads(json.dumps(other_holder[other]))


def _places(value: Any) -> Any:
    """Give every place of a document: what holds it, and under which key."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from _places(item)
