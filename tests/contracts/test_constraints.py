"""What every method keeps to when its user says what may be selected."""

import warnings
from fnmatch import fnmatchcase
from itertools import compress

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from nffs import NFFS, Selector, make_connections
from nffs.errors import InputError
from nffs.methods import METHODS
from nffs.methods.established import Boruta, ForestRFECV, FromModel
from nffs.search import workers
from nffs.search.search import Search
from nffs.selector import base

TABLE = make_connections(200)
X, Y = TABLE.data, TABLE.target
QUICK = {"evaluator": ["forest"], "param_groups": [{"n_estimators": 2, "max_depth": 3}]}

# Forests of other libraries take their time.
SMALL = {
    "rfecv": ForestRFECV(trees=2, step=0.5),
    "from-model": FromModel(trees=10),
    "boruta": Boruta(iterations=4, trees=10),
}

#: What is asked for, and the raw columns, or encoded ones, that it is about.
ASKED = {
    "few": {"include": ["duration"], "exclude": ["service", "noise_*"], "max_features": 4},
    "exactly": {
        "include": "protocol_icmp",
        "exclude": "src_*",
        "together": [["flag"], ["host_count", "error_rate", "noise_01"], ["noise_1?"]],
        "min_features": 11,
        "max_features": 11,
    },
    "many": {
        "exclude": ["flag_S*", 2],
        "together": [["root_shell", "duration"]],
        "min_features": 25,
    },
    "columns": {
        "unit": "column",
        "include": "service",
        "exclude": "noise_0*",
        "together": [["flag", "protocol"]],
        "min_features": 2,
        "max_features": 5,
    },
}


@pytest.fixture(params=list(METHODS))
def name(request):
    return request.param


def watch(monkeypatch, name, **parameters):
    """Fit a selector; give it, and every mask that was evaluated, over its features."""
    seen, evaluations = [], []

    def search(evaluation, **how):
        evaluations.append(evaluation)
        return Search(evaluation, **how)

    monkeypatch.setattr(base, "Search", search)
    watching = [lambda progress: seen.append((progress.phase, progress.mask))]
    selector = selector_of(name, callbacks=watching, **parameters)
    selector.fit(X, Y)
    placed = evaluations[0].placement
    return selector, [(phase, placed.spread(mask)) for phase, mask in seen]


def selector_of(name, **parameters):
    given = {"max_evaluations": 10, "random_state": 0, **QUICK, **parameters}
    return Selector(SMALL.get(name, name), **given)


def is_one(feature, names):
    """Tell whether names or patterns of the cases above mean a feature."""
    names = [names] if isinstance(names, str) else names
    names = [X.columns[name] if isinstance(name, int) else name for name in names]
    columns = [c for c in X.columns if feature == c or feature.startswith(f"{c}_")]
    column = max(columns, key=len)
    return any(fnmatchcase(feature, name) or column == name for name in names)


def check(features, mask, asked, *, sizes=True):
    chosen = dict(zip(features, mask, strict=True))
    for feature, kept in chosen.items():
        if is_one(feature, asked.get("include", [])):
            assert kept, f"{feature} must be in"
        if is_one(feature, asked.get("exclude", [])):
            assert not kept, f"{feature} must be out"
    for group in asked.get("together", []):
        members = {chosen[f] for f in features if is_one(f, group)}
        assert len(members) == 1, f"{group} is torn apart"
    if sizes:
        assert asked.get("min_features", 1) <= sum(mask) <= asked.get("max_features", len(mask))


@pytest.mark.parametrize(
    ("name", "choose"),
    # the final check is the same for all methods
    [*((name, "method") for name in METHODS), *((name, "best") for name in ("nffs", "ga", "ig"))],
)
@pytest.mark.parametrize("asked", list(ASKED.values()), ids=list(ASKED))
def test_constraints_hold_in_every_subset(name, choose, asked, monkeypatch):
    check_all(*watch(monkeypatch, name, choose=choose, **asked), asked)


def check_all(selector, seen, asked):
    features = selector.features_
    check(features, [f in selector.selected_features_ for f in features], asked)
    for mask in selector.archive_masks_:
        check(features, mask, asked)
    for phase, mask in seen:
        # all features are there to be compared with, in the search and in its final check
        check(features, mask, asked, sizes=False)
        if phase == selector.method_.name:
            check(features, mask, asked)
    assert selector.n_evaluations_ >= 1


@st.composite
def constraints(draw):
    """Draw what somebody may ask for: raw columns, patterns, groups and sizes, of no set order."""
    # a constant feature is never selected, which a warning says
    raw = [name for name in X.columns if name != "sensor_version"]
    columns = st.sampled_from([*raw, "noise_0*", "flag_S*", "protocol_icmp"])
    given = {
        "include": st.lists(columns, max_size=3, unique=True),
        "exclude": st.lists(columns, max_size=4, unique=True),
        "together": st.lists(
            st.lists(st.sampled_from(raw), min_size=2, max_size=3, unique=True), max_size=2
        ),
        "min_features": st.integers(1, 12),
        "max_features": st.integers(1, 30),
        "unit": st.sampled_from(["category", "column"]),
    }
    return draw(st.fixed_dictionaries({}, optional=given))


# one small search an example: a failure is not made smaller, which would take minutes
@pytest.mark.parametrize("name", list(METHODS))
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(asked=constraints())
def test_any_constraints_hold_or_are_refused_in_one_sentence(name, asked):
    with pytest.MonkeyPatch.context() as monkeypatch:
        try:
            selector, seen = watch(monkeypatch, name, max_evaluations=6, **asked)
        except InputError as error:
            refused = str(error)
        else:
            refused = ""
            check_all(selector, seen, asked)
    assert not refused or (refused.endswith(".") and "\n" not in refused)


@pytest.mark.parametrize("choose", ["best", "one_se", "all", "method"])
def test_they_hold_whatever_decides_in_the_end(choose):
    asked = ASKED["few"]
    selector = NFFS(n_subsets=8, n_nested=6, choose=choose, random_state=0, **QUICK, **asked)
    selector.fit(X, Y)
    for mask in (*selector.drawn_, *selector.nested_):
        check(selector.features_, mask, asked)
    for chosen in (selector.selected_features_, selector.one_se_features_):
        check(selector.features_, [f in chosen for f in selector.features_], asked)
    # nested subsets are not cut short: the fewest features that are allowed, one more, ...
    assert selector.nested_.sum(axis=1).tolist() == [1, 2, 3, 4]
    assert np.isfinite(selector.all_features_fitness_)


def test_threads_do_not_change_the_answer(name):
    asked = ASKED["exactly"]
    one = selector_of(name, **asked).fit(X, Y)
    two = selector_of(name, n_jobs=2, **asked).fit(X, Y)
    assert one.archive_masks_.tolist() == two.archive_masks_.tolist()
    assert one.archive_fitness_.tolist() == two.archive_fitness_.tolist()
    assert one.selected_features_ == two.selected_features_


@pytest.mark.parametrize("name", ["nffs", "ga", "sequential"])
def test_a_search_that_was_stopped_goes_on(name, tmp_path):
    asked = {**ASKED["few"], "choose": "best"}
    whole = selector_of(name, **asked).fit(X, Y)

    def stop(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        journal = {"journal": tmp_path / "j.db"}
        assert selector_of(name, callbacks=[stop], **journal, **asked).fit(X, Y).partial_
    resumed = selector_of(name, **journal, **asked).fit(X, Y)
    assert resumed.archive_masks_.tolist() == whole.archive_masks_.tolist()
    assert resumed.archive_fitness_.tolist() == whole.archive_fitness_.tolist()
    assert resumed.support_.tolist() == whole.support_.tolist()


def test_a_journal_serves_other_sizes_but_no_other_features(tmp_path, monkeypatch):
    journal = {"journal": tmp_path / "j.db", "exclude": "noise_*"}
    selector_of("ig", max_evaluations=30, **journal).fit(X, Y)
    with pytest.raises(InputError, match="features"):
        selector_of("ig", **{**journal, "exclude": "service"}).fit(X, Y)
    with pytest.raises(InputError, match="features"):
        selector_of("ig", together=[["flag"]], **journal).fit(X, Y)
    monkeypatch.setattr(workers.JoblibWorkers, "run", None)  # nothing is left to evaluate
    fewer = selector_of("ig", max_features=3, **journal).fit(X, Y)
    assert fewer.archive_masks_.sum(axis=1).tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", ["ga", "random", "pso", "nffs", "sequential", "mrmr", "wwo-rough"])
def test_a_search_with_few_allowed_subsets_ends(name):
    one = {"include": ["duration", "flag_S0"], "max_features": 2}
    alone = selector_of(name, **one).fit(X, Y)
    assert alone.selected_features_ == ["duration", "flag_S0"]
    assert len(alone.archive_masks_) == 1
    four = selector_of(name, exclude=X.columns[4:], unit="column", max_features=1).fit(X, Y)
    assert len(four.archive_masks_) <= 4
    pair = [X.columns[:2], X.columns[2:4]]
    whole = selector_of(name, exclude=X.columns[4:], unit="column", together=pair, min_features=4)
    assert whole.fit(X, Y).selected_features_ == X.columns[:4]


def test_filters_and_nested_subsets_are_cut_where_they_may_be():
    """Ten evaluations for 45 features of which six may be in: sizes 1 to 6, and none is wasted."""
    free = selector_of("mrmr", max_evaluations=46).fit(X, Y)
    few = selector_of("mrmr", max_features=6).fit(X, Y)
    assert few.archive_masks_.sum(axis=1).tolist() == [1, 2, 3, 4, 5, 6]
    assert few.archive_masks_.tolist() == free.archive_masks_[:6].tolist()
    with_it = selector_of("mrmr", max_features=6, include="noise_03").fit(X, Y)
    all_of_three = selector_of("all", max_features=3).fit(X, Y)
    assert all_of_three.support_.tolist() == (free.mi_ >= np.sort(free.mi_)[-3]).tolist()
    assert list(compress(with_it.features_, with_it.archive_masks_[0])) == ["noise_03"]
