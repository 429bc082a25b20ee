"""Repeated selections: how stable a selector is under other seeds or other rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import resample

from nffs._sklearn import take_rows
from nffs.errors import InputError
from nffs.randomness import derive_seed, seed_of
from nffs.selector.base import TableSelector
from nffs.stability import Stability, jaccard, kuncheva, nogueira, selection_frequencies
from nffs.validation.chosen import Chosen, choose, evaluator_for, of_one_class

Over = Literal["seeds", "bootstrap", "subsamples"]


@dataclass(frozen=True)
class RepeatedSelection:
    """Selections under other seeds or rows, and how much they agree.

    Attributes
    ----------
    over : str
        What was varied.
    names : list of str
        All features that any run could select.
    selections : ndarray of shape (n_runs, n_features), bool
        What each run selected.
    stability : Stability
        Nogueira's measure, with its interval.
    jaccard, kuncheva : float, float or None
        Mean Jaccard index; Kuncheva's where all selections are of one size.
    share, low, high : ndarray of shape (n_features,)
        How often each feature is selected, with its interval.
    positive : str or None
        The positive one of two classes.
    """

    over: str
    names: list[str]
    selections: NDArray[np.bool_]
    stability: Stability
    jaccard: float
    kuncheva: float | None
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    positive: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        features = zip(self.names, self.share, self.low, self.high, strict=True)
        return {
            "over": self.over,
            "positive": self.positive,
            "stability": asdict(self.stability),
            "jaccard": self.jaccard,
            "kuncheva": self.kuncheva,
            "features": [
                {"name": name, "share": float(share), "low": float(low), "high": float(high)}
                for name, share, low, high in features
            ],
            "selections": [
                [name for name, kept in zip(self.names, row, strict=True) if kept]
                for row in self.selections
            ],
        }


def selection_stability(
    selector: Any,
    X: Any,
    y: Any,
    *,
    over: Over = "bootstrap",
    n_runs: int = 10,
    fraction: float = 0.8,
    evaluator: TableSelector | None = None,
    groups: Any = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    on_run: Callable[[Chosen], object] | None = None,
) -> RepeatedSelection:
    """Repeat a selection and measure how stable it is.

    Parameters
    ----------
    selector : NFFS, Selector or any scikit-learn selector
        As for `nested_score`, with a journal for every run, ``search.db.bootstrap-1`` and so on.
        Its `random_state`, if it has one, differs from run to run.
    X, y : table and labels
        As for `NFFS`.
    over : {'seeds', 'bootstrap', 'subsamples'}, default='bootstrap'
        What differs from run to run: only the seed; rows drawn with replacement; or a stratified
        part of the rows. With `groups`, whole groups are drawn.
    n_runs : int, default=10
        How many selections.
    fraction : float, default=0.8
        The share of the rows, or of the groups, in a subsample.
    evaluator : NFFS or Selector, optional
        Its pos_label and encoding options read the table for selectors of other libraries. Without
        a pos_label, the rarer class of the whole table is the positive one in every run.
    groups : array-like, optional
        For splitters that keep groups together.
    confidence : float, default=0.95
        Level of the intervals.
    random_state : int, RandomState or None, default=0
        Seeds everything random in all runs.
    on_run : callable, optional
        Called after every run with its selection.
    """
    if over not in ("seeds", "bootstrap", "subsamples"):
        raise InputError(f"over: must be 'seeds', 'bootstrap' or 'subsamples', found {over!r}.")
    if n_runs < 2:
        raise InputError(f"n_runs: stability needs at least two runs, found {n_runs}.")
    if not 0 < fraction < 1:
        raise InputError(f"fraction: must lie between 0 and 1, found {fraction}.")
    evaluator = evaluator_for(selector, evaluator)
    selector, evaluator, labels = of_one_class(selector, evaluator, X, y)
    members = None if groups is None else _members(groups, len(labels))
    seed = seed_of(random_state)
    runs = []
    for run in range(n_runs):
        varied = clone(selector)
        if "random_state" in varied.get_params(deep=False):
            varied.set_params(random_state=derive_seed(seed, "run", run) % 2**31)
        drawn = derive_seed(seed, "rows", run) % 2**31
        rows = _rows(over, fraction, labels.strata, members, drawn)
        held = None if groups is None else take_rows(groups, rows)
        drawn_X, drawn_y = take_rows(X, rows), take_rows(y, rows)
        chosen = choose(varied, evaluator, drawn_X, drawn_y, held, f"{over}-{run + 1}")
        runs.append(chosen)
        if on_run is not None:
            on_run(chosen)
    names = list(dict.fromkeys(name for chosen in runs for name in chosen.names))
    selections = np.array([[name in set(chosen.selected) for name in names] for chosen in runs])
    equal = len(np.unique(selections.sum(axis=1))) == 1
    share, low, high = selection_frequencies(selections, confidence)
    return RepeatedSelection(
        over=over,
        names=names,
        selections=selections,
        stability=nogueira(selections, confidence),
        jaccard=jaccard(selections),
        kuncheva=kuncheva(selections) if equal else None,
        share=share,
        low=low,
        high=high,
        positive=labels.positive,
    )


def _rows(
    over: Over,
    fraction: float,
    codes: NDArray[Any],
    members: list[NDArray[np.intp]] | None,
    seed: int,
) -> NDArray[np.intp]:
    everything = np.arange(len(codes))
    if over == "seeds":
        return everything
    n_units = len(codes) if members is None else len(members)
    size = n_units if over == "bootstrap" else max(2, round(fraction * n_units))
    drawing = {"replace": over == "bootstrap", "n_samples": size, "random_state": seed}
    if members is None:
        return np.sort(resample(everything, stratify=codes, **drawing))
    drawn = resample(np.arange(n_units), **drawing)
    return np.sort(np.concatenate([members[group] for group in drawn]))


def _members(groups: Any, n_rows: int) -> list[NDArray[np.intp]]:
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    if len(codes) != n_rows:
        raise InputError(f"groups: {len(codes)} given for {n_rows} rows; give one for every row.")
    return [np.flatnonzero(codes == group) for group in range(int(codes.max()) + 1)]
