"""From a fitted selector to the parts of its selection."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs._version import __version__
from nffs.fitness import Evaluation
from nffs.methods.choosing import standard_error
from nffs.search.final import FinalCheck
from nffs.selection.front import checked_points, front_of
from nffs.selection.parts import (
    CategoryGroup,
    Column,
    Extent,
    Feature,
    Final,
    Learned,
    MemberScore,
    Phases,
    Point,
    UnlabelledRows,
)
from nffs.selection.verdict import verdict_of
from nffs.table.encoding import Encoding


def parts_of(selector: Any) -> dict[str, Any]:
    """Gather what a `Selection` holds, by the names of its fields.

    How it was computed (threads, callbacks) is left out: it does not change the result.
    """
    has_phases = hasattr(selector, "nested_")
    encoding, everything = selector.encoding_, selector.all_features_fitness_
    encoded = Counter(column.column for column in encoding.columns)
    columns = [replace(column, offset=0.0) for column in encoding.columns]
    sizes = asdict(selector.sizes_) if has_phases else {}
    return {
        "method": selector.method_.name,
        "unit": selector.unit,
        "selected_features": tuple(selector.selected_features_),
        "fitness": float(selector.fitness_),
        "standard_error": selector.standard_error_,
        "all_features_fitness": _or_none(everything),
        "scoring": selector.scoring_,
        "evaluated_on": selector.evaluated_on_,
        "classes": tuple(selector.classes_.tolist()),
        "partial": selector.partial_,
        "evaluations": selector.n_evaluations_,
        "seconds": round(selector.seconds_, 3),
        "seed": selector.seed_,
        "parameters": {**plain_parameters(selector), **sizes},
        "fingerprint": dict(selector.fingerprint_),
        "versions": _versions(),
        "encoded_features": tuple(selector.encoded_feature_names_),
        "columns": tuple(
            Column(name, kind, encoded[name], _groups(encoding, name))
            for name, kind in encoding.kinds.items()
        ),
        "features": _features(selector),
        "subset_sizes": tuple(selector.archive_masks_.sum(axis=1).tolist()),
        "subset_fitness": tuple(selector.archive_fitness_.tolist()),
        "output_columns": tuple(compress(columns, selector.support_)),
        "phases": _phases(selector) if has_phases else None,
        "final": selector.final_,
        "front": front_of(selector.front_, selector.features_, columns, selector.unit),
        "learned": _learned(selector),
        "left_out": dict(selector.left_out_),
        "extent": _extent(selector),
        "unlabelled": selector.unlabelled_,
    }


def unlabelled_of(evaluation: Evaluation) -> UnlabelledRows | None:
    """Say what rows without a label were used for, where there were any."""
    found = evaluation.rows.unlabelled
    if found is None:
        return None
    return UnlabelledRows(
        n_rows=found.n_rows,
        n_given=found.n_given,
        n_old=found.n_old,
        standardised=found.learned if found.used_for("components") else None,
        labelled=evaluation.n_labelled(),
        weighted=found.used_for("likeness"),
        auc=found.auc,
        effective_rows=found.effective_rows,
    )


def _groups(encoding: Encoding, column: str) -> tuple[CategoryGroup, ...]:
    """Give the groups of a column's categories; none if they were not grouped."""
    if column not in encoding.groups:
        return ()
    found = encoding.groups[column]
    own = (made for made in encoding.columns if made.column == column)
    return tuple(
        CategoryGroup(made.name, made.members, n, profile, number == found.grouping.unknown)
        for number, (made, n, profile) in enumerate(
            zip(own, found.rows, found.profiles, strict=True)
        )
    )


def _extent(selector: Any) -> Extent:
    failures = selector.failures_
    first = failures[0] if failures else None
    return Extent(selector.planned_, tuple(selector.cut_), len(failures), first)


def plain_parameters(selector: Any) -> dict[str, Any]:
    """Give a selector's parameters as plain data, without those that do not change the result."""
    given = selector.get_params(deep=False)
    for how in ("journal", "callbacks", "n_jobs", "random_state"):
        del given[how]
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return getattr(value, "__name__", None) or repr(value)


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    here = {"nffs": __version__, "python": platform.python_version()}
    return {**here, **{name: version(name) for name in packages}}


def _features(selector: Any) -> tuple[Feature, ...]:
    names, encoded = selector.features_, selector.encoding_.columns
    whole = selector.unit == "column"
    selected = set(selector.selected_features_)
    excluded = {c.column if whole else c.name for c in compress(encoded, selector.excluded_)}
    values = zip(
        names,
        names if whole else [column.column for column in encoded],
        [None] * len(names) if whole else [column.category for column in encoded],
        selector.mi_.tolist(),
        selector.constant_.tolist(),
        [name in selected for name in names],
        selector.archive_masks_.sum(axis=0).tolist(),
        [name in excluded for name in names],
        strict=True,
    )
    return tuple(Feature(*value) for value in values)


def final_of(
    check: FinalCheck, eligible: NDArray[np.bool_], **about: Any
) -> tuple[Final, tuple[Point, ...]]:
    """Give what a final check found, and the front of its candidates that may be chosen.

    `about` is what `_final` takes beside the check.
    """

    def said(choice: FinalCheck) -> Final:
        return _final(choice, **about)

    return said(check), checked_points(check, eligible, said)


def _final(
    check: FinalCheck,
    *,
    names: Sequence[str],
    choose: str,
    n_constant: int,
    max_features: int | None,
    n_looks: int,
    searched_on: str,
    searched_all_features: float,
) -> Final:
    """Give what a final check says of its choice.

    Parameters
    ----------
    check : FinalCheck
        Its candidates and their scores.
    names : sequence of str
        Of the panel's members; none for a single model, whose parameter groups are numbered.
    choose : str
        The rule.
    n_constant : int
        Features that no candidate has, because they do not vary.
    max_features : int or None
        The most features that may be selected.
    n_looks : int
        Subsets that were evaluated, in the search and in the check.
    searched_on, searched_all_features : str, float
        Which rows evaluated the subsets of the search, and the score of all features there.
    """
    chosen, everything = check.members(check.chosen), check.members(0)
    if not names:
        groups = [f"group {number}" for number in range(1, len(chosen) + 1)]
        names = groups if len(groups) > 1 else ["model"]
    members = tuple(
        MemberScore(name, float(s), float(a))
        for name, s, a in zip(names, chosen, everything, strict=True)
    )
    gain, error = check.gain()
    sizes = check.masks.sum(axis=1).tolist()
    verdict = verdict_of(
        members,
        sizes[check.chosen],
        sizes[0],
        n_constant=n_constant,
        may_keep_all=max_features is None or sizes[0] <= max_features,
        gain=gain,
        gain_error=error,
        guess=check.guess,
        n_looks=n_looks,
        n_splits=check.scores.shape[1],
    )
    return Final(
        choose=choose,
        verdict=verdict,
        members=members,
        gain=gain,
        gain_error=error,
        guess=check.guess,
        sizes=tuple(sizes),
        fitness=tuple(check.fitness(i) for i in range(len(sizes))),
        searched_on=searched_on,
        searched_all_features=_or_none(searched_all_features),
    )


def _or_none(score: float) -> float | None:
    """Give a score as JSON can hold it: nan is of a search that was stopped before."""
    return None if np.isnan(score) else float(score)


def _phases(selector: Any) -> Phases:
    scores = selector.nested_scores_
    return Phases(
        threshold=float(selector.threshold_),
        one_se_features=tuple(selector.one_se_features_),
        drawn_fitness=tuple(selector.drawn_fitness_.tolist()),
        nested_sizes=tuple(selector.nested_.sum(axis=1).tolist()),
        nested_fitness=tuple(selector.nested_fitness_.tolist()),
        nested_standard_errors=tuple(standard_error(scores, i) for i in range(len(scores))),
        probability=tuple(selector.probability_weights_.tolist()),
        top=tuple(selector.top_counts_.tolist()),
        bottom=tuple(selector.bottom_counts_.tolist()),
        weight=tuple(selector.frequency_weights_.tolist()),
        rank=tuple(selector.ranking_.tolist()),
    )


def _learned(selector: Any) -> Learned | None:
    found = getattr(selector, "learned_", None)
    if found is None:
        return None
    return Learned(
        effect=tuple(found.effects.value.tolist()),
        effect_error=tuple(found.effects.error.tolist()),
        fitness=tuple(found.fitness.tolist()),
        expected=tuple(map(_or_none, found.expected.tolist())),
    )
