"""What a search reports to its callbacks, and how they stop it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nffs.fitness import Mask


@dataclass(frozen=True)
class Progress:
    """What callbacks receive after every evaluation, in the order of the subsets.

    Attributes
    ----------
    phase : str
        The name of the phase.
    done, total : int
        Subsets evaluated so far in the whole search, and the most that it may evaluate. A phase
        that was shorter than planned, because of repeated subsets or a callback, counts in
        full.
    mask : (n_features,) bool
        The subset just evaluated, over the features in the order of the search: the most
        informative first.
    fitness : float
        Its fitness; nan if it could not be evaluated.
    best : float
        The best fitness of the whole search so far; in a final check, which has other folds, that
        of its candidates.
    elapsed : float
        Seconds since the search began.
    until : float
        The share of the planned work that is done when this phase ends; 1 for the last one.
    n_features : int
        The size of the subset just evaluated.
    """

    phase: str
    done: int
    total: int
    mask: Mask
    fitness: float
    best: float
    elapsed: float
    until: float = 1.0

    @property
    def n_features(self) -> int:
        """The size of the subset just evaluated."""
        return int(self.mask.sum())


@dataclass(frozen=True)
class Cut:
    """A phase that was cut short or left out: how many of its planned subsets were evaluated."""

    phase: str
    done: int
    planned: int


Callback = Callable[[Progress], object]


class StopPhase(Exception):  # noqa: N818  (a signal, as StopIteration is)
    """Raised by a callback to end this phase; the search continues with the next one."""


class StopSearch(StopPhase):
    """Raised by a callback to end the search; the best subset so far is kept."""
