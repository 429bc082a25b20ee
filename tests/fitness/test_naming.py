"""Names of estimators and scorers: the same for what computes the same, and for nothing else."""

import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, fbeta_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer

from nffs import InputError
from nffs.fitness.naming import name_of


def voting(middle):
    """Give an estimator whose repr is cut in the middle, where `middle` stands."""
    logistic = LogisticRegression(class_weight={0: 1.5, 1: 2.5}, max_iter=123, tol=0.0123)
    around = [(f"before_{i}", logistic) for i in range(6)], [(f"z{i}", logistic) for i in range(6)]
    return VotingClassifier([*around[0], ("middle", middle), *around[1]])


def scorer(sign):
    return lambda estimator, X, y: sign * estimator.score(X, y)


def local(base):
    class Local(base):
        def predict(self, X):
            return super().predict(X)

    return Local


def other_local(base):
    class Local(base):
        def predict(self, X):
            return 1 - super().predict(X)

    Local.__qualname__ = local(base).__qualname__
    return Local


def made(source):
    """Give a function of no module."""
    names = {"__name__": None}
    exec(source, names)
    return names["f"]


HALF, WHOLE = 0.5, 1.0


def halved(X):
    return X * HALF


def whole(X):
    return X * WHOLE


whole.__qualname__ = whole.__name__ = "halved"


class Holder:
    def __init__(self, held):
        self.held = held


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (make_scorer(fbeta_score, beta=0.1), make_scorer(fbeta_score, beta=10)),
        (make_scorer(accuracy_score), make_scorer(accuracy_score, greater_is_better=False)),
        (
            make_scorer(accuracy_score),
            make_scorer(accuracy_score, response_method="decision_function"),
        ),
        (scorer(1), scorer(-1)),
        (lambda e, X, y: e.score(X, y), lambda e, X, y: -e.score(X, y)),
        (partial(fbeta_score, beta=1), partial(fbeta_score, beta=2)),
        (halved, whole),
        (made("def f(x): return x"), made("def f(x): return -x")),
        (voting(GaussianNB()), voting(GaussianNB(var_smoothing=1e-3))),
        (local(GaussianNB)(), other_local(GaussianNB)()),
        (GaussianNB(priors=np.linspace(0, 1, 3000)), GaussianNB(priors=np.linspace(0, 2, 3000))),
        (
            FunctionTransformer(lambda X: X, kw_args={"a": 1}),
            FunctionTransformer(lambda X: X + 1, kw_args={"a": 1}),
        ),
        (
            FrozenEstimator(GaussianNB().fit([[0], [1]], [0, 1])),
            FrozenEstimator(GaussianNB().fit([[0], [2]], [0, 1])),
        ),
        (Holder([1]), Holder([1.0])),
        (np.random.RandomState(0), np.random.RandomState(1)),
        ({"a": {1, 2}}, {"a": {1, 3}}),
    ],
)
def test_what_computes_something_else_has_another_name(one, other):
    assert name_of(one, "x") != name_of(other, "x")


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_scorer(fbeta_score, beta=0.1, pos_label="b"),
        lambda: scorer(1),
        lambda: local(GaussianNB)(),
        lambda: voting(RandomForestClassifier(max_features=np.float64(0.5))),
        lambda: FunctionTransformer(lambda X: np.log1p(X)),
        lambda: Holder({"b", "a", "c"}),
        lambda: {"b": 1, "a": 2},
    ],
)
def test_what_computes_the_same_has_the_same_name(make):
    assert name_of(make(), "x") == name_of(make(), "x")


def test_the_order_of_arguments_does_not_matter():
    one, other = {"b": 1, "a": 2}, {"a": 2, "b": 1}
    assert name_of(make_scorer(fbeta_score, **one), "x") == name_of(
        make_scorer(fbeta_score, **other), "x"
    )


def test_other_processes_give_the_same_names():
    code = (
        "import sys\n"
        "from nffs.fitness.naming import name_of\n"
        "limit = 0.3\n"
        "class Scorer:\n"
        "    words = {'a', 'b', 'c'}\n"
        "    def __call__(self, e, X, y):\n"
        "        return max(limit, e.score(X, y)) if 'a' in self.words else {'x', 'y', 'z'}\n"
        "print(name_of([Scorer(), lambda e: e in {'p', 'q', 'r'}], 'x'))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_packages_are_named_with_their_versions():
    import pandas

    frame = pandas.DataFrame({"a": [1]})
    assert f"pandas {pandas.__version__}" in name_of(Holder(frame), "x")


class Estimator(BaseEstimator):
    def __init__(self, held=None):
        self.held = held


def test_what_contains_itself_has_a_name():
    inner = []
    inner.append(inner)
    assert name_of(Estimator(inner), "x") == name_of(Estimator(inner), "x")


def test_what_cannot_be_named_is_refused_with_a_remedy():
    with pytest.raises(InputError, match=r"estimator: cannot be identified .*lock.*; write it"):
        name_of(Estimator(threading.Lock()), "estimator")
