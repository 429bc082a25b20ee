"""The GPU engines: batches of subsets in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness.evaluator import (
    Mask,
    Masks,
    Memory,
    Shape,
    SplitScorer,
    Weighed,
    WeighingScorer,
)
from nffs.fitness.forest.engine import (
    ColumnForests,
    ComponentForests,
    ForestEngine,
    forest_memory,
)
from nffs.fitness.forest.groups import Plan
from nffs.fitness.gpu.columns import Columns, StandardisedColumns
from nffs.fitness.gpu.device import Device, find_device
from nffs.fitness.gpu.forests import Totals, grow, list_words
from nffs.fitness.indicators import f_score
from nffs.fitness.scoring import Scoring
from nffs.fitness.splits import Split, SplitRows
from nffs.table.target import Labels

#: Raised when a change of the kernels changes any bit of a score, so that no journal mixes the two.
REVISION = 2

#: Subsets that are evaluated together: enough trees to keep a large GPU busy for some rounds.
BATCH = 64

#: Bytes of a pooled column for every training and every evaluation row: its values and bins.
_TRAIN_CELL, _EVALUATED_CELL = 5, 4

#: Bytes that finding equal rows takes for each: a hash, a table of up to four places, the result.
_MERGED_ROW = 8 + 4 * 12 + 4

#: Of the memory that is free, the share for the columns of some subsets, and of what is left then
#: the share for lists.
_FOR_COLUMNS, _FOR_LISTS = 0.5, 0.8

#: What is asked for beside what is counted: small arrays, and gaps of the pool.
_MARGIN = 1.1

#: Bytes of this machine for every evaluation row and group of a subset's predictions.
_PREDICTED = 64

#: Bytes of a cell of a matrix of columns by columns: two of doubles, and the axes.
_SQUARE_CELL = 20


@dataclass(frozen=True)
class GpuComponents(ComponentForests):
    """Forests on principal components of the standardised columns, on a GPU."""

    device: Device = field(default_factory=lambda: find_device())

    batch: ClassVar[int] = BATCH

    def identity(self) -> dict[str, str]:
        """Name groups, scorer and components, and that a GPU evaluates."""
        return {**super().identity(), "engine": f"gpu forest {REVISION}"}

    def memory(self, shape: Shape) -> Memory:
        """Bound the memory of this machine: the GPU's is checked when a split is prepared."""
        return _memory(shape, len(self.groups))

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Bring a split to the GPU, with means, scales and correlations."""
        columns = Later(
            self.device, partial(StandardisedColumns, self.device, rows, split, self.pca)
        )
        return GpuScorer(**_scored_by(self, rows, split), columns=columns)


@dataclass(frozen=True)
class GpuColumns(ColumnForests):
    """Forests on the columns themselves, on a GPU; the CPU weighs columns."""

    device: Device = field(default_factory=lambda: find_device())

    batch: ClassVar[int] = BATCH

    def identity(self) -> dict[str, str]:
        """Name groups and scorer, and that a GPU evaluates."""
        weighing = super().identity()["engine"]
        return {**super().identity(), "engine": f"gpu forest {REVISION}", "weighing": weighing}

    def memory(self, shape: Shape) -> Memory:
        """Bound the memory of this machine: the GPU's is checked when a split is prepared."""
        binned = forest_memory(shape)
        scoring = _memory(shape, len(self.groups))
        return replace(scoring, split=binned.split, weighed=binned.weighed)

    def prepare(self, rows: SplitRows, split: Split) -> SplitScorer:
        """Bring a split to the GPU; what weighs columns is prepared when it is asked for."""
        return GpuColumnScorer(
            **_scored_by(self, rows, split),
            columns=Later(self.device, partial(Columns, self.device, rows, split)),
            weighing=Later(self.device, partial(ForestEngine.prepare, self, rows, split)),
        )


def _scored_by(engine: GpuComponents | GpuColumns, rows: SplitRows, split: Split) -> dict[str, Any]:
    """Give what scorers of either engine have in common."""
    target = rows.target
    assert isinstance(target, Labels)  # see `refusal`
    return {
        "device": engine.device,
        "plan": Plan(engine.resolved),
        "scoring": engine.scoring,
        "evaluation": target.take(split.evaluation),
        "evaluation_weights": rows.evaluation_weights(split),
    }


def _memory(shape: Shape, n_groups: int) -> Memory:
    return Memory(
        once=4 * shape.n_rows * shape.n_columns,
        split=0,
        subset=_PREDICTED * shape.n_evaluation * n_groups,
    )


class Later:
    """What is prepared when it is first asked for, once, whichever thread asks first.

    Parameters
    ----------
    device : Device
        Held meanwhile.
    prepare : callable
        Prepares it.
    """

    def __init__(self, device: Device, prepare: Callable[[], Any]) -> None:
        self._device, self._prepare = device, prepare
        self._prepared: Any = None

    @property
    def value(self) -> Any:
        """What was prepared."""
        with self._device.lock:
            if self._prepared is None:
                self._prepared = self._prepare()
                self._device.wait()
            return self._prepared


@dataclass(frozen=True)
class GpuScorer:
    """Scores subsets of columns on one split."""

    device: Device
    plan: Plan
    scoring: Scoring
    columns: Later  # of `Columns`
    evaluation: Labels
    evaluation_weights: NDArray[np.float64] | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Grow one forest for every subset and score every parameter group."""
        parts = self._parts(columns)
        return np.concatenate([self._scores(columns[part], seeds[part]) for part in parts])

    def probabilities(self, columns: Masks, seeds: Sequence[int]) -> list[NDArray[np.float64]]:
        """Give class probabilities of the evaluation rows by subset: groups, rows, classes."""
        with self.device.lock:
            totals = self.grown(columns, seeds)
            return [totals.probabilities(number) for number in range(len(seeds))]

    def grown(self, columns: Masks, seeds: Sequence[int]) -> Totals:
        """Grow one forest for every subset, all at a time."""
        own = self.columns.value
        pool = own.presented(columns)
        most = int(_FOR_LISTS * self.device.free_memory())
        return grow(self.device, pool, own.n, own.n_evaluated, own.labels, self.plan, seeds, most)

    def _parts(self, columns: Masks) -> list[slice]:
        """Cut a batch where its columns would take too much memory."""
        with self.device.lock:
            own, most = self.columns.value, _FOR_COLUMNS * self.device.free_memory()
        parts, start, held = [], 0, 0
        for number, size in enumerate(columns.sum(axis=1)):
            need = subset_bytes(own.n, own.n_evaluated, int(size), len(self.plan.sizes))
            if number > start and held + need > most:
                parts.append(slice(start, number))
                start, held = number, 0
            held += need
        return [*parts, slice(start, len(columns))]

    def _scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Score some subsets; what the CPU does of it holds no other thread up."""
        weights, labels = self.evaluation_weights, self.evaluation
        device, lock = self.device, self.device.lock
        with lock:
            totals = self.grown(columns, seeds)
            if self.scoring.plain == "f_score" and weights is None:
                counts = totals.confusion(device.put(labels.codes.astype(np.uint8)))
                return np.array([[f_score(group) for group in subset] for subset in counts])
        scores = []
        for number in range(len(seeds)):
            with lock:
                predicted = totals.probabilities(number)
            scores.append([self.scoring.of_probabilities(p, labels, weights) for p in predicted])
        return np.array(scores)


@dataclass(frozen=True)
class GpuColumnScorer(GpuScorer):
    """Scores subsets of columns on one split; the CPU weighs the columns."""

    weighing: Later

    def weighed(self, columns: Mask, seed: int) -> Weighed:
        """Score one subset and weigh its columns by what their splits do for the forest."""
        scorer: WeighingScorer = self.weighing.value
        return scorer.weighed(columns, seed)


def subset_bytes(n: int, n_evaluated: int, n_columns: int, n_groups: int) -> int:
    """Bound the bytes of the device that evaluating a subset takes, beside a block's lists."""
    cells = n_columns * (_TRAIN_CELL * n + _EVALUATED_CELL * n_evaluated)
    merging = _MERGED_ROW * (n + n_evaluated)
    return cells + _SQUARE_CELL * n_columns**2 + merging + 8 * n_groups * n_evaluated


def gpu_bytes(rows: SplitRows, n_groups: int) -> int:
    """Bound the bytes of the device that evaluating takes, one subset of all columns at a time."""
    d, need, working = rows.matrix.shape[1], 0, 4 * rows.matrix.size
    for split in rows.splits:
        n, n_evaluated = len(split.train), len(split.evaluation)
        need += _TRAIN_CELL * n * d + _EVALUATED_CELL * n_evaluated * d + 8 * d**2 + n
        one = subset_bytes(n, n_evaluated, d, n_groups) + 4 * list_words(n, n_evaluated)
        working = max(working, one)
    return int(_MARGIN * (need + working))
