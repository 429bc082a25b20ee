"""The demo with many seeds: the score of its selection and of all columns, and what it found.

"Signals found" counts the planted signals that the selection contains, themselves or as a copy.
"Information" is their share of the mutual information of all signals, and "noise columns" counts
the selected columns of pure noise.
"""

from __future__ import annotations

import warnings

import numpy as np
from _common import parser, progress, save, table

from nffs import NFFS, make_connections


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    n_seeds = 4 if options.quick else 30
    connections = make_connections()
    rows = []
    for seed in progress(range(n_seeds), n_seeds, "seeds"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = NFFS(pos_label="attack", n_jobs=options.threads, random_state=seed)
            selector.fit(connections.data, connections.target)
        mi = dict(zip(selector.features_, selector.mi_, strict=True))
        strength = {s: max(mi[c] for c in names) for s, names in connections.planted.items()}
        found = connections.found(selector.selected_features_)
        rows.append(
            {
                "selection": selector.fitness_,
                "all columns": selector.all_features_fitness_,
                "difference": selector.fitness_ - selector.all_features_fitness_,
                "features": len(selector.selected_features_),
                "signals found": len(found),
                "information": sum(strength[s] for s in found) / sum(strength.values()),
                "noise columns": sum(n.startswith("noise_") for n in selector.selected_features_),
            }
        )
    names = list(rows[0])
    values = np.array([[row[name] for name in names] for row in rows], dtype=float)
    figures = {
        name: {
            "mean": float(column.mean()),
            "sd": float(column.std(ddof=1)),
            "smallest": float(column.min()),
            "largest": float(column.max()),
        }
        for name, column in zip(names, values.T, strict=True)
    }
    print(f"the embedded table, {n_seeds} seeds, {selector.evaluated_on_}\n")
    print(
        table(
            ["", "mean", "sd", "smallest", "largest"],
            [[name, *figures[name].values()] for name in names],
        )
    )
    save(
        options.json, {"seeds": n_seeds, "evaluated_on": selector.evaluated_on_, "figures": figures}
    )


if __name__ == "__main__":
    main()
