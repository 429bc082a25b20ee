"""Methods beside one another: the same rows, the same judge, the same budget, many seeds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split
from sklearn.utils import _safe_indexing

from nffs.errors import InputError, PartialWarning
from nffs.fitness.evaluator import SubsetEvaluator
from nffs.fitness.judge import engine_for
from nffs.fitness.scoring import resolve_scoring
from nffs.identity import identity_of
from nffs.parquet import ParquetTable
from nffs.problem import read_training, state_problem
from nffs.rivals.kept import Kept
from nffs.rivals.registry import METHODS, method_of
from nffs.rivals.selector import Rival
from nffs.rivals.summary import summarize

#: What a run tells when it is done.
OnRun = Callable[[dict[str, Any]], object]


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes
    ----------
    document : dict
        Everything, as plain data that JSON can hold.
    """

    document: Mapping[str, Any]

    def write_report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page: one file that opens offline."""
        from nffs.rivals.page import write_page

        write_page(self.document, path)


def compare(
    X: Any,
    y: Any,
    *,
    test: Any = None,
    held_out: float = 0.25,
    methods: Sequence[str] | None = None,
    budget: int = 250,
    seeds: int | Sequence[int] = 10,
    groups: Any = None,
    keep: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    on_run: OnRun | None = None,
    **judging: Any,
) -> Comparison:
    """Compare methods on one table.

    Every method selects once for every seed, judged by `cv` folds of the training rows. What it
    selected is then judged once by rows that no method ever saw.

    Parameters
    ----------
    X, y : table and labels
        As for `nffs.NFFS`; a `nffs.ParquetTable` needs `test`.
    test : (X_test, y_test), optional
        The rows that no method sees.
    held_out : float, default=0.25
        Without `test`, the share of the rows that is held out for it, stratified, or whole groups
        where there are groups.
    methods : sequence of str, optional
        Names of `nffs.rivals.METHODS`; all of them by default.
    budget : int, default=250
        Distinct subsets that a method may have judged.
    seeds : int or sequence of int, default=10
        How many, from 0, or which.
    groups : array-like, optional
        Groups of the rows, for a `cv` that keeps them together.
    keep : path, optional
        A folder that keeps every result; the same comparison goes on from there.
    random_state : int, default=0
        Of the held-out rows, and of the judge of unseen rows.
    on_run : callable, optional
        Called with the result of every run, those that were kept included.
    **judging
        Parameters of `Rival` that say how to judge: estimator, param_groups, pca, scoring,
        pos_label, cv, unit, min_frequency, max_categories, max_rows; n_jobs; and callbacks
        that watch. One that stops a search would stop it in every run, and is not kept apart.

    Returns
    -------
    Comparison
        Scores, sizes, costs, stability and ranks of every method.

    Examples
    --------
    >>> from nffs import make_connections
    >>> from nffs.rivals import compare
    >>> table = make_connections(300)
    >>> found = compare(table.data, table.target, methods=["nffs", "ig", "random"], budget=12,
    ...                 seeds=2, param_groups=[{"n_estimators": 5}])
    >>> [row["name"] for row in found.document["methods"]]
    ['nffs', 'ig', 'random']
    """
    names, left_out = _names(methods)
    numbers = _seeds(seeds)
    if budget < 1:
        raise InputError(f"budget: must be at least 1, found {budget}.")
    told = "test rows that no method saw"
    if test is None:
        X, y, test, groups = _hold_out(X, y, held_out, groups, random_state)
        told = f"{len(test[1])} rows that were held out, which no method saw"
    # One thread or many, watched or not, the results are the same: they may be kept together.
    aside = {name: judging.pop(name, None) for name in ("n_jobs", "callbacks")}
    unseen = _Unseen(X, y, test, random_state, judging)
    about = {
        **unseen.identity,
        "budget": str(budget),
        **{name: repr(value) for name, value in sorted(judging.items())},
    }
    kept = Kept(keep, about)
    runs: list[dict[str, Any]] = []
    # Seed by seed: a comparison that is stopped early has all methods over fewer seeds.
    for seed in numbers:
        for name in names:
            run = kept.find(name, seed)
            if run is None:
                rival = Rival(name, max_evaluations=budget, random_state=seed, **aside, **judging)
                with warnings.catch_warnings():
                    # Half a run is no result here, whatever it had found.
                    warnings.simplefilter("ignore", PartialWarning)
                    rival.fit(X, y, groups=groups)
                if rival.partial_:
                    raise KeyboardInterrupt
                run = _run(rival, seed, unseen(rival))
                kept.keep(name, seed, run)
            runs.append(run)
            if on_run is not None:
                on_run(run)
    return Comparison(
        {
            "scoring": unseen.scoring,
            "judged_on": runs[0]["judged_on"],
            "unseen_on": told,
            "budget": budget,
            "seeds": numbers,
            "n_rows": unseen.n_rows,
            "n_features": unseen.n_features,
            "left_out": left_out,
            **summarize(runs, names, unseen.names, budget),
        }
    )


class _Unseen:
    """Judges selections by rows that no method saw, all in the same way."""

    def __init__(self, X: Any, y: Any, test: Any, seed: int, judging: Mapping[str, Any]) -> None:
        given = {**Rival("all").get_params(deep=False), **judging}
        table, labels = read_training(X, y, given["pos_label"])
        problem, rows = state_problem(
            table,
            labels,
            unit="category",
            min_frequency=given["min_frequency"],
            max_categories=given["max_categories"],
            cv=given["cv"],
            sample_weight=None,
            eval_set=test,
            groups=None,
            seed=seed,
            max_rows=given["max_rows"],
        )
        scoring = resolve_scoring(given["scoring"], rows.labels)
        engine = engine_for(given["estimator"], given["param_groups"], scoring, given["pca"])
        self.scoring = scoring.name
        self.n_rows = table.n_rows
        self.names = list(problem.encoding.names)
        self.n_features = len(self.names)
        self.identity = identity_of(rows, problem.features, {"random_state": seed})
        self._evaluate = SubsetEvaluator(rows, engine, problem.features.membership, seed)

    def __call__(self, selector: Rival) -> float:
        return self._evaluate(selector.support_).value


def _run(rival: Rival, seed: int, unseen: float) -> dict[str, Any]:
    best = np.maximum.accumulate(rival.archive_fitness_)
    rises = np.flatnonzero(np.concatenate([[True], best[1:] > best[:-1]]))
    return {
        "method": rival.method_.name,
        "seed": seed,
        "judged": rival.fitness_,
        "judged_on": rival.judged_on_,
        "unseen": unseen,
        "optimism": rival.fitness_ - unseen,
        "n_features": int(rival.support_.sum()),
        "features": [
            name
            for name, kept in zip(rival.encoded_feature_names_, rival.support_, strict=True)
            if kept
        ],
        "evaluations": rival.n_evaluations_,
        "failed": len(rival.failures_),
        "starts": rival.n_starts_,
        "seconds": round(rival.seconds_, 4),
        # Where the best fitness so far rose: [evaluation, fitness].
        "curve": [[int(i) + 1, float(best[i])] for i in rises],
    }


def _names(methods: Sequence[str] | None) -> tuple[list[str], list[dict[str, str]]]:
    if methods is not None:
        names = list(dict.fromkeys(methods))
        if not names:
            raise InputError("methods: is empty; name at least one.")
        for name in names:
            method_of(name)
        return names, []
    if find_spec("boruta") is not None:
        return list(METHODS), []
    why = "the package boruta is not installed; `pip install nffs[rivals]`"
    return [n for n in METHODS if n != "boruta"], [{"name": "boruta", "why": why}]


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    numbers = list(range(seeds)) if isinstance(seeds, int) else [int(s) for s in seeds]
    if not numbers or min(numbers) < 0:
        raise InputError(f"seeds: give at least one, none below 0; found {seeds!r}.")
    return numbers


def _hold_out(X: Any, y: Any, share: float, groups: Any, seed: int) -> tuple[Any, Any, Any, Any]:
    if not 0 < share < 1:
        raise InputError(f"held_out: must lie between 0 and 1, found {share}.")
    if isinstance(X, ParquetTable):
        raise InputError("X: the rows of a ParquetTable cannot be held out; give test.")
    _, labels = read_training(X, y, None)
    rows = np.arange(len(labels.codes))
    if groups is None:
        if np.bincount(labels.codes).min() < 2:
            raise InputError("y: a class has one row only, which cannot be held out; drop it.")
        train, held = train_test_split(
            rows, test_size=share, stratify=labels.codes, random_state=seed
        )
    else:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=seed)
        train, held = next(splitter.split(rows, labels.codes, groups))
        groups = _safe_indexing(groups, np.sort(train))
    train, held = np.sort(train), np.sort(held)
    test = (_safe_indexing(X, held), _safe_indexing(y, held))
    return _safe_indexing(X, train), _safe_indexing(y, train), test, groups
