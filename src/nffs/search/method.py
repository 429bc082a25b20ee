"""The contract of a method: it proposes rounds of masks and is sent their scores.

A method is a generator: it never counts evaluations and never evaluates a mask itself. The loop in
`nffs.search.loop` runs it; what all methods get alike is there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from nffs.errors import InputError
from nffs.fitness import Evaluation, Mask, Masks, SplitRows, feature_codes
from nffs.search.allowed import Allowed
from nffs.table.features import Features
from nffs.table.missing import filled
from nffs.table.target import Task

Vector = NDArray[np.float64]
Codes = NDArray[np.intp]
T = TypeVar("T")


@dataclass(frozen=True)
class SearchSpace:
    """What a method may look at.

    Attributes
    ----------
    rows : SplitRows
        The encoded rows, with the columns of the features in their order; numbers may be missing,
        and `SplitRows.filled` fills them.
    features : Features
        The features that masks refer to, in order of mutual information, the largest first.
    mi : (n_features,) float
        Mutual information with the target, from all rows where `rows` are a sample.
    seed : int
        Seed for draws that are derived from it, and for estimators of other libraries.
    allowed : Allowed
        Which subsets may be evaluated. A method need not look at it: a subset that is not allowed
        is repaired. One that ranks features does better to cut its ranking where it may be cut.
    n_jobs : int or None
        Threads for computations before the search.
    """

    rows: SplitRows
    features: Features
    mi: Vector
    seed: int
    allowed: Allowed
    n_jobs: int | None = None
    _eliminated: Callable[[Mask], Masks] | None = field(default=None, repr=False, compare=False)
    _computed: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, evaluation: Evaluation, n_jobs: int | None = None) -> SearchSpace:
        """Show a method the rows and features of a ranked evaluation."""
        return cls(
            evaluation.rows, evaluation.features, evaluation.mi, evaluation.seed,
            Allowed.of(evaluation), n_jobs, evaluation.eliminated if evaluation.weighs else None,
        )  # fmt: skip

    @property
    def n_features(self) -> int:
        """The length of a mask."""
        return len(self.mi)

    def once(self, compute: Callable[[SearchSpace], T]) -> T:
        """Give what a function computes of this space; it is computed when first asked for."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        found: T = self._computed[compute]
        return found

    @cached_property
    def training(self) -> NDArray[np.intp]:
        """Rows that train in at least one split; never those of an eval_set."""
        return self.rows.training

    @cached_property
    def eliminated(self) -> Masks:
        """What is left of all features, size by size, if those that count least are dropped.

        By the models that evaluate, trained on the training rows; (0, n_features) if they cannot
        tell how much a feature counts.
        """
        everything = np.ones(self.n_features, dtype=np.bool_)
        return everything[None][:0] if self._eliminated is None else self._eliminated(everything)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are to be predicted."""
        return self.rows.target.task

    @property
    def target(self) -> NDArray[Any]:
        """The target of the training rows: class codes, or numbers."""
        values: NDArray[Any] = self.rows.target.values[self.training]
        return values

    @property
    def weights(self) -> Vector | None:
        """The weights of the training rows."""
        return None if self.rows.weights is None else self.rows.weights[self.training]

    @property
    def matrix(self) -> NDArray[np.float32]:
        """The encoded training rows; what is missing is filled with their means."""
        return filled(np.take(self.rows.matrix, self.training, axis=0))

    @cached_property
    def blocks(self) -> list[NDArray[np.intp]]:
        """The columns of every feature."""
        ends = np.cumsum([len(columns) for columns in self.features.columns])
        return np.split(np.arange(ends[-1]), ends[:-1])

    def codes(self, max_bins: int) -> list[Codes]:
        """Give every feature's values on the training rows as numbers, in so many bins at most."""
        matrix = self.matrix
        return [feature_codes(matrix[:, block], max_bins) for block in self.blocks]

    def of_columns(self, scores: Vector) -> Vector:
        """Give every feature the best score of its columns."""
        return np.array([scores[block].max() for block in self.blocks])


@dataclass(frozen=True)
class Round:
    """Subsets to be evaluated together.

    Attributes
    ----------
    phase : str
        What the search is doing, for people and callbacks. Rounds with the same name are one phase.
    masks : (n, n_features) bool
        The subsets. One that is empty or breaks the constraints is repaired in place.
    may_be_cut : bool
        Whether the method can go on with some of them if the phase or the search is stopped; else
        the method ends there.
    """

    phase: str
    masks: Masks
    may_be_cut: bool = False


@dataclass(frozen=True)
class Evaluated:
    """The scores of a round.

    Attributes
    ----------
    masks : (n, n_features) bool
        The subsets, in the order they were proposed; fewer if the round was cut.
    scores : (n, n_splits, n_groups) float
        Their scores; nan where one could not be evaluated.
    fitness : (n,) float
        Their means; the worst so far where a subset could not be evaluated.
    failed : (n,) bool
        Which could not be evaluated.
    ended : bool
        Whether the search is over, or the budget did not cover the round.
    """

    masks: Masks
    scores: NDArray[np.float64]
    fitness: Vector
    failed: NDArray[np.bool_]
    ended: bool = False

    def __len__(self) -> int:
        return len(self.masks)

    def __getitem__(self, places: Any) -> Evaluated:
        return Evaluated(
            self.masks[places], self.scores[places], self.fitness[places], self.failed[places],
            self.ended,
        )  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """What a method returns.

    Attributes
    ----------
    mask : (n_features,) bool
        The subset it chose.
    details : object
        Anything else that it learned, for the results; each method has its own type.
    """

    mask: Mask
    details: Any = None


#: What a method is: it yields rounds, receives their scores, and may return its choice.
Proposals = Generator[Round, Evaluated, Choice | None]


class Method(ABC):
    """A way to search for a subset.

    Subclasses are frozen dataclasses: their fields are the method's own parameters.
    """

    #: The name in the registry, what it is in one line, and where it comes from.
    name: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    #: Whether it draws random numbers, so that starting again gives something new.
    is_random: ClassVar[bool] = True
    #: What it can select for: classes, numbers.
    tasks: ClassVar[tuple[Task, ...]] = ("classification", "regression")
    #: Whether it asks for `SearchSpace.eliminated`, which takes memory.
    weighs: ClassVar[bool] = False
    #: Whether one that was interrupted while it was computing is started again, to choose from what
    #: was evaluated: it must take no time.
    resumes: ClassVar[bool] = False

    @abstractmethod
    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose rounds of masks.

        Parameters
        ----------
        space : SearchSpace
            The features and rows.
        rng : Generator
            The method's random numbers, different at every start. A method may also derive its
            draws from `space.seed`, each from its own index: then a larger budget keeps the first
            subsets.
        budget : int
            Evaluations that are left, for schedules. The search never evaluates more than that,
            whatever is proposed.
        """

    def check_task(self, task: Task) -> None:
        """Refuse a task that it is not for."""
        if task not in self.tasks:
            found = "numbers" if task == "regression" else "classes"
            raise InputError(
                f"method: {self.name!r} is not for {task}, and y holds {found}; choose another "
                "method, or say what y is with task."
            )

    def phases(self, n_features: int, budget: int) -> dict[str, int]:
        """Give the phases in their order, with the most subsets of each, for progress."""
        return {self.name: budget}

    def memory(self, n_features: int, budget: int) -> int:
        """Bound the bytes that it holds of what it learned from so many evaluations."""
        return 0

    def round(self, masks: Masks) -> Round:
        """Make a round of a method that has one phase."""
        return Round(self.name, masks)
