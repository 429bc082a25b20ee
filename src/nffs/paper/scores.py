"""The paper's table of scores (table 5): every reported subset under one parameter search."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from nffs.fitness import Group
from nffs.paper.reported import ReportedSubset
from nffs.paper.tables import Table
from nffs.validation.given import (
    DEPTHS,
    NAMES,
    PAPER_SEEDS,
    SEARCH_SEEDS,
    TREES,
    TestBench,
    cell_worth,
    each_seed,
)

CELLS: tuple[Group, ...] = tuple({"n_estimators": t, "max_depth": d} for t in TREES for d in DEPTHS)

#: A difference below this is none, however small the paper's standard deviation.
SMALL = 0.01


def score_subset(
    bench: TestBench,
    subset: ReportedSubset,
    seeds: Sequence[int],
    n_jobs: int | None = None,
    on_run: Callable[[], object] | None = None,
) -> dict[str, Any]:
    """Score a reported subset with the best parameters, and with those that match the paper.

    The best parameters are those of the highest F-score over seeds that are not reported (its mean
    less its standard error). The matching ones are those whose indicators lie closest to the
    paper's: they tell what the paper may have used, not what is good.
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


def resumable_scores(
    bench: TestBench,
    subsets: Sequence[ReportedSubset],
    folder: Path,
    *,
    seeds: Sequence[int] = PAPER_SEEDS,
    n_jobs: int | None = None,
    on_run: Callable[[], object] | None = None,
) -> list[dict[str, Any]]:
    """Score all subsets, keeping each in a file: a stopped run goes on with the next one."""
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    for number, subset in enumerate(subsets):
        path = folder / f"{number}-{subset.method.replace(' ', '-')}-{len(seeds)}.json"
        if not path.exists():
            result = score_subset(bench, subset, seeds, n_jobs, on_run)
            partial = path.with_suffix(".part")
            partial.write_text(json.dumps(result), encoding="utf-8")
            partial.replace(path)
        elif on_run is not None:
            for _ in range(len(seeds) + len(SEARCH_SEEDS)):
                on_run()
        results.append(json.loads(path.read_text(encoding="utf-8")))
    return results


def own_scores_table(results: Sequence[dict[str, Any]]) -> Table:
    """Show our scores alone: on rows that are not the paper's there is nothing to set them by."""
    rows = []
    for result in results:
        cell = result["best"]
        shown = [f"{m:.3f}±{s:.3f}" for m, s in zip(cell["mean"], cell["std"], strict=True)]
        rows.append((result["method"], str(result["n_encoded"]), _told(cell), *shown))
    header = ("method", "features", "parameters", *NAMES)
    return Table("scores", "Scores on the test rows with the best parameters", header, rows)


def scores_table(subsets: Sequence[ReportedSubset], results: Sequence[dict[str, Any]]) -> Table:
    """Set our scores beside the paper's, with both choices of parameters."""
    rows = []
    for subset, result in zip(subsets, results, strict=True):
        paper = [f"{mean:.3f}±{sd:.3f}" for mean, sd in subset.scores]
        rows.append((subset.method, "the paper", "not given", *paper))
        for which in ("matching", "best"):
            cell = result[which]
            shown = [
                f"{cell['mean'][i]:.3f}±{cell['std'][i]:.3f} ({_in_units(cell['mean'][i], *p)})"
                for i, p in enumerate(subset.scores)
            ]
            rows.append((subset.method, f"ours, {which}", _told(cell), *shown))
    header = ("method", "whose", "parameters", *NAMES)
    title = "Scores on the test file; in brackets the difference in the paper's standard deviations"
    return Table("scores", title, header, rows)


def agreement(subset: ReportedSubset, result: dict[str, Any], which: str) -> list[bool]:
    """Tell for every indicator whether ours lies within two standard deviations, or 0.01."""
    away = np.abs(np.array(result[which]["mean"]) - _means(subset))
    return [bool(near) for near in away <= _tolerances(subset)]


def ordering_table(results: Sequence[dict[str, Any]]) -> Table:
    """Compare the paper's own subset, the last, with every other under equal parameter search."""
    own = np.array(results[-1]["best_runs"])
    rows = []
    for result in results[:-1]:
        other = np.array(result["best_runs"])
        cells = []
        for i in range(len(NAMES)):
            difference = own[:, i] - other[:, i]
            p = wilcoxon(difference).pvalue if np.any(difference) else 1.0
            cells.append(f"{difference.mean():+.3f} (p {p:.1g})")
        rows.append((f"NFFS less {result['method']}", *cells))
    title = "Is the paper's subset first? Mean difference over the seeds, paired Wilcoxon test"
    return Table("ordering", title, ("", *NAMES), rows)


def ordering_sentence(results: Sequence[dict[str, Any]]) -> str:
    """Answer the paper's claim that its subset is first in all five indicators."""
    own = np.array(results[-1]["best_runs"])
    verdicts = []
    for i, name in enumerate(NAMES):
        ahead = [
            result["method"]
            for result in results[:-1]
            if not _surely_above(own[:, i], np.array(result["best_runs"])[:, i])
        ]
        verdicts.append(f"{name}: {'first' if not ahead else 'not ahead of ' + ', '.join(ahead)}")
    return (
        "Under equal parameter search the paper's subset stands (paired Wilcoxon test over the "
        f"seeds, p < 0.05) in {'; '.join(verdicts)}."
    )


def _surely_above(own: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    difference = own - other
    return bool(difference.mean() > 0 and wilcoxon(difference).pvalue < 0.05)


def _cell(runs: NDArray[np.float64], at: int) -> dict[str, Any]:
    spread = runs[:, at].std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(len(NAMES))
    return {**CELLS[at], "mean": runs[:, at].mean(axis=0).tolist(), "std": spread.tolist()}


def _told(cell: dict[str, Any]) -> str:
    return f"{cell['n_estimators']} trees, depth {cell['max_depth'] or 'any'}"


def _means(subset: ReportedSubset) -> NDArray[np.float64]:
    return np.array([mean for mean, _ in subset.scores])


def _tolerances(subset: ReportedSubset) -> NDArray[np.float64]:
    return np.array([max(2 * sd, SMALL) for _, sd in subset.scores])


def _in_units(ours: float, mean: float, sd: float) -> str:
    return f"{(ours - mean) / sd:+.1f}"
