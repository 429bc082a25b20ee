"""The result of every case, in a file from which a stopped run can be continued."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _common import progress


@dataclass
class Outcome:
    """What one case tried, and what did not hold."""

    tried: int = 1
    faults: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


class Record:
    """The outcomes so far; without a file they are forgotten in the end.

    Every case is drawn from its name, and from a seed where one is given.
    """

    def __init__(self, path: Path | None, seed: str = "") -> None:
        self._path = path
        self._seed = seed
        self._known: dict[str, Outcome] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                found = json.loads(line)
                key = found.pop("case")
                self._known[key] = Outcome(**found)

    def attack(
        self, name: str, cases: Sequence[Any], attempt: Callable[[Any, random.Random], Outcome]
    ) -> Outcome:
        """Try every case that is not known yet, and add up the outcomes of all."""
        total = Outcome(tried=0)
        for case in progress(cases, len(cases), name) if cases else ():
            key = f"{name} {case} {self._seed}".strip()
            if key not in self._known:
                self._keep(key, attempt(case, random.Random(key)))
            outcome = self._known[key]
            total.tried += outcome.tried
            total.faults += [f"{key}: {fault}" for fault in outcome.faults]
            total.counts = dict(Counter(total.counts) + Counter(outcome.counts))
        return total

    def _keep(self, key: str, outcome: Outcome) -> None:
        self._known[key] = outcome
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"case": key, **vars(outcome)}) + "\n")
