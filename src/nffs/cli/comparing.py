"""What a comparison says while it works: the plan, a line for every run, what is done so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

from nffs.cli.printable import on_one_line
from nffs.errors import InputError

#: Where runs are kept if nothing else is said; every comparison has a folder of its own in it.
FOLDER = "nffs-comparison"

Run = Mapping[str, Any]


@dataclass
class Runs:
    """The runs of a comparison: those to do, those done, and the folder that keeps them."""

    methods: Sequence[str]
    seeds: Sequence[int]
    budget: int
    say: Callable[[str], object]  # what to do with notes
    keep: Callable[[str], Path | None]  # gives the folder for a digest of the comparison
    done: list[Run] = field(default_factory=list)
    folder: Path | None = None
    positive: str | None = None
    _before: set[tuple[str, int]] = field(default_factory=set)

    @property
    def total(self) -> int:
        """How many runs there are."""
        return len(self.methods) * len(self.seeds)

    def folder_for(self, identity: Mapping[str, str]) -> Path | None:
        """Give the folder of a comparison by its identity, and say what is about to be done."""
        from nffs.table.target import positive_in
        from nffs.validation.kept import digest_of

        self.say(
            f"comparing {_number(len(self.methods), 'method')} ({', '.join(self.methods)}) over "
            f"{_number(len(self.seeds), 'seed')}: {_number(self.total, 'run')} of at most "
            f"{_number(self.budget, 'evaluation')}, {self.total * self.budget:,} in all"
        )
        self.positive = positive_in(identity["target"])
        self.folder = self.keep(digest_of(identity))
        if self.folder is None:
            self.say("runs are not saved (--no-keep): a stopped comparison starts over")
            return None
        self._before = self._found(self.folder)
        there = f"; {len(self._before)} of them are done already" if self._before else ""
        self.say(f"runs are saved in {self.folder}{there}")
        return self.folder

    def finish(self, run: Run) -> None:
        """Count a run, and print its result unless it was there before."""
        self.done.append(run)
        if (run["method"], run["seed"]) not in self._before:
            self.say(
                f"run {len(self.done)} of {self.total}: {run['method']}, seed {run['seed']}: "
                f"{run['unseen']:.4f} on unseen rows, {_number(run['n_features'], 'feature')}, "
                f"{run['seconds']:.1f} s{self._left()}"
            )

    def so_far(self) -> Iterator[str]:
        """Give the mean results of the finished runs of every method."""
        yield f"{len(self.done)} of {_number(self.total, 'run')} are done; means of those:\n"
        yield f"  {'method':<17} {'runs':>4} {'unseen':>6} {'score':>6} {'size':>5} {'s':>6}"
        for name in self.methods:
            mine = [run for run in self.done if run["method"] == name]
            if mine:
                measured = ("unseen", "score", "n_features", "seconds")
                unseen, score, size, seconds = (mean(run[m] for run in mine) for m in measured)
                yield (
                    f"  {name:<17} {len(mine):>4} {unseen:>6.4f} {score:>6.4f} {size:>5.1f} "
                    f"{seconds:>6.1f}"
                )
        if self.positive is not None:
            yield f"\npositive label: {on_one_line(self.positive)}"

    def how_to_go_on(self) -> str:
        """Say where the finished runs are, and how to continue."""
        if not self.done:
            return "no run was finished"
        if self.folder is None:
            return "finished runs were not saved (--no-keep); the same command starts over"
        return f"finished runs are in {self.folder}; run the same command to continue"

    def _found(self, folder: Path) -> set[tuple[str, int]]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files = {path.name for path in folder.iterdir()}
        except OSError as error:
            raise InputError(
                f"--keep: the folder {folder} cannot be used ({error.strerror}); name another one, "
                "or keep nothing with --no-keep."
            ) from error
        runs = product(self.methods, self.seeds)
        return {(name, seed) for name, seed in runs if f"{name}-{seed}.json" in files}

    def _left(self) -> str:
        """Estimate the time left: a method takes as long as before, a new one as the others."""
        from nffs.report.progress import duration

        taken: dict[str, list[float]] = {}
        for run in self.done:
            taken.setdefault(run["method"], []).append(run["seconds"])
        finished = {(run["method"], run["seed"]) for run in self.done}
        missing = [r for r in product(self.methods, self.seeds) if r not in finished | self._before]
        others = mean(mean(seconds) for seconds in taken.values())
        seconds = sum(mean(taken[name]) if name in taken else others for name, _ in missing)
        return f"; roughly {duration(seconds)} left" if missing else ""


def _number(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
