"""What reports say of groups of categories."""

import numpy as np
import pandas as pd
import pytest

from nffs import NFFS
from nffs.report import render_report
from nffs.report.summary import summarize

N = 300
RNG = np.random.default_rng(0)
CITY = RNG.choice(["Bonn", "Köln", "Ulm", "<b>"], N)
X = pd.DataFrame({"city": CITY, "n": RNG.normal(size=N), "m": RNG.normal(size=N)})
SOUTH = np.isin(CITY, ["Ulm", "<b>"])
SMALL = {
    "n_subsets": 4, "n_nested": 1, "cv": 2, "random_state": 0, "choose": "method",
    "categories": "cluster", "unit": "column", "include": "city",
}  # fmt: skip


def task_of(y):
    return "classification" if y.dtype.kind == "U" else "regression"


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (np.where(SOUTH, "late", "early"), {"0.0% late", "100.0% late"}),
        (np.where(SOUTH, "a", np.where(CITY == "Bonn", "b", "c")), {f"100.0% {c}" for c in "abc"}),
        (np.where(SOUTH, 2.25, 1.25), {"mean 2.25", "mean 1.25"}),
    ],
    ids=["two classes", "three classes", "numbers"],
)
def test_every_group_with_what_its_rows_say(y, says):
    evaluator = "logistic" if y.dtype.kind == "U" else "ridge"
    positive = "late" if "late" in y else None
    selector = NFFS(**SMALL, evaluator=evaluator, pos_label=positive, task=task_of(y))
    selection = selector.fit(X, y).selection_
    groups = summarize(selection)["groups"]
    assert {row["says"] for row in groups["rows"]} == says
    assert sum(row["rows"] for row in groups["rows"]) == N
    assert sum(row["unseen"] for row in groups["rows"]) == 1
    assert all(row["selected"] for row in groups["rows"])
    page = render_report(selection)
    assert '<h2 id="groups">' in page
    assert "<bdi><b></bdi>" not in page  # names are escaped


def test_nothing_where_nothing_was_grouped():
    plain = NFFS(**{**SMALL, "categories": "onehot"}, evaluator="logistic").fit(X, SOUTH)
    assert summarize(plain.selection_)["groups"] is None
    assert '<h2 id="groups">' not in render_report(plain.selection_)
