"""Parameters that are easily mistaken for others: each is refused with a sentence."""

from __future__ import annotations

import inspect
from typing import Any

from nffs.errors import InputError


def refuse_mistakes(scoring: Any, estimator: Any) -> None:
    """Refuse a metric that is given for a scorer, and a class that is given for an estimator."""
    if callable(scoring) and _first_parameter(scoring) == "y_true":
        name = getattr(scoring, "__name__", type(scoring).__name__)
        raise InputError(
            f"scoring: {name} is a metric, which compares labels; give a scorer: its name, such as "
            f"'f1', or sklearn.metrics.make_scorer({name})."
        )
    if isinstance(estimator, type):
        name = estimator.__name__
        raise InputError(f"estimator: found the class {name}; give an instance, {name}().")


def _first_parameter(function: Any) -> str | None:
    try:
        return next(iter(inspect.signature(function).parameters), None)
    except (TypeError, ValueError):  # it does not tell
        return None
