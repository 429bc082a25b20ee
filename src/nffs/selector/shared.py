"""The parameters that all selectors share, as scikit-learn checks them."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import Any

from nffs._sklearn import HasMethods, Interval, StrOptions

#: By their names, what each may be.
SHARED: dict[str, Any] = {
    "unit": [StrOptions({"category", "column"})],
    "include": [str, Integral, "array-like", None],
    "exclude": [str, Integral, "array-like", None],
    "together": ["array-like", None],
    "min_features": [Interval(Integral, 1, None, closed="left")],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
    "evaluator": [str, list, tuple],
    "engine": [str],
    "estimator": [HasMethods(["fit", "predict"]), None],
    "param_groups": [list, tuple, None],
    "pca": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"}), None],
    "scoring": [str, callable, None],
    "class_weight": [StrOptions({"balanced"}), None],
    "pos_label": "no_validation",
    "task": [StrOptions({"auto", "classification", "regression"})],
    "choose": [StrOptions({"auto", "best", "one_se", "all", "method"})],
    "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), "array-like"],
    "unlabelled_for": [str, "array-like", None],
    "categories": [str],
    "min_frequency": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0, 1, closed="neither"),
        None,
    ],
    "max_categories": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
    "max_rows": [Interval(Integral, 10, None, closed="left"), None],
    "missing": [StrOptions({"indicate", "error"})],
    "keep_all": ["boolean"],
    "journal": [str, os.PathLike, None],
    "callbacks": [list, tuple, None],
    "n_jobs": [
        Interval(Integral, None, -1, closed="right"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "random_state": ["random_state"],
}
