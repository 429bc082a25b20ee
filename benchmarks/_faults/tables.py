"""Random tables and random forests.

A table must be refused with a sentence, or give the same selection with one thread and with two,
with a journal, from a journal alone, from its saved file, with its columns in another order, and
with -0.0 instead of 0.0. One in three has groups of categories, two in three have constraints. How
its halves differ must not depend on the order of the columns either. One tree without randomness
(all rows, all columns) must predict the same class proportions on its training rows as
scikit-learn's tree does.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

from _faults.record import Outcome
from nffs import NFFS, BinnedForestClassifier, InputError, Selection, Selector, shift

_METHODS = ("nffs", "nffs", "nffs", "ga", "mrmr", "guided")


def attempt_table(folder: Path, number: int, rng: random.Random) -> Outcome:
    """Select from a random table in several ways that must not matter."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    X, y = _table(numbers)
    weights = numbers.choice([0.0, 0.5, 1.0, 3.0], len(y)) if rng.random() < 0.2 else None
    method = rng.choice(_METHODS)
    how = {"param_groups": [{"n_estimators": 3}], "random_state": 0}
    how |= {"cv": rng.choice([2, 3]), "unit": rng.choice(["category", "column"])}
    how |= {"categories": rng.choice(["onehot", "onehot", "cluster"])}
    how |= rng.choice([{}, {}, {"max_features": 3}, {"include": X.columns[-1]}])
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("journal*"):
        file.unlink()

    def fit(X: pl.DataFrame = X, **options: Any) -> Any:
        if method == "nffs":
            selector = NFFS(n_subsets=6, n_nested=3, **how, **options)
        else:
            selector = Selector(method, max_evaluations=8, **how, **options)
        return selector.fit(X, y, sample_weight=weights)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        faults = list(_shift_faults(X))
        try:
            first = fit()
        except InputError:
            return Outcome(faults=faults, counts={"refused": 1})
        except Exception as error:
            return Outcome(faults=[*faults, f"{method}: {error!r}"[:300]])
        faults += _differences(first, fit, X, folder)
        return Outcome(faults=faults, counts={"selected": 1})


def _shift_faults(X: pl.DataFrame) -> Any:
    """Say how the two halves of a table moved: an answer, or a sentence, whatever the order."""
    half = X.height // 2
    try:
        one, other = (shift(T[:half], T[half:]) for T in (X, _turned(X)))
    except InputError:
        return
    except Exception as error:
        yield f"shift: {error!r}"[:300]
        return
    if sorted((c.name, c.auc) for c in one.columns) != sorted(
        (c.name, c.auc) for c in other.columns
    ):
        yield "another shift from the columns in another order, with -0.0 for 0.0"


def _differences(first: Any, fit: Any, X: Any, folder: Path) -> Any:
    expected = replace(first.selection_, seconds=0.0)
    if not first.selected_features_ or not np.isfinite(first.fitness_):
        yield f"selected {first.selected_features_} with {first.fitness_}"
    for what, options in {
        "two threads": {"n_jobs": 2},
        "a journal": {"journal": folder / "journal"},
        "a journal alone": {"journal": folder / "journal"},
    }.items():
        try:
            if replace(fit(**options).selection_, seconds=0.0) != expected:
                yield f"another selection with {what}"
        except Exception as error:
            yield f"{what}: {error!r}"[:300]
    try:
        if _found(fit(_turned(X))) != _found(first):
            yield "another selection from the columns in another order, with -0.0 for 0.0"
    except Exception as error:
        yield f"another order: {error!r}"[:300]
    first.selection_.save(folder / "selection.json")
    loaded = Selection.load(folder / "selection.json")
    if replace(loaded, seconds=0.0) != expected:
        yield "another selection after a round trip"
    here, there = first.transform(X), loaded.transform(X)
    if not here.equals(there):
        yield "the loaded selection transforms otherwise"


def _turned(X: pl.DataFrame) -> pl.DataFrame:
    """Give the same values otherwise: the columns from last to first, and -0.0 where 0.0 was."""
    columns = [
        pl.Series(c.name, np.where(c.to_numpy() == 0, -0.0, c.to_numpy()))
        if c.dtype.is_float() else c
        for c in X.iter_columns()
    ]  # fmt: skip
    return pl.DataFrame(columns[::-1])


def _found(selector: Any) -> Any:
    """Give what a search found, whatever the order of the columns."""
    scores = selector.archive_fitness_.tobytes(), selector.fitness_
    return sorted(selector.selected_features_), scores, selector.fingerprint_


def _table(rng: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
    n = int(rng.integers(2, 120))
    columns: dict[str, Any] = {}
    for place in range(int(rng.integers(1, 8))):
        kind = rng.choice(
            ["normal", "few", "constant", "words", "flags", "missing", "copy", "huge", "tiny",
             "ids", "categories with none", "zeros"]
        )  # fmt: skip
        columns[rng.choice(["x", "naïve name", "=1+1", "a,b", "0"]) + str(place)] = _column(
            str(kind), n, rng, list(columns.values())
        )
    X = pl.DataFrame(columns)
    classes = int(rng.choice([1, 2, 2, 2, 3, 5]))
    base = rng.integers(0, classes, n)
    first = X.to_series(0)
    if first.dtype.is_float() and rng.random() < 0.7:
        base = np.minimum(np.nan_to_num(first.to_numpy()) > 0, classes - 1).astype(int)
    labels = [np.arange(classes), np.array(list("cadbe"))[:classes], np.arange(classes) - 1.0]
    return X, labels[rng.integers(3)][base]


def _column(kind: str, n: int, rng: np.random.Generator, before: list[Any]) -> Any:
    if kind == "few":
        return rng.integers(0, 3, n)
    if kind == "constant":
        return np.full(n, 7.0)
    if kind in ("words", "categories with none"):
        words = rng.choice(np.array(["a", "b", "", "ä", "long word"], dtype=object), n)
        if kind != "words":
            words[rng.random(n) < 0.2] = None
        return pl.Series(values=words.tolist(), dtype=pl.String)
    if kind == "flags":
        return rng.random(n) < 0.3
    if kind == "missing":
        return np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n))
    if kind == "copy" and before:
        return before[-1]
    if kind == "ids":
        return np.arange(n) + 10**9
    if kind == "zeros":
        return rng.choice([0.0, -0.0, 1.0], n)
    scale = {"huge": 1e30, "tiny": 1e-30}.get(kind, 1.0)
    return rng.normal(size=n) * scale


def attempt_forest(number: int, rng: random.Random) -> Outcome:
    """Grow one tree without chance, here and by scikit-learn, and compare it on its own rows."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    n, d, k = (int(numbers.integers(*between)) for between in ((4, 300), (1, 6), (2, 6)))
    X = numbers.integers(0, int(numbers.integers(2, 40)), (n, d)).astype(np.float32)
    if rng.random() < 0.3:
        X += numbers.normal(size=(n, d)).astype(np.float32)
    y = numbers.integers(0, k, n)
    weights = numbers.uniform(0.5, 2.0, n) if rng.random() < 0.5 else None
    if len(np.unique(y)) < 2:
        return Outcome(counts={"one class": 1})
    alike = {"max_features": None, "random_state": 0}
    ours = BinnedForestClassifier(n_estimators=1, bootstrap=False, **alike)
    theirs = DecisionTreeClassifier(**alike)
    found, expected = (m.fit(X, y, sample_weight=weights).predict_proba(X) for m in (ours, theirs))
    if np.allclose(found, expected, atol=1e-6):
        return Outcome()
    return Outcome(faults=[f"shares differ by up to {np.abs(found - expected).max():.3g}"])
