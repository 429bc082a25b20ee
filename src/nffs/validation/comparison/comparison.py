"""Comparing methods: the same rows, the same evaluator, the same budget, many seeds."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import compress
from typing import Any

import numpy as np

from nffs._version import __version__
from nffs.errors import InputError
from nffs.fitness import name_of
from nffs.methods.registry import METHODS, method_of
from nffs.report.inline import InlinePage
from nffs.selector.selector import Selector
from nffs.table.target import Task, read_target
from nffs.validation.comparison.summary import summarize
from nffs.validation.comparison.unseen import Part, UnseenRows
from nffs.validation.kept import Keep, KeptResults
from nffs.validation.models import Models, described, models_of
from nffs.validation.whole import fit_whole

#: What is compared by default, of every family one or two: the paper's method, the guided search,
#: filters, a genetic algorithm, a swarm, the importance of a model, chance, and no selection.
DEFAULT_METHODS = ("nffs", "guided", "ig", "mrmr", "ga", "pso", "from-model", "random", "all")


@dataclass(frozen=True)
class Comparison:
    """What a comparison found: `document` has it all, as plain data that JSON can hold."""

    document: Mapping[str, Any]

    def write_report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page: one file that opens offline."""
        self.report().save(path)

    def report(self) -> InlinePage:
        """Give the page: the last line of a notebook's cell shows it inline."""
        from nffs.validation.comparison.report import render_comparison

        return InlinePage(render_comparison(self.document), "nffs comparison")


def compare(
    X: Any,
    y: Any,
    *,
    test: Any = None,
    held_out: float = 0.25,
    methods: Sequence[str] | str | None = None,
    budget: int = 250,
    seeds: int | Sequence[int] = 5,
    groups: Any = None,
    models: Models = "usual",
    keep: Keep = None,
    random_state: int = 0,
    on_run: Callable[[dict[str, Any]], object] | None = None,
    **evaluation: Any,
) -> Comparison:
    """Compare methods on one table: scores, sizes, costs, stability and ranks.

    Every method selects once for every seed; folds of the training rows (`cv`) score its subsets.
    The selection is then scored once on rows that no method saw: by the same evaluator, and by
    other models, whose mean score ranks the methods. A selection that suits only the evaluator is
    worth little if you deploy another model.

    Parameters
    ----------
    X, y : table and labels
        As for `nffs.NFFS`; a `nffs.ParquetTable` needs `test`.
    test : (X_test, y_test), optional
        The rows that no method sees.
    held_out : float, default=0.25
        Without `test`, the share of the rows to hold out, stratified, or by whole groups if there
        are `groups`. Every seed holds out different rows, the same for all methods.
    methods : sequence of str or 'all', optional
        Names of `nffs.methods.METHODS`, or 'all' for every one of them; in a list, 'all' is the
        baseline of that name. By default one or two of every family, and the baselines: nffs,
        guided, ig, mrmr, ga, pso, from-model, random and all.
    budget : int, default=250
        Distinct subsets that a method may evaluate.
    seeds : int or sequence of int, default=5
        How many seeds, counted from 0, or which ones.
    groups : array-like, optional
        Groups of the rows, for a `cv` that keeps them together.
    models : sequence of str or dict, default='usual'
        The other models, as for `nested_score`: trained with the selection and with all columns.
        With none, ``()``, the evaluator's own score on unseen rows ranks the methods.
    keep : path or callable, optional
        A folder that keeps every result; run the same comparison again to continue. A callable gets
        the comparison's identity, a dict, before the first run, and returns the folder or None.
    random_state : int, default=0
        Seeds the held-out rows, and the evaluator of unseen rows.
    on_run : callable, optional
        Called with the result of every run, those that were kept included.
    **evaluation
        Parameters of `Selector` that decide a score: estimator, param_groups, pca, scoring,
        class_weight, pos_label, task, cv, unit, categories, min_frequency,
        max_categories, max_rows, missing, keep_all; those that constrain what may be selected, the
        same for every method; n_jobs; and callbacks that only watch. A callback that stops a search
        would stop it in every run, and the kept results would not show it. Without a pos_label, the
        rarer class in `y` is the positive one in every run.

    Examples
    --------
    >>> from nffs import make_connections
    >>> from nffs.validation import compare
    >>> table = make_connections(300)
    >>> found = compare(table.data, table.target, methods=["nffs", "ig", "random"], budget=12,
    ...                 seeds=2, param_groups=[{"n_estimators": 5}])
    >>> [row["name"] for row in found.document["methods"]]
    ['nffs', 'ig', 'random']
    """
    task = read_target(
        y, pos_label=evaluation.get("pos_label"), task=evaluation.get("task", "auto")
    ).task
    if task == "regression":
        evaluation["task"] = task  # of every part of the rows
    names, left_out = methods_to_compare(methods, task)
    asked = models_of(models, task)
    numbers = _seeds(seeds)
    if budget < 1:
        raise InputError(f"budget: must be at least 1, found {budget}.")
    # One thread or many, watched or not, the results are the same: they may be kept together.
    aside = {name: evaluation.pop(name, None) for name in ("n_jobs", "callbacks")}
    rows = UnseenRows(
        X, y, test, held_out, groups, random_state, evaluation, asked, aside["n_jobs"]
    )
    identity = {
        **rows.identity,
        "nffs": __version__,  # the methods themselves may change with it
        "budget": str(budget),
        **{name: repr(value) for name, value in sorted(evaluation.items())},
        **_models_identity(asked),
    }
    if keep is not None:
        # what the user wrote counts with all that it consists of
        given = evaluation.keys() & {"scoring", "estimator"}
        identity |= {name: name_of(evaluation[name], name) for name in given}
    settings = {**aside, **evaluation, "pos_label": rows.pos_label, "scoring": rows.scoring}
    kept = KeptResults(keep, identity, "comparison")
    runs: list[dict[str, Any]] = []
    # Seed by seed: a comparison that is stopped early has all methods over fewer seeds.
    for seed in numbers:
        part: Part | None = None
        for name in names:
            run = kept.find(f"{name}-{seed}")
            if run is None:
                part = part or rows.part(seed)
                selector = Selector(name, max_evaluations=budget, random_state=seed, **settings)
                run = _run(selector, seed, part)
                kept.keep(f"{name}-{seed}", run)
            runs.append(run)
            if on_run is not None:
                on_run(run)
    features = rows.whole.encoding.names
    return Comparison(
        {
            "scoring": rows.whole.scoring.name,
            "positive": rows.whole.rows.target.positive,
            "evaluated_on": runs[0]["evaluated_on"],
            "unseen_on": rows.description,
            "budget": budget,
            "seeds": numbers,
            "n_rows": len(y),
            "n_features": len(features),
            "left_out": left_out,
            **summarize(runs, names, features, budget, list(asked)),
        }
    )


def _run(selector: Selector, seed: int, part: Part) -> dict[str, Any]:
    fit_whole(selector, part.X, part.y, groups=part.groups)
    unseen = part.unseen.score(selector.support_)
    models = part.transfer.scores(selector.support_, selector.excluded_)
    best = np.maximum.accumulate(selector.archive_fitness_)
    rises = np.flatnonzero(np.concatenate([[True], best[1:] > best[:-1]]))
    return {
        "method": selector.method_.name,
        "seed": seed,
        "score": selector.fitness_,
        "evaluated_on": selector.evaluated_on_,
        "unseen": unseen,
        "optimism": selector.fitness_ - unseen,
        # What other models score on the unseen rows, with the selection and with all columns.
        "models": {name: asdict(score) for name, score in models.items()},
        "n_features": int(selector.support_.sum()),
        "features": list(compress(selector.encoded_feature_names_, selector.support_)),
        "evaluations": len(selector.archive_fitness_),
        "failed": len(selector.failures_),
        "starts": selector.n_starts_,
        "seconds": round(selector.seconds_, 4),
        # Where the best fitness so far rose: [evaluation, fitness].
        "curve": [[int(i) + 1, float(best[i])] for i in rises],
    }


def methods_to_compare(
    methods: Sequence[str] | str | None,
    task: Task = "classification",
) -> tuple[list[str], list[dict[str, str]]]:
    """Give the names of the methods, and those that are left out for a reason."""
    if isinstance(methods, str) and methods != "all":
        raise InputError(f"methods: found {methods!r}; give a list of names, or 'all'.")
    if methods != "all":
        names = list(dict.fromkeys(DEFAULT_METHODS if methods is None else methods))
        if not names:
            raise InputError("methods: is empty; name at least one.")
        for name in names:
            if task not in method_of(name).tasks:
                raise InputError(f"methods: {name!r} is not for {task}; leave it out.")
        return names, []
    left_out = [
        {"name": name, "why": f"it is not for {task}"}
        for name, method in METHODS.items()
        if task not in method.tasks
    ]
    if find_spec("boruta") is None:
        why = "the package boruta is not installed; `pip install boruta`"
        left_out.append({"name": "boruta", "why": why})
    without = {method["name"] for method in left_out}
    return [name for name in METHODS if name not in without], left_out


def _models_identity(models: Mapping[str, Any]) -> dict[str, str]:
    """Name the models that runs were scored by, and whose version decides what they score.

    Without any there is nothing to name: such runs are those that earlier versions kept.
    """
    if not models:
        return {}
    return {"models": f"{described(models)}; scikit-learn {version('scikit-learn')}"}


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    numbers = list(range(seeds)) if isinstance(seeds, int) else [int(s) for s in seeds]
    if not numbers or min(numbers) < 0:
        raise InputError(f"seeds: give at least one, none below 0; found {seeds!r}.")
    return numbers
