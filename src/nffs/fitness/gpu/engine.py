"""The GPU engines: batches of subsets in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
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
REVISION = 1

#: Subsets that are evaluated together: enough trees to keep a large GPU busy for some rounds.
BATCH = 64

#: Cells of a table from which engine="auto" takes a GPU if there is one: see `benchmarks/gpu.py`.
GAINS_FROM = 1_000_000

#: Rows that are tried, and columns for whose lists a block has room on all GPUs.
MOST_ROWS, MOST_COLUMNS = 1 << 26, 1500

#: Bytes of a pooled column for every training and every evaluation row: its values and bins.
_TRAIN_CELL, _EVALUATED_CELL = 5, 4

#: Bytes that finding equal rows takes for each: a hash, a table of up to four places, the result.
_MERGED_ROW = 8 + 4 * 12 + 4

#: Of the memory that is free, the share for the columns of some subsets; the rest is for lists.
_FOR_COLUMNS = 0.5

#: Bytes of a cell of a matrix of columns by columns: two of doubles, and the axes.
_SQUARE_CELL = 20


def refusal(rows: SplitRows) -> str:
    """Say why the GPU engine cannot evaluate some rows; nothing if it can."""
    target = rows.target
    if not isinstance(target, Labels):
        return "it does not predict numbers"
    if target.n_classes != 2:
        return f"it tells two classes apart, and y has {target.n_classes}"
    if rows.trains_weighted:
        return "it does not take weights of rows or classes"
    if len(rows.matrix) >= MOST_ROWS or rows.matrix.shape[1] > MOST_COLUMNS:
        n, d = rows.matrix.shape
        return f"it takes up to {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns, not {n:,} x {d:,}"
    return ""


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
        _check_memory(self.device, rows, split, len(self.groups))
        with self.device.lock:
            columns = StandardisedColumns(self.device, rows, split, self.pca)
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
        """Bring a split to the GPU, and bin its columns there."""
        _check_memory(self.device, rows, split, len(self.groups))
        with self.device.lock:
            columns = Columns(self.device, rows, split)
            return GpuColumnScorer(
                **_scored_by(self, rows, split),
                columns=columns,
                weighing=Later(partial(ForestEngine.prepare, self, rows, split)),
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
        subset=BATCH * 32 * shape.n_evaluation * n_groups,
    )


@dataclass(frozen=True)
class GpuScorer:
    """Scores subsets of columns on one split."""

    device: Device
    plan: Plan
    scoring: Scoring
    columns: Columns
    evaluation: Labels
    evaluation_weights: NDArray[np.float64] | None

    def scores(self, columns: Masks, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Grow one forest for every subset and score every parameter group."""
        with self.device.lock:
            half = self._half()
            return np.concatenate(
                [
                    self._scored(self.grown(columns[part], seeds[part], half))
                    for part in self._parts(columns, half)
                ]
            )

    def probabilities(self, columns: Masks, seeds: Sequence[int]) -> list[NDArray[np.float64]]:
        """Give class probabilities of the evaluation rows by subset: groups, rows, classes."""
        with self.device.lock:
            return self.grown(columns, seeds).probabilities()

    def grown(self, columns: Masks, seeds: Sequence[int], most_bytes: int | None = None) -> Totals:
        """Grow one forest for every subset, all at a time."""
        own, most = self.columns, self._half() if most_bytes is None else most_bytes
        pool = own.presented(columns)
        return grow(self.device, pool, own.n, own.n_evaluated, own.labels, self.plan, seeds, most)

    def _half(self) -> int:
        return int(_FOR_COLUMNS * self.device.free_memory())

    def _parts(self, columns: Masks, most_bytes: int) -> list[slice]:
        """Cut a batch where its columns would take too much memory."""
        own, parts, start, held = self.columns, [], 0, 0
        for number, size in enumerate(columns.sum(axis=1)):
            need = subset_bytes(own.n, own.n_evaluated, int(size), len(self.plan.sizes))
            if number > start and held + need > most_bytes:
                parts.append(slice(start, number))
                start, held = number, 0
            held += need
        return [*parts, slice(start, len(columns))]

    def _scored(self, totals: Totals) -> NDArray[np.float64]:
        if self.scoring.plain == "f_score" and self.evaluation_weights is None:
            labels = self.device.put(self.evaluation.codes.astype(np.uint8))
            counts = totals.confusion(labels)
            return np.array([[f_score(group) for group in subset] for subset in counts])
        weights, labels = self.evaluation_weights, self.evaluation
        return np.array(
            [
                [self.scoring.of_probabilities(p, labels, weights) for p in own]
                for own in totals.probabilities()
            ]
        )


class Later:
    """What is prepared when it is first asked for, once.

    Parameters
    ----------
    prepare : callable
        Prepares it.
    """

    def __init__(self, prepare: Callable[[], Any]) -> None:
        self._prepare = prepare

    @cached_property
    def value(self) -> Any:
        """What was prepared."""
        return self._prepare()


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


def _check_memory(device: Device, rows: SplitRows, split: Split, n_groups: int) -> None:
    """Refuse a table that does not fit on the device."""
    n, n_evaluated, d = len(split.train), len(split.evaluation), rows.matrix.shape[1]
    table = 4 * (n + n_evaluated) * d
    working = max(
        4 * rows.matrix.size,
        subset_bytes(n, n_evaluated, d, n_groups),
        4 * list_words(n, n_evaluated),
    )
    need, free = table + 24 * d**2 + 2 * working, device.free_memory()
    if need > free:
        raise InputError(
            f"engine: 'gpu' needs {need / 2**30:.1f} GiB of GPU memory for {n + n_evaluated:,} "
            f"rows and {d:,} encoded columns, and {free / 2**30:.1f} GiB are free; set max_rows, "
            "or use engine='fast'."
        )
