"""Everything private or version-dependent of scikit-learn, in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import _fit_context as fit_context
from sklearn.linear_model._base import LinearClassifierMixin, LinearModel
from sklearn.metrics._scorer import _BaseScorer as BaseScorer
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils._set_output import _get_output_config as output_config
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import validate_data

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's, without `set_callbacks`."""


def takes_gaps(estimator: Any) -> bool:
    """Tell whether an estimator says that it takes missing numbers (NaN)."""
    try:
        return bool(get_tags(estimator).input_tags.allow_nan)
    except (AttributeError, TypeError, ValueError):  # one that has no tags
        return False


def in_lines(representation: Callable[..., str]) -> Callable[..., str]:
    """Let scikit-learn break a `__repr__` of ours into lines, as it breaks its own."""
    known: dict[Any, Any] = _EstimatorPrettyPrinter._dispatch
    known[representation] = _EstimatorPrettyPrinter._pprint_estimator
    return representation


__all__ = [
    "BaseScorer",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "LinearClassifierMixin",
    "LinearModel",
    "StrOptions",
    "check_feature_names_in",
    "check_sample_weight",
    "fit_context",
    "in_lines",
    "output_config",
    "take_rows",
    "takes_gaps",
    "validate_data",
]
