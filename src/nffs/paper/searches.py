"""The search itself, many times: the distribution that the paper's 0.904 comes from.

Every search runs under two protocols. In the paper's, subsets are judged on the test file that the
result is then reported on. In the honest one they are judged on a quarter of the training rows,
held out, and the test file is asked once, about the subset that was kept. Nothing else differs.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.stats import mannwhitneyu, wilcoxon
from sklearn.model_selection import StratifiedShuffleSplit

from nffs.paper.scores import CELLS
from nffs.paper.tables import Table
from nffs.selector.nffs import NFFS
from nffs.validation.given import F_SCORE, NAMES, SEARCH_SEEDS, TestBench, cell_worth, each_seed

Protocol = Literal["test", "train"]

TOLD: dict[Protocol, str] = {
    "test": "judged on the test file (the paper's protocol)",
    "train": "judged on a held out quarter of the training rows",
}

AUC = NAMES.index("auc")

#: Forest parameters of a kept subset are chosen by fewer seeds than those of a reported one: there
#: are many more of them.
PARAMETER_SEEDS = SEARCH_SEEDS[:10]


@dataclass(frozen=True)
class Experiment:
    """What all searches share.

    Attributes
    ----------
    X, y, X_test, y_test : tables and labels
        The data.
    parameters : dict
        Of `NFFS`: sizes, groups.
    seeds : sequence of int
        Of the forests that score the kept subset.
    n_jobs : int or None
        Threads.
    """

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    parameters: dict[str, Any]
    seeds: Sequence[int]
    n_jobs: int | None = None

    def search(
        self, protocol: Protocol, seed: int, bench: TestBench, on_step: Callable[[], object]
    ) -> dict[str, Any]:
        """Run one search and score what it kept, once, on the test file."""
        selector = self.fit(protocol, seed, on_step)
        subset = bench.subset(selector.selected_features_)
        searched = each_seed(lambda s: subset.grid(s, CELLS), PARAMETER_SEEDS, self.n_jobs)
        best = CELLS[int(cell_worth(searched).argmax())]
        runs = each_seed(lambda s: subset.run(s, best), self.seeds, self.n_jobs)
        return {
            "protocol": protocol,
            "seed": seed,
            "evaluated_on": TOLD[protocol],
            "believed": selector.fitness_,
            "selected": selector.selected_features_,
            "one_se": selector.one_se_features_,
            "seconds": selector.seconds_,
            "parameters": dict(best),
            "mean": runs.mean(axis=0).tolist(),
            "drawn_fitness": selector.drawn_fitness_.tolist(),
            "nested_fitness": selector.nested_fitness_.tolist(),
        }

    def fit(
        self,
        protocol: Protocol,
        seed: int,
        on_step: Callable[[], object] | None = None,
        **changes: Any,
    ) -> NFFS:
        """Fit a selector under a protocol, with some parameters changed."""
        callbacks = [] if on_step is None else [lambda _: on_step()]
        held_out = StratifiedShuffleSplit(1, test_size=0.25, random_state=seed)
        parameters = {"cv": held_out, **self.parameters, **changes}
        selector = NFFS(**parameters, callbacks=callbacks, n_jobs=self.n_jobs, random_state=seed)
        eval_set = (self.X_test, self.y_test) if protocol == "test" else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector.fit(self.X, self.y, eval_set=eval_set)
        return selector


def resumable_searches(
    experiment: Experiment,
    bench: TestBench,
    search_seeds: Sequence[int],
    folder: Path,
    on_step: Callable[[], object] = lambda: None,
) -> list[dict[str, Any]]:
    """Run all searches under both protocols, keeping each in a file."""
    folder.mkdir(parents=True, exist_ok=True)
    return list(_searches(experiment, bench, search_seeds, folder, on_step))


def _searches(
    experiment: Experiment,
    bench: TestBench,
    search_seeds: Sequence[int],
    folder: Path,
    on_step: Callable[[], object],
) -> Iterator[dict[str, Any]]:
    # By seed, then protocol: a stopped run has as many of one protocol as of the other.
    for seed in search_seeds:
        for protocol in TOLD:
            path = folder / f"{protocol}-{seed}.json"
            if not path.exists():
                result = experiment.search(protocol, seed, bench, on_step)
                partial = path.with_suffix(".part")
                partial.write_text(json.dumps(result), encoding="utf-8")
                partial.replace(path)
                yield result
                continue
            result = json.loads(path.read_text(encoding="utf-8"))
            for _ in range(1 + len(result["drawn_fitness"]) + len(result["nested_fitness"])):
                on_step()
            yield result


def searches_table(results: Sequence[dict[str, Any]], reported: float | None) -> Table:
    """Summarise believed and obtained scores, and where the paper's F-score lies if it is given."""
    rows = []
    for protocol, told in TOLD.items():
        mine = [r for r in results if r["protocol"] == protocol]
        f = np.array([r["mean"][F_SCORE] for r in mine])
        rows.append(
            (
                told,
                str(len(mine)),
                _spread([r["believed"] for r in mine]),
                _spread(f),
                f"{f.min():.3f} to {f.max():.3f}",
                _spread([r["mean"][AUC] for r in mine]),
                _spread([len(r["selected"]) for r in mine], ".1f"),
                *([] if reported is None else [f"{(f >= reported).sum()} of {len(f)}"]),
            )
        )
    header = (
        "protocol", "searches", "believed fitness", "F-score on the test rows", "range", "AUC",
        "features", *([] if reported is None else [f"at least the paper's {reported:.3f}"]),
    )  # fmt: skip
    title = "Repeated searches, each kept subset scored on the test rows"
    return Table("searches", title, header, rows)


def phases_sentence(results: Sequence[dict[str, Any]]) -> str:
    """Answer figure 6's claim over all searches: the best of phase II against that of phase I."""
    told = []
    for protocol in TOLD:
        gains = np.array(
            [
                max(r["nested_fitness"]) - max(r["drawn_fitness"])
                for r in results
                if r["protocol"] == protocol
            ]
        )
        p = wilcoxon(gains).pvalue if np.any(gains) else 1.0
        told.append(
            f"{TOLD[protocol]}: the best nested subset beats the best drawn one by "
            f"{_spread(gains, '+.4f')} in fitness, in {(gains > 0).sum()} of {len(gains)} searches "
            f"(paired Wilcoxon p {p:.1g})"
        )
    return f"Phase II against phase I over all searches: {'; '.join(told)}."


def honesty_sentence(results: Sequence[dict[str, Any]]) -> str:
    """Say how much the test file's part in the search is worth."""
    f = {
        protocol: np.array([r["mean"][F_SCORE] for r in results if r["protocol"] == protocol])
        for protocol in TOLD
    }
    p = mannwhitneyu(f["test"], f["train"]).pvalue
    return (
        "Choosing the features on the test file gives an F-score on it that is "
        f"{f['test'].mean() - f['train'].mean():+.3f} above what choosing them on training rows "
        f"gives (Mann-Whitney p {p:.1g} over {len(f['test'])} and {len(f['train'])} searches)."
    )


def chosen_table(results: Sequence[dict[str, Any]], most: int = 25) -> Table:
    """Count how often each feature is chosen under each protocol."""
    counts = {
        protocol: Counter(f for r in results if r["protocol"] == protocol for f in r["selected"])
        for protocol in TOLD
    }
    total = {protocol: sum(r["protocol"] == protocol for r in results) for protocol in TOLD}
    both = counts["test"] + counts["train"]
    names = sorted(both, key=lambda name: (-both[name], name))[:most]
    rows = [(name, *(f"{counts[p][name]} of {total[p]}" for p in TOLD)) for name in names]
    return Table("chosen", "How often a feature is chosen", ("feature", *TOLD.values()), rows)


def _spread(values: Any, form: str = ".3f") -> str:
    array = np.asarray(values, dtype=float)
    deviation = array.std(ddof=1) if len(array) > 1 else 0.0
    return f"{array.mean():{form}}±{deviation:{form.lstrip('+')}}"
