"""Callbacks that end a search early.

A callback is anything that can be called with a :class:`nffs.Progress`. To end a phase it raises
:class:`nffs.StopPhase`, to end the search :class:`nffs.StopSearch`; the search uses what has been
evaluated so far.
"""

from __future__ import annotations

from nffs.errors import InputError
from nffs.search.events import Progress, StopPhase, StopSearch


class EarlyStopping:
    """End a phase when its best fitness has not risen for a while.

    It sees the subsets in the order in which they were proposed, so it stops at the same one for
    any number of workers and after any restart.

    Parameters
    ----------
    patience : int, default=50
        How many subsets of a phase to wait for a better one.
    min_delta : float, default=0.0
        By how much the fitness must rise to count as better.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs import EarlyStopping
    >>> data = make_connections(300)
    >>> selector = NFFS(n_nested=20, callbacks=[EarlyStopping(10)], random_state=0)
    >>> selector.fit(data.data, data.target).n_evaluations_ < 201
    True
    """

    def __init__(self, patience: int = 50, min_delta: float = 0.0) -> None:
        if patience < 1:
            raise InputError(f"patience: must be at least 1, found {patience!r}.")
        if min_delta < 0:
            raise InputError(f"min_delta: must not be negative, found {min_delta!r}.")
        self.patience = patience
        self.min_delta = min_delta
        self._phase = ""

    def __call__(self, progress: Progress) -> None:
        """Count the subsets since the last better one."""
        if progress.phase != self._phase or progress.done == 1:
            self._phase, self._best, self._since = progress.phase, -float("inf"), 0
        self._since += 1
        if progress.fitness > self._best + self.min_delta:
            self._best, self._since = progress.fitness, 0
        if self._since >= self.patience:
            raise StopPhase


class TimeBudget:
    """End the search after some seconds; every phase gets a share of them.

    A phase that takes longer than its share ends early: the phases after it get their time too.

    The number of subsets depends on the machine, so two runs may give different selections.

    Parameters
    ----------
    seconds : float
        Time for all of `fit`, including reading the table. Nothing is begun that would take longer,
        by the time that subsets took before; one subset is evaluated in any case.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> from nffs import TimeBudget
    >>> data = make_connections(300)
    >>> selector = NFFS(n_nested=20, callbacks=[TimeBudget(2)], random_state=0)
    >>> selector.fit(data.data, data.target).partial_
    False
    """

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise InputError(f"seconds: must be more than 0, found {seconds!r}.")
        self.seconds = seconds

    def __call__(self, progress: Progress) -> None:
        """Look at the clock."""
        if progress.elapsed >= self.seconds:
            raise StopSearch
        if progress.elapsed >= progress.until * self.seconds:
            raise StopPhase
