"""Names of estimators and scorers: the same for what computes the same, and for nothing else."""

import subprocess
import sys
import threading
from functools import partial
from types import ModuleType

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


#: Code of a user whose scorer does with A what it does not with B.
SCORERS = {
    "a cached function": "@lru_cache\ndef f(): return A\ndef scorer(*_): return f()",
    "a cached function's closure": (
        "def make(k):\n    @lru_cache\n    def f(): return k\n    return f\n"
        "f = make(A)\ndef scorer(*_): return f()"
    ),
    "an attribute of a function": "def scorer(*_): return scorer.k\nscorer.k = A",
    "a cached property": (
        "class C:\n    @cached_property\n    def k(self): return A\nc = C()\n"
        "def scorer(*_): return c.k"
    ),
    "a metaclass": (
        "class M(type):\n    def __call__(cls): return A\nclass C(metaclass=M): pass\n"
        "def scorer(*_): return C()"
    ),
    **{
        f"a class derived from {kind}": (
            f"class C({kind}): k = A\nc = C({given})\ndef scorer(*_): return c.k"
        )
        for kind, given in {
            "list": "",
            "tuple": "",
            "dict": "",
            "set": "",
            "int": "1",
            "str": "1",
        }.items()
    },
    "an array with a mask": (
        "a = np.ma.masked_array([1, 2], mask=[A - 1, 0])\ndef scorer(*_): return a.sum()"
    ),
    "a class derived from arrays": (
        "class C(np.ndarray): k = A\nc = np.zeros(1).view(C)\ndef scorer(*_): return c.k"
    ),
    "a mapping that cannot be changed": (
        "m = MappingProxyType({'k': A})\ndef scorer(*_): return m['k']"
    ),
    "a module of the user's": (
        "import helpers\nhelpers.K = A\ndef scorer(*_): return helpers.cost()"
    ),
    "a module that is imported inside": (
        "import helpers as h\nh.K = A\ndef scorer(*_):\n    import helpers\n"
        "    return helpers.cost()"
    ),
    "a function that is imported inside": (
        "import helpers as h\nh.K = A\ndef scorer(*_):\n    from helpers import cost\n"
        "    return cost()"
    ),
}
AROUND = (
    "import numpy as np\nfrom functools import cached_property, lru_cache\n"
    "from types import MappingProxyType\n"
)


@pytest.fixture
def scorer_in(monkeypatch):
    """Make the scorer of a user's code, who also has a module of helpers."""

    def make(code):
        helpers, script = ModuleType("helpers"), ModuleType("script")
        exec("K = 0\ndef cost(): return K", helpers.__dict__)
        monkeypatch.setitem(sys.modules, "helpers", helpers)
        monkeypatch.setitem(sys.modules, "script", script)
        exec(AROUND + code, script.__dict__)
        return script.scorer

    return make


@pytest.mark.parametrize("code", SCORERS.values(), ids=SCORERS)
def test_all_that_a_scorer_refers_to_is_in_its_name(scorer_in, code):
    one, again, other = (name_of(scorer_in(code.replace("A", n)), "scoring") for n in "112")
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    "code",
    [
        "lock = Lock()\ndef scorer(*_):\n    with lock: return 1",
        "f = np.frompyfunc(lambda x: x, 1, 1)\ndef scorer(*_): return f(1)",
        "g = (i for i in range(3))\ndef scorer(*_): return next(g)",
    ],
    ids=["a lock", "a function of no module", "a generator"],
)
def test_a_scorer_that_refers_to_what_has_no_name_has_none_but_its_users(scorer_in, code):
    scorer = scorer_in(f"from threading import Lock\n{code}")
    with pytest.raises(InputError, match=r"scoring: cannot be identified .* set __nffs_name__ "):
        name_of(scorer, "scoring")
    names = set()
    for scorer.__nffs_name__ in ("cost 1", "cost 1", "cost 2"):
        names.add(name_of(make_scorer(scorer), "scoring"))
    assert len(names) == 2


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
    remedy = r"estimator: cannot be identified .*lock.*; set __nffs_name__ on it or on its class"
    with pytest.raises(InputError, match=remedy):
        name_of(Estimator(threading.Lock()), "estimator")


class Called(BaseEstimator):
    __nffs_name__ = "model 1"

    def __init__(self, held=None, depth=1):
        self.held = held
        self.depth = depth


def test_what_its_user_has_named_has_that_name_and_its_other_parameters():
    lock, other = threading.Lock(), threading.Lock()
    first = name_of(Called(lock), "x")
    assert name_of(Called(other), "x") == first
    assert name_of(Called(lock, depth=2), "x") != first
    second = Called(lock)
    second.__nffs_name__ = "model 2"
    assert name_of(second, "x") != first
    assert name_of(Estimator([second]), "x") != name_of(Estimator([Called(lock)]), "x")
    # where all can be named, the user's name decides nothing
    assert name_of(Called([1]), "x") != name_of(Called([2]), "x")
