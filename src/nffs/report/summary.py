"""What the page shows, as one plain dict: the template only places it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nffs.report.charts import histogram_chart, nested_chart, weights_chart
from nffs.selection import Selection
from nffs.threshold import mi_histogram

#: The feature table stays readable, and the page small, for tables of any width.
MOST_ROWS = 500


def summarize(selection: Selection) -> dict[str, Any]:
    """Gather what the report shows."""
    document = selection.document
    features = sorted(document["features"], key=lambda feature: int(feature["rank"]))
    varying = np.array([f["mi"] for f in features if f["probability"] > 0])
    nested = document["nested_fitness"]
    sizes = mi_histogram(varying)
    return {
        "title": f"{document['n_selected']} of {len(features)} features selected",
        "partial": document["partial"],
        "score": document["fitness"],
        "all_score": document["all_features_fitness"],
        "scoring": document["scoring"],
        "judged_on": document["judged_on"],
        "evaluations": document["evaluations"],
        "seconds": document["seconds"],
        "selected": [f["name"] for f in features if f["selected"]],
        "features": features[:MOST_ROWS],
        "n_left_out": max(0, len(features) - MOST_ROWS),
        # A search that was stopped has no whole curve.
        "nested_chart": (
            None
            if document["partial"]
            else nested_chart(nested, document["all_features_fitness"], document["n_selected"])
        ),
        "weights_chart": weights_chart(features),
        "mi_chart": histogram_chart(
            sizes.counts.tolist(), sizes.edges.tolist(), document["threshold"]
        ),
        "parameters": document["parameters"],
        "seed": document["seed"],
        "threshold": document["threshold"],
        "version": document["nffs_version"],
    }
