"""The search itself, many times: the distribution that the paper's 0.904 comes from.

Every search runs under two protocols. In the paper's, subsets are evaluated on the test file that
the result is then reported on. In the honest one they are evaluated on a quarter of the training
rows, held out, and the test file is asked once, about the subset that was kept. Nothing else
differs.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any, Literal

import numpy as np
from scipy.stats import mannwhitneyu, wilcoxon
from sklearn.model_selection import StratifiedShuffleSplit

from nffs._version import __version__
from nffs.paper.scores import CELLS
from nffs.paper.tables import Table
from nffs.selector.nffs import NFFS
from nffs.validation.given import F_SCORE, NAMES, SEARCH_SEEDS, TestBench, cell_worth, each_seed
from nffs.validation.kept import KeptResults, Result
from nffs.validation.whole import fit_whole

Protocol = Literal["test", "train"]
Step = Callable[[], object]

EVALUATED_ON: dict[Protocol, str] = {
    "test": "evaluated on the test file (the paper's protocol)",
    "train": "evaluated on a held-out quarter of the training rows",
}

AUC = NAMES.index("auc")

#: The positive class of the paper's tables, though UNSW-NB15 has more attacks than normal records.
ATTACK = 1

#: Forest parameters of a kept subset are chosen by fewer seeds than those of a reported one: there
#: are many more of them.
PARAMETER_SEEDS = SEARCH_SEEDS[:10]


@dataclass
class Experiment:
    """The data, the parameters of `NFFS`, and the seeds of the forests that score kept subsets."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    _: KW_ONLY
    parameters: dict[str, Any]
    seeds: Sequence[int]
    n_jobs: int | None = None

    @cached_property
    def bench(self) -> TestBench:
        """Both tables, encoded once for all subsets."""
        return TestBench(self.X, self.y, self.X_test, self.y_test, pos_label=ATTACK)

    def search(self, protocol: Protocol, seed: int, on_step: Step) -> Result:
        """Run one search and score what it kept, once, on the test file."""
        selector = self.fit(protocol, seed, on_step)
        subset = self.bench.subset(selector.selected_features_)
        searched = each_seed(lambda s: subset.grid(s, CELLS), PARAMETER_SEEDS, self.n_jobs)
        best = CELLS[int(cell_worth(searched).argmax())]
        runs = each_seed(lambda s: subset.run(s, best), self.seeds, self.n_jobs)
        return {
            "protocol": protocol,
            "seed": seed,
            "evaluated_on": EVALUATED_ON[protocol],
            "score": selector.fitness_,
            "selected": selector.selected_features_,
            "one_se": selector.one_se_features_,
            "seconds": selector.seconds_,
            "parameters": dict(best),
            "mean": runs.mean(axis=0).tolist(),
            "drawn_fitness": selector.drawn_fitness_.tolist(),
            "nested_fitness": selector.nested_fitness_.tolist(),
        }

    def fit(self, protocol: Protocol, seed: int, on_step: Step, **changes: Any) -> NFFS:
        """Fit a selector under a protocol, with some parameters changed."""
        selector = NFFS(
            **{
                "evaluator": "paper",
                "engine": "fast",  # the same bits with and without a GPU
                "cv": StratifiedShuffleSplit(1, test_size=0.25, random_state=seed),
                **self.parameters,
                **changes,
            },
            pos_label=ATTACK,
            callbacks=[lambda _: on_step()],
            n_jobs=self.n_jobs,
            random_state=seed,
        )
        eval_set = (self.X_test, self.y_test) if protocol == "test" else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit_whole(selector, self.X, self.y, eval_set=eval_set)
        return selector


def searches_identity(experiment: Experiment) -> dict[str, str]:
    """Name everything that a search depends on, beside its protocol and its seed."""
    return {
        **experiment.bench.identity,
        "nffs": __version__,  # the search itself may change with it
        **{name: repr(value) for name, value in sorted(experiment.parameters.items())},
        "seeds": repr(list(experiment.seeds)),
        "parameter_seeds": repr(list(PARAMETER_SEEDS)),
        "cells": repr(CELLS),
    }


def resumable_searches(
    experiment: Experiment,
    search_seeds: Sequence[int],
    kept: KeptResults,
    on_step: Step = lambda: None,
) -> list[Result]:
    """Run all searches under both protocols and keep each result."""

    def skip(found: Result) -> None:
        for _ in range(1 + len(found["drawn_fitness"]) + len(found["nested_fitness"])):
            on_step()

    # By seed, then protocol: a stopped run has as many of one protocol as of the other.
    return [
        kept.once(f"{protocol}-{seed}", partial(experiment.search, protocol, seed, on_step), skip)
        for seed, protocol in product(search_seeds, EVALUATED_ON)
    ]


def resumable_illustration(experiment: Experiment, kept: KeptResults, on_step: Step) -> Result:
    """Run the search that the figures show, with PCA and without it, and keep what they show."""

    def search() -> Result:
        searched = experiment.fit("test", 0, on_step)
        plain = experiment.fit("test", 0, on_step, pca=None, n_nested=1)
        return {
            "mi": searched.mi_.tolist(),
            "threshold": float(searched.threshold_),
            "drawn": searched.drawn_fitness_.tolist(),
            "drawn_without_pca": plain.drawn_fitness_.tolist(),
            "nested": searched.nested_fitness_.tolist(),
        }

    def skip(found: Result) -> None:
        # Both searches also evaluated all features, and the second one a nested subset.
        n_subsets = sum(len(found[name]) for name in ("drawn", "nested", "drawn_without_pca"))
        for _ in range(n_subsets + 3):
            on_step()

    return kept.once("figures", search, skip)


def searches_table(results: Sequence[Result], reported: float | None) -> Table:
    """Summarise the scores that searches saw and those of the test rows.

    Where the paper's F-score is given, it also says how many searches reach it.
    """
    rows = []
    for protocol, mine in _by_protocol(results).items():
        f = np.array([r["mean"][F_SCORE] for r in mine])
        rows.append(
            (
                EVALUATED_ON[protocol],
                str(len(mine)),
                _spread([r["score"] for r in mine]),
                _spread(f),
                f"{f.min():.3f} to {f.max():.3f}",
                _spread([r["mean"][AUC] for r in mine]),
                _spread([len(r["selected"]) for r in mine], ".1f"),
                *([] if reported is None else [f"{(f >= reported).sum()} of {len(f)}"]),
            )
        )
    header = (
        "protocol", "searches", "score in the search", "F-score on the test rows", "range", "AUC",
        "features", *([] if reported is None else [f"at least the paper's {reported:.3f}"]),
    )  # fmt: skip
    title = "Repeated searches, each kept subset scored on the test rows"
    return Table("searches", title, header, rows)


def phases_sentence(results: Sequence[Result]) -> str:
    """Answer figure 6's claim over all searches: the best of phase II against that of phase I."""
    parts = []
    for protocol, mine in _by_protocol(results).items():
        gains = np.array([max(r["nested_fitness"]) - max(r["drawn_fitness"]) for r in mine])
        p = wilcoxon(gains).pvalue if np.any(gains) else 1.0
        parts.append(
            f"{EVALUATED_ON[protocol]}, it is {_spread(gains, '+.4f')}, and above 0 in "
            f"{(gains > 0).sum()} of {len(gains)} searches (paired Wilcoxon p {p:.1g})"
        )
    return (
        "How much higher is the fitness of the best nested subset than that of the best drawn one? "
        f"If subsets are {'; '.join(parts)}."
    )


def honesty_sentence(results: Sequence[Result]) -> str:
    """Say how much the test file's part in the search is worth."""
    both = _by_protocol(results)
    f = {name: np.array([r["mean"][F_SCORE] for r in mine]) for name, mine in both.items()}
    p = mannwhitneyu(f["test"], f["train"]).pvalue
    return (
        "Choosing the features on the test file instead of on training rows changes the F-score "
        f"on the test file by {f['test'].mean() - f['train'].mean():+.3f} (Mann-Whitney p {p:.1g} "
        f"over {len(f['test'])} and {len(f['train'])} searches)."
    )


def chosen_table(results: Sequence[Result], most: int = 25) -> Table:
    """Count how often each feature is chosen under each protocol."""
    each = [
        (Counter(f for r in mine for f in r["selected"]), len(mine))
        for mine in _by_protocol(results).values()
    ]
    both = each[0][0] + each[1][0]
    names = sorted(both, key=lambda name: (-both[name], name))[:most]
    rows = [(name, *(f"{count[name]} of {total}" for count, total in each)) for name in names]
    header = ("feature", *EVALUATED_ON.values())
    title = f"How often a feature is chosen: the {len(names)} that are chosen most often"
    return Table("chosen", title, header, rows)


def _by_protocol(results: Sequence[Result]) -> dict[Protocol, list[Result]]:
    return {p: [r for r in results if r["protocol"] == p] for p in EVALUATED_ON}


def _spread(values: Any, form: str = ".3f") -> str:
    array = np.asarray(values, dtype=float)
    deviation = array.std(ddof=1) if len(array) > 1 else 0.0
    return f"{array.mean():{form}}±{deviation:{form.lstrip('+')}}"
