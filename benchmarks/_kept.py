"""Runs of the comparison study on disk: a line of CSV each, small enough to be committed.

`TABLE.csv` has the runs on a table, sorted, and `TABLE.names` the names of its encoded columns, one
a line. The columns that a run selected are bits in the order of these names, in base64; names are
only ever added at the end. Of the best score so far, the values after 1, 2, 4, 8, ... evaluations
are kept. A run that failed has its reason instead of results.

`code` names what decides a run's result: the method, the evaluator, and scikit-learn. The golden
results of the tests stand for the method, and the revisions of the engines for the evaluator: both
change with every change that is meant to change results. Runs with another code than today's are
not counted, and are replaced when the study is run again.
"""

from __future__ import annotations

import base64
import csv
import fcntl
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nffs import Selector, make_connections
from nffs.atomic import write_text

Run = dict[str, Any]

#: The models that score every selection, as `nffs.validation.compare` names them.
MODELS = ("forest", "boosting", "logistic")

_FIELDS = (
    "budget", "seed", "method", "code", "score", "unseen",
    *MODELS, *(f"{model} all" for model in MODELS),
    "n_columns", "n_features", "features", "evaluations", "seconds", "curve", "failed",
)  # fmt: skip

_GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "results.json"


@dataclass(frozen=True)
class KeptRuns:
    """The runs of a folder, made with one evaluator."""

    folder: Path
    evaluation: Mapping[str, Any]

    def runs(self, table: str) -> list[Run]:
        """Give all runs on a table, those of other code and those that failed included."""
        file = self.folder / f"{table}.csv"
        if not file.exists():
            return []
        names = self._names(table)
        with file.open(encoding="utf-8", newline="") as lines:
            return [_run(line, names) for line in csv.DictReader(lines)]

    def todays(self, table: str) -> list[Run]:
        """Give the runs on a table that today's code would repeat."""
        return [run for run in self.runs(table) if self.is_todays(run)]

    def n_columns(self, table: str) -> int:
        """Give the encoded columns of a table, or 0 if no run told."""
        return max((run.get("n_columns", 0) for run in self.runs(table)), default=0)

    def is_todays(self, run: Run) -> bool:
        """Say whether a run was made by the code of today, or by code with the same results."""
        return bool(run["code"] == self.code(run["method"]))

    def code(self, method: str) -> str:
        """Name what decides the results of a method, in a few characters."""
        return code_of(method, json.dumps(self.evaluation, sort_keys=True))

    def add(self, table: str, budget: int, n_columns: int, run: Run) -> None:
        """Keep a run; it replaces an older one of the same method, budget and seed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        names = self._names(table)
        new = [name for name in run["features"] if name not in set(names)]
        if new:
            names += new
            write_text(self.folder / f"{table}.names", "".join(f"{name}\n" for name in names))
        kept = {_place(old): old for old in self.runs(table)}
        made = {**run, "budget": budget, "n_columns": n_columns, "code": self.code(run["method"])}
        kept[_place(made)] = made
        text = io.StringIO()
        lines = csv.DictWriter(text, _FIELDS, lineterminator="\n")
        lines.writeheader()
        lines.writerows(_line(kept[place], names) for place in sorted(kept))
        write_text(self.folder / f"{table}.csv", text.getvalue())

    def add_failed(self, table: str, budget: int, seed: int, method: str, why: str) -> None:
        """Keep why a run failed: it is not tried again by the same code."""
        run = {"method": method, "seed": seed, "failed": " ".join(why.split()), "features": []}
        self.add(table, budget, 0, run)

    @contextmanager
    def held(self, table: str) -> Iterator[bool]:
        """Hold the lock of a table; say whether it could be had. A killed process lets go of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f".{table}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def _names(self, table: str) -> list[str]:
        file = self.folder / f"{table}.names"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@cache
def code_of(method: str, evaluation: str) -> str:
    """Name the results of a method under an evaluator, given as JSON."""
    golden = json.loads(_GOLDEN.read_text(encoding="utf-8"))[f"method {method}"]
    made = make_connections(60)
    selector = Selector("all", **json.loads(evaluation))
    engine = selector.evaluation(made.data, made.target).engine.identity()
    decided = [golden, engine, json.loads(evaluation), version("scikit-learn")]
    text = json.dumps(decided, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def points(last: int) -> np.ndarray:
    """Give the numbers of evaluations after which the best score so far is kept.

    >>> points(10).tolist()
    [1, 2, 4, 8, 10]
    """
    return np.unique([*(2**i for i in range(int(last).bit_length())), last])


def _place(run: Run) -> tuple[int, int, str]:
    return run["budget"], run["seed"], run["method"]


def _line(run: Run, names: list[str]) -> dict[str, Any]:
    """Write a run as text, with six digits of every score."""
    first = {name: run[name] for name in ("budget", "seed", "method", "code")}
    if run.get("failed"):
        return {**first, "failed": run["failed"]}
    models = run["models"]
    return {
        **first,
        **{name: f"{run[name]:.6g}" for name in ("score", "unseen")},
        **{model: f"{models[model]['selected']:.6g}" for model in MODELS},
        **{f"{model} all": f"{models[model]['all_features']:.6g}" for model in MODELS},
        **{name: run[name] for name in ("n_columns", "n_features", "evaluations")},
        "features": _bits(run["features"], names),
        "seconds": f"{run['seconds']:.3g}",
        "curve": " ".join(f"{value:.4g}" for value in _thinned(run["curve"], run["evaluations"])),
    }


def _run(line: Mapping[str, str], names: list[str]) -> Run:
    """Read a run; a curve again has the evaluations and the best score after them."""
    run: Run = {
        "budget": int(line["budget"]),
        "seed": int(line["seed"]),
        "method": line["method"],
        "code": line["code"],
    }
    if line["failed"]:
        return {**run, "failed": line["failed"], "features": []}
    score, unseen = float(line["score"]), float(line["unseen"])
    evaluations = int(line["evaluations"])
    best = map(float, line["curve"].split())
    return {
        **run,
        "score": score,
        "unseen": unseen,
        "optimism": score - unseen,
        "models": {
            model: {"selected": float(line[model]), "all_features": float(line[f"{model} all"])}
            for model in MODELS
        },
        "n_columns": int(line["n_columns"]),
        "n_features": int(line["n_features"]),
        "features": _selected(line["features"], names),
        "evaluations": evaluations,
        "seconds": float(line["seconds"]),
        "curve": [[int(n), b] for n, b in zip(points(evaluations), best, strict=True)],
    }


def _thinned(curve: Iterable[Iterable[float]], evaluations: int) -> list[float]:
    """Give the best score so far after some numbers of evaluations, from where it rose."""
    rises, values = np.transpose([list(rise) for rise in curve])
    found = values[np.searchsorted(rises, points(evaluations), side="right") - 1]
    return [float(value) for value in found]


def _bits(features: Iterable[str], names: list[str]) -> str:
    chosen = set(features)
    bits = np.packbits([name in chosen for name in names])
    return base64.b64encode(bits.tobytes().rstrip(b"\0")).decode()


def _selected(bits: str, names: list[str]) -> list[str]:
    mask = np.unpackbits(np.frombuffer(base64.b64decode(bits), dtype=np.uint8))
    return [name for name, bit in zip(names, mask, strict=False) if bit]
