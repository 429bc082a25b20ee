"""The paper's table of scores (table 5): every reported subset under one parameter search."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from nffs.fitness import Group
from nffs.paper.reported import ReportedSubset
from nffs.paper.tables import Table
from nffs.report.names import counted
from nffs.validation.given import (
    DEPTHS,
    SEARCH_SEEDS,
    TREES,
    TestBench,
    cell_worth,
    each_seed,
)
from nffs.validation.kept import KeptResults, Result

CELLS: tuple[Group, ...] = tuple({"n_estimators": t, "max_depth": d} for t in TREES for d in DEPTHS)

#: The indicators as people write them, in the order of `nffs.validation.given.NAMES`.
INDICATORS = ("precision", "recall", "accuracy", "F-score", "AUC")

#: A difference below this is none, however small the paper's standard deviation.
SMALL = 0.01


def score_subset(
    bench: TestBench,
    subset: ReportedSubset,
    seeds: Sequence[int],
    n_jobs: int | None = None,
    on_run: Callable[[], object] | None = None,
) -> Result:
    """Score a reported subset with the best parameters, and with those that match the paper.

    The best parameters are those of the highest F-score over seeds that are not reported (its mean
    minus its standard error). The matching ones are those whose indicators lie closest to the
    paper's: they say what the paper may have used, not what is good.
    """
    prepared = bench.subset(subset.features)
    searched = each_seed(lambda s: prepared.grid(s, CELLS), SEARCH_SEEDS, n_jobs, on_run)
    runs = each_seed(lambda s: prepared.grid(s, CELLS), seeds, n_jobs, on_run)
    best = int(cell_worth(searched).argmax())
    away = np.abs(runs.mean(axis=0) - _means(subset)) / _tolerances(subset)
    matching = int(away.max(axis=1).argmin())
    return {
        "method": subset.method,
        "n_encoded": len(prepared.features),
        "seeds": list(seeds),
        "best": _cell(runs, best),
        "matching": _cell(runs, matching),
        "best_runs": runs[:, best].tolist(),
    }


def scores_identity(
    bench: TestBench, subsets: Sequence[ReportedSubset], seeds: Sequence[int]
) -> dict[str, str]:
    """Name everything that the scores of reported subsets depend on."""
    return {
        **bench.identity,
        "subsets": hashlib.blake2b(repr(list(subsets)).encode(), digest_size=8).hexdigest(),
        "seeds": repr(list(seeds)),
        "parameter_seeds": repr(list(SEARCH_SEEDS)),
        "trees": repr(TREES),
        "depths": repr(DEPTHS),
    }


def resumable_scores(
    bench: TestBench,
    subsets: Sequence[ReportedSubset],
    seeds: Sequence[int],
    kept: KeptResults,
    *,
    n_jobs: int | None = None,
    on_run: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Score all subsets and keep each result: a stopped run goes on with the next one."""

    def skip(_: Result) -> None:
        for _run in range(len(seeds) + len(SEARCH_SEEDS)):
            on_run()

    return [
        kept.once(
            f"{number}-{subset.method.replace(' ', '-')}",
            partial(score_subset, bench, subset, seeds, n_jobs, on_run),
            skip,
        )
        for number, subset in enumerate(subsets)
    ]


def own_scores_table(results: Sequence[Result]) -> Table:
    """Show our scores alone: on rows that are not the paper's there is nothing to set them by."""
    rows = []
    for result in results:
        cell = result["best"]
        shown = [f"{m:.3f}±{s:.3f}" for m, s in zip(cell["mean"], cell["std"], strict=True)]
        rows.append((result["method"], str(result["n_encoded"]), _parameters(cell), *shown))
    header = ("method", "features", "parameters", *INDICATORS)
    return Table("scores", "Scores on the test rows with the best parameters", header, rows)


def scores_table(subsets: Sequence[ReportedSubset], results: Sequence[Result]) -> Table:
    """Set our scores beside the paper's, with both choices of parameters."""
    rows = []
    for subset, result in zip(subsets, results, strict=True):
        paper = [f"{mean:.3f}±{sd:.3f}" for mean, sd in subset.scores]
        rows.append((subset.method, "the paper", "not given", *paper))
        for which in ("matching", "best"):
            cell = result[which]
            shown = [
                f"{ours:.3f}±{spread:.3f} ({(ours - mean) / sd:+.1f})"
                for ours, spread, (mean, sd) in zip(
                    cell["mean"], cell["std"], subset.scores, strict=True
                )
            ]
            rows.append((subset.method, f"ours, {which}", _parameters(cell), *shown))
    header = ("method", "whose", "parameters", *INDICATORS)
    title = (
        "Scores on the test file; in brackets the difference from the paper's, in its standard "
        "deviations"
    )
    return Table("scores", title, header, rows)


def agreement(subset: ReportedSubset, result: dict[str, Any], which: str) -> list[bool]:
    """Say for every indicator whether ours lies within two standard deviations, or 0.01."""
    away = np.abs(np.array(result[which]["mean"]) - _means(subset))
    return [bool(near) for near in away <= _tolerances(subset)]


def ordering_table(results: Sequence[Result]) -> Table:
    """Compare the paper's own subset, the last, with the others after the same parameter search."""
    own = np.array(results[-1]["best_runs"])
    rows = []
    for result in results[:-1]:
        cells = []
        for difference in (own - result["best_runs"]).T:
            p = wilcoxon(difference).pvalue if np.any(difference) else 1.0
            cells.append(f"{difference.mean():+.3f} (p {p:.1g})")
        rows.append((f"NFFS minus {result['method']}", *cells))
    title = "Is the paper's subset first? Mean difference over the seeds, paired Wilcoxon test"
    return Table("ordering", title, ("", *INDICATORS), rows)


def ordering_sentence(results: Sequence[Result]) -> str:
    """Answer the paper's claim that its subset is first in all five indicators."""
    verdicts = [
        f"in {name} it is {'first' if not ahead else 'not ahead of ' + ', '.join(ahead)}"
        for name, ahead in not_ahead_of(results).items()
    ]
    return (
        "Is NFFS, the paper's own subset, first if every subset gets the same parameter search? "
        f"I{'; '.join(verdicts)[1:]} (paired Wilcoxon test over the seeds, p < 0.05)."
    )


def not_ahead_of(results: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Give for every indicator the subsets that the paper's own, the last, is not surely above."""
    own = np.array(results[-1]["best_runs"])
    return {
        name: [
            result["method"]
            for result in results[:-1]
            if not _surely_above((own - result["best_runs"])[:, i])
        ]
        for i, name in enumerate(INDICATORS)
    }


def _surely_above(difference: NDArray[np.float64]) -> bool:
    return bool(difference.mean() > 0 and wilcoxon(difference).pvalue < 0.05)


def _cell(runs: NDArray[np.float64], at: int) -> dict[str, Any]:
    spread = runs[:, at].std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(INDICATORS))
    return {**CELLS[at], "mean": runs[:, at].mean(axis=0).tolist(), "std": spread.tolist()}


def _parameters(cell: dict[str, Any]) -> str:
    return f"{counted(cell['n_estimators'], 'tree')}, depth {cell['max_depth'] or 'any'}"


def _means(subset: ReportedSubset) -> NDArray[np.float64]:
    return np.array([mean for mean, _ in subset.scores])


def _tolerances(subset: ReportedSubset) -> NDArray[np.float64]:
    return np.array([max(2 * sd, SMALL) for _, sd in subset.scores])
