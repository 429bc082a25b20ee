"""One subset to judge, and what came of it: what workers take and give, wherever they are."""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from nffs.errors import InputError
from nffs.fitness.evaluator import Evaluator, Fitness, Mask

#: How often a subset is tried before it is given up.
TRIES = 3


@dataclass(frozen=True)
class Task:
    """A subset to judge and its place among those asked for."""

    place: int
    mask: Mask


@dataclass(frozen=True)
class Failure:
    """Why a subset could not be judged.

    Attributes
    ----------
    reason : str
        The last error, in a line.
    details : str
        Its traceback.
    """

    reason: str
    details: str


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    Attributes
    ----------
    task : Task
        The task.
    result : Fitness or Failure
        How good the subset is, or why nobody knows.
    seconds : float
        How long it took.
    worker : str
        Who did it: host and process.
    """

    task: Task
    result: Fitness | Failure
    seconds: float
    worker: str


Record = Callable[[Outcome], object]


def judge(evaluator: Evaluator, task: Task, record: Record | None = None) -> Outcome:
    """Judge a subset, trying again if that fails: memory may be short for a moment only."""
    started = time.perf_counter()
    result: Fitness | Failure | None = None
    for _ in range(TRIES):
        try:
            result = evaluator(task.mask)
            break
        except InputError:
            raise  # the user's to mend; trying again would not help
        except Exception as error:
            result = failure_of(error)
    assert result is not None
    outcome = Outcome(task, result, time.perf_counter() - started, this_worker())
    if record is not None:
        record(outcome)
    return outcome


def failure_of(error: BaseException) -> Failure:
    """Keep of an error what can be sent and written."""
    said = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return Failure(reason, "".join(traceback.format_exception(error)))


def this_worker() -> str:
    """Name this process, for journals."""
    return f"{socket.gethostname()}:{os.getpid()}"
