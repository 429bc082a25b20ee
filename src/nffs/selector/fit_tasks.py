"""scikit-learn's own callbacks, from 1.9 on: a fit, its phases and their subsets as tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nffs.search.events import Progress, StopPhase


class FitTasks:
    """Tells the callbacks that an estimator was given by `set_callbacks`.

    Parameters
    ----------
    estimator : estimator
        The one that is being fitted.
    sizes : mapping of str to int
        How many subsets each phase has at most.
    """

    def __init__(self, estimator: Any, sizes: Mapping[str, int]) -> None:
        self._estimator = estimator
        self._sizes = sizes
        self._fit: Any = None
        self._phase: Any = None
        self._left = {"": len(sizes)}  # phases, and subsets of the phase, that were announced
        if hasattr(estimator, "_init_callback_context"):
            self._fit = estimator._init_callback_context(max_subtasks=len(sizes))
            self._fit.call_on_fit_task_begin(estimator=estimator)

    def __call__(self, progress: Progress) -> None:
        """Report a subset; a callback that returns True ends the phase."""
        if self._fit is None:
            return
        if self._phase is None or self._phase.task_name != progress.phase:
            self._end_phase()
            self._make_room(self._fit, "")
            self._phase = self._fit.subcontext(
                task_name=progress.phase, max_subtasks=self._sizes.get(progress.phase)
            )
            self._left[progress.phase] = self._sizes.get(progress.phase, 0)
            self._phase.call_on_fit_task_begin(estimator=self._estimator)
        self._make_room(self._phase, progress.phase)
        subset = self._phase.subcontext(task_name="subset")
        subset.call_on_fit_task_begin(estimator=self._estimator)
        if subset.call_on_fit_task_end(estimator=self._estimator):
            raise StopPhase

    def end(self) -> None:
        """Say that the fit is over."""
        if self._fit is not None:
            self._end_phase()
            self._fit.call_on_fit_task_end(estimator=self._estimator)

    def _make_room(self, context: Any, name: str) -> None:
        """Let a task have more parts than announced: a method that ends early starts again."""
        self._left[name] -= 1
        if self._left[name] < 0:
            context.max_subtasks = None

    def _end_phase(self) -> None:
        if self._phase is not None:
            self._phase.call_on_fit_task_end(estimator=self._estimator)
