"""A journal belongs to what decides a score, whoever wrote the scorer or the estimator."""

import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, fbeta_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from nffs import NFFS, InputError
from nffs.search.journal.file import reading, runs
from nffs.table.problem import Problem


def voting(smoothing):
    logistic = LogisticRegression(class_weight={0: 1.5, 1: 2.5}, max_iter=123, tol=0.0123)
    ends = [(f"a{i}", logistic) for i in range(6)], [(f"z{i}", logistic) for i in range(6)]
    middle = ("middle", GaussianNB(var_smoothing=smoothing))
    return VotingClassifier([*ends[0], middle, *ends[1]])


def scaled(estimator, X, y, by):
    return by * estimator.score(X, y)


def fbeta(beta):
    return make_scorer(fbeta_score, beta=beta, pos_label="attack")


def accuracy(greater_is_better):
    return make_scorer(accuracy_score, greater_is_better=greater_is_better)


def plain():
    class Same(GaussianNB):
        pass

    return Same()


def turned():
    class Same(GaussianNB):
        def predict(self, X):
            return self.classes_[::-1][np.searchsorted(self.classes_, super().predict(X))]

    Same.__qualname__ = type(plain()).__qualname__
    return Same()


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ({"scoring": fbeta(0.1)}, {"scoring": fbeta(10)}, r"scoring was .*0\.1.*is .*10"),
        ({"scoring": accuracy(True)}, {"scoring": accuracy(False)}, "scoring was .*'_sign': 1"),
        (
            {"scoring": lambda e, X, y: e.score(X, y)},
            {"scoring": lambda e, X, y: -e.score(X, y)},
            "scoring was",
        ),
        ({"scoring": partial(scaled, by=1)}, {"scoring": partial(scaled, by=-1)}, "scoring was"),
        (
            {"estimator": voting(1e-9)},
            {"estimator": voting(0.1)},
            r"estimator was .*smoothing=1e-09.*is .*smoothing=0\.1",
        ),
        ({"estimator": plain()}, {"estimator": turned()}, "estimator was"),
        (
            {"estimator": make_pipeline(FunctionTransformer(lambda X: X), GaussianNB())},
            {"estimator": make_pipeline(FunctionTransformer(lambda X: X**2), GaussianNB())},
            "estimator was",
        ),
    ],
    ids=[
        "arguments of a scorer",
        "sign of a scorer",
        "lambdas",
        "arguments of a function",
        "the middle of an estimator",
        "classes of one name",
        "functions in one",
    ],
)
def test_no_journal_mixes_two_scorers_or_estimators(
    quick, connections, tmp_path, first, second, named
):
    X, y = connections.data, connections.target
    path = tmp_path / "j"
    before = quick(**first, journal=path).fit(X, y)
    with pytest.raises(InputError, match=named) as raised:
        quick(**second, journal=path).fit(X, y)
    assert len(str(raised.value)) < 1200
    again = quick(**first, journal=path).fit(X, y)  # and what is the same goes on
    assert again.fitness_ == before.fitness_


WITH_A_LAMBDA = """
import sys
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from nffs import NFFS, make_connections

elsewhere = [object() for _ in range(int(sys.argv[2]))]  # no address is the same as before
estimator = make_pipeline(FunctionTransformer(lambda X: X * 2), GaussianNB())
given = {"estimator": estimator, "n_subsets": 4, "n_nested": 2, "cv": 2, "random_state": 0}
table = make_connections(100)
print(NFFS(**given, journal=sys.argv[1]).fit(table.data, table.target).fitness_)
"""


def test_a_search_whose_estimator_holds_a_lambda_goes_on(tmp_path):
    code = [sys.executable, "-W", "ignore", "-c", WITH_A_LAMBDA, str(tmp_path / "j")]
    first, again = (
        subprocess.run([*code, n], stdout=subprocess.PIPE, check=True).stdout
        for n in ("1", "100000")
    )
    assert again == first
    with reading(tmp_path / "j") as connection:
        assert runs(connection)[1].evaluations == 0


def test_a_scorer_that_has_no_name_is_refused_only_with_a_journal(quick, connections, tmp_path):
    class Locked:
        def __init__(self):
            self.lock = threading.Lock()

        def __call__(self, estimator, X, y):
            with self.lock:
                return estimator.score(X, y)

    X, y = connections.data, connections.target
    quick(scoring=Locked()).fit(X, y)
    with pytest.raises(InputError, match=r"scoring: cannot be identified in a journal"):
        quick(scoring=Locked(), journal=tmp_path / "j").fit(X, y)


@pytest.mark.parametrize(
    ("program", "found", "item"),
    [
        ("blas_kernels", lambda: "openblas Other", "blas"),
        ("vector_units", lambda: "X86_V2", "vectors"),
        ("version", lambda name: "0.0", "versions"),
    ],
    ids=["BLAS kernels", "vector units", "versions"],
)
def test_no_journal_mixes_programs_that_compute(
    quick, connections, tmp_path, monkeypatch, program, found, item
):
    X, y = connections.data, connections.target
    quick(journal=tmp_path / "j").fit(X, y)
    monkeypatch.setattr(f"nffs.fitness.identity.{program}", found)
    with pytest.raises(InputError, match=rf"belongs to another search: .*{item} was"):
        quick(journal=tmp_path / "j").fit(X, y)


def test_labels_beyond_a_sample_belong_to_the_identity(tmp_path):
    """They decide the order of the features, which is the order of the masks."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] + 0.8 * X[:, 1] + rng.normal(size=400) > 0).astype(int)
    options = {"max_rows": 60, "estimator": GaussianNB(), "n_subsets": 4, "n_nested": 2}
    options |= {"random_state": 0, "threshold": 0.0}
    sampled = _sampled(X, y)
    turned = y.copy()
    for between in np.split(np.arange(400), sampled):
        rows = between[~np.isin(between, sampled)]
        turned[rows] = np.sort(y[rows])[np.argsort(np.argsort(X[rows, 3]))]
    assert np.array_equal(_sampled(X, turned), sampled)  # the rows that evaluate are the same
    before = NFFS(**options, journal=tmp_path / "j").fit(X, y)
    with pytest.raises(InputError, match=r"belongs to another search: .*order was"):
        NFFS(**options, journal=tmp_path / "j").fit(X, turned)
    again = NFFS(**options, journal=tmp_path / "j").fit(X, y)
    assert again.fitness_ == before.fitness_


def _sampled(X, y):
    """Find the rows of the sample."""
    matrix = Problem.read(X, y, max_rows=60, seed=0).matrix
    return np.array([np.flatnonzero(np.isclose(X, row).all(axis=1))[0] for row in matrix])
