"""A batch of subsets to evaluate, and the result of each: what workers take and return."""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nffs.errors import InputError
from nffs.fitness import Evaluator, Fitness, Mask, Masks

#: How often a subset is tried before it is given up.
TRIES = 3


@dataclass(frozen=True)
class Failure:
    """Why a subset could not be evaluated."""

    reason: str  # the last error, in a line
    details: str  # its traceback


@dataclass(frozen=True)
class Result:
    """What came of a subset."""

    mask: Mask  # (n_features,) the subset
    found: Fitness | Failure  # how good it is, or why nobody knows
    seconds: float  # how long it took
    worker: str  # who did it: host and process


Record = Callable[[Result], object]


def evaluate(evaluator: Evaluator, masks: Masks, record: Record | None = None) -> list[Result]:
    """Evaluate some subsets, each recorded as soon as it is known.

    A batch that fails is evaluated again one by one, so that only the subsets at fault are lost;
    each is tried a few times: memory may be short for a moment only.
    """
    if len(masks) > 1:
        started = time.perf_counter()
        try:
            found = evaluator(masks)
        except InputError:
            raise
        except Exception:
            return [result for mask in masks for result in evaluate(evaluator, mask[None], record)]
        seconds = (time.perf_counter() - started) / len(masks)
        results = [
            Result(mask, _checked(fitness), seconds, this_worker())
            for mask, fitness in zip(masks, found, strict=True)
        ]
    else:
        results = [_evaluate_one(evaluator, masks)]
    if record is not None:
        for result in results:
            record(result)
    return results


def _evaluate_one(evaluator: Evaluator, masks: Masks) -> Result:
    started = time.perf_counter()
    found: Fitness | Failure | None = None
    for _ in range(TRIES):
        try:
            found = _checked(evaluator(masks)[0])
            break
        except InputError:
            raise  # the user's to mend; trying again would not help
        except Exception as error:
            found = failure_of(error)
    assert found is not None
    return Result(masks[0], found, time.perf_counter() - started, this_worker())


def _checked(fitness: Fitness) -> Fitness | Failure:
    """Treat a score that is not a number as a failed evaluation."""
    wrong = fitness.scores[~np.isfinite(fitness.scores)]
    if not len(wrong):
        return fitness
    reason = f"the scorer gave {wrong[0]} for {len(wrong)} of {fitness.scores.size} scores"
    return Failure(reason, reason)


def failure_of(error: BaseException) -> Failure:
    """Keep of an error what can be sent and written."""
    text = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return Failure(reason, "".join(traceback.format_exception(error)))


def this_worker() -> str:
    """Name this process, for journals."""
    return f"{socket.gethostname()}:{os.getpid()}"
