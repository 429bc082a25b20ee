"""The demo with many seeds: what its search finds, and what models gain by it on new records.

"one_se" is the search of `nffs demo`: of the last candidates it keeps the smallest whose score is
within one standard error of the best. "best" is the default of `nffs select`. "Signals" counts the
planted signals that the selection contains, themselves or as a copy; "information" is their share
of the mutual information of all signals; "noise" counts the selected columns that have nothing to
do with the label. "forest", "boosting" and "logistic" are the F-scores of these models on as many
new records, which no search saw: with the selection minus with all columns.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from _common import parser, progress, save, table

from nffs import NFFS, make_connections
from nffs.validation.unseen import score_models
from nffs.validation.whole import fit_whole

RULES = ("one_se", "best")


def run(rule: Any, seed: int, threads: int) -> dict[str, float]:
    """Search once, as the demo does."""
    table, more = make_connections(), make_connections(random_state=1)
    selector = NFFS(choose=rule, pos_label="attack", n_jobs=threads, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_whole(selector, table.data, table.target)
        unseen = score_models(
            selector, table.data, table.target, more.data, more.target, n_jobs=threads
        )
    mi = dict(zip(selector.features_, selector.mi_, strict=True))
    strength = {s: max(mi[c] for c in names) for s, names in table.planted.items()}
    found = table.found(selector.selected_features_)
    return {
        "features": len(selector.selected_features_),
        "signals": len(found),
        "information": sum(strength[s] for s in found) / sum(strength.values()),
        "noise": sum(name in table.noise for name in selector.selected_features_),
        **{model.name: model.selected - model.all_features for model in unseen.models},
    }


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    n_seeds = 2 if options.quick else 10
    cases = [(rule, seed) for seed in range(n_seeds) for rule in RULES]
    runs: dict[str, list[dict[str, float]]] = {rule: [] for rule in RULES}
    for rule, seed in progress(cases, len(cases), "searches"):
        runs[rule].append(run(rule, seed, options.threads))
    rows, figures = [], {}
    for rule, found in runs.items():
        values = {name: np.array([one[name] for one in found], dtype=float) for name in found[0]}
        figures[rule] = {name: value.tolist() for name, value in values.items()}
        for what, of in (
            ("mean", np.mean),
            ("sd", lambda value: np.std(value, ddof=1)),
            ("smallest", np.min),
            ("largest", np.max),
        ):
            rows.append([rule, what, *(float(of(value)) for value in values.values())])
    made = make_connections()
    print(
        f"the embedded table, {n_seeds} seeds: {len(made.planted)} signals, {len(made.noise)} "
        "columns of noise\n"
    )
    print(table(["choose", "", *figures[RULES[0]]], rows))
    save(options.json, {"seeds": n_seeds, "figures": figures})


if __name__ == "__main__":
    main()
