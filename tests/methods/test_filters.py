"""Each filter against values worked out by hand from its formula.

The table has eight rows (repeated), a label C and four features:

    C  a  b  c  d
    0  0  0  0  1      a is C but for rows 4 and 8, b is a again,
    0  0  0  1  0      c is C but for rows 2 and 8, d is a coin of its own
    0  0  0  0  1
    0  1  1  0  0
    1  1  1  1  1
    1  1  1  1  1
    1  1  1  1  0
    1  0  0  0  0

All are even coins, so every entropy is ln 2. a and C agree in six of eight rows, c and C too, a and
c too (not in rows 2 and 4): each of these pairs has J = ln 2 - h(1/4), where
h(p) = -p ln p - (1-p) ln(1-p). d agrees with C, a and c in four of eight rows each: nothing shared.
"""

from math import log

import numpy as np
import pytest

from nffs import NFFS, Selector
from nffs.fitness.information import mutual_information
from nffs.methods import METHODS, SearchSpace, pairwise
from nffs.methods.filters import FMIFS, MIFS, MIFSU, MRMR, NMIFS, greedy_ranking, nested_masks
from nffs.methods.pairwise import Dependence, pairwise_information
from nffs.search.allowed import Allowed

C = np.array([0, 0, 0, 0, 1, 1, 1, 1])
a = np.array([0, 0, 0, 1, 1, 1, 1, 0])
c = np.array([0, 1, 0, 0, 1, 1, 1, 0])
d = np.array([1, 0, 1, 0, 1, 1, 0, 0])
TABLE = [a, a.copy(), c, d]

LN2 = log(2)
J = LN2 - (1 / 4 * log(4) + 3 / 4 * log(4 / 3))  # of two coins that agree in six of eight
RELEVANCE = np.array([J, J, J, 0.0])
REDUNDANCY = np.array(
    [[LN2, LN2, J, 0.0], [LN2, LN2, J, 0.0], [J, J, LN2, 0.0], [0.0, 0.0, 0.0, LN2]]
)
BY_HAND = Dependence(RELEVANCE, REDUNDANCY, np.full(4, LN2))


def criteria(method):
    return method.criterion(BY_HAND)


def test_the_table_has_those_values():
    many = [np.tile(column, 20_000) for column in TABLE]
    label = np.tile(C, 20_000)
    found = [mutual_information(column, label) for column in many]
    assert found == pytest.approx(RELEVANCE, abs=1e-4)
    assert pairwise_information(many) == pytest.approx(REDUNDANCY, abs=1e-4)


def test_mifs():
    """G(f) = I(C;f) - beta sum_s I(f;s)."""
    order, worth = criteria(MIFS(beta=0.5))
    # After a: b J - ln2/2 < 0, c J - J/2, d 0 - 0. After c: b J - ln2/2 - J/2, d 0.
    assert order == [0, 2, 3, 1]
    assert worth == pytest.approx([J, J - 0.5 * J, 0.0, J - 0.5 * (LN2 + J)])


def test_mifs_u():
    """G(f) = I(C;f) - beta sum_s I(C;s) / H(s) I(f;s)."""
    order, worth = criteria(MIFSU(beta=1.0))
    u = J / LN2
    # After a: b J - u ln2 = 0, c J - u J, d 0. After c: d 0, b J - u ln2 - u J = -u J.
    assert order == [0, 2, 3, 1]
    assert worth == pytest.approx([J, J - u * J, 0.0, -u * J])


def test_mrmr():
    """G(f) = I(C;f) - 1/|S| sum_s I(f;s)."""
    order, worth = criteria(MRMR())
    # After a: b J - ln2, c J - J = 0, d 0; of equals the more relevant. After a, c: d 0.
    assert order == [0, 2, 3, 1]
    assert worth == pytest.approx([J, 0.0, 0.0, J - (LN2 + J + 0) / 3])


def test_nmifs():
    """G(f) = I(C;f) - 1/|S| sum_s I(f;s) / min(H(f), H(s))."""
    order, worth = criteria(NMIFS())
    u = J / LN2
    # After a: b J - 1, c J - u, d 0. After d: c J - u/2, b J - 1/2. After c: b J - (1 + u)/3.
    assert order == [0, 3, 2, 1]
    assert worth == pytest.approx([J, 0.0, J - u / 2, J - (1 + u) / 3])


def test_fmifs():
    """G(f) = I(C;f) - 1/|S| sum_s I(f;s) / I(C;f), for I(C;f) > 0."""
    order, worth = criteria(FMIFS())
    # After a: b J - ln2/J, c J - J/J = J - 1. After c: b J - (ln2/J + 1)/2. d says nothing of C.
    assert order == [0, 2, 1]
    assert worth == pytest.approx([J, J - 1, J - (LN2 / J + 1) / 2])


def test_the_ranking_by_information_gain_is_what_nested_subsets_are_cut_from(connections):
    rival = Selector("ig", max_evaluations=200, param_groups=[{"n_estimators": 2}], random_state=0)
    rival.fit(connections.data, connections.target)
    sizes = rival.archive_masks_.sum(axis=1)
    assert sizes.tolist() == list(range(1, len(sizes) + 1))
    assert (rival.archive_masks_[:-1] <= rival.archive_masks_[1:]).all()


def test_a_ranking_is_cut_evenly_where_the_budget_is_short():
    sizes = nested_masks(list(range(100)), Allowed.everything(100), most=5).sum(axis=1)
    assert sizes.tolist() == [1, 26, 50, 75, 100]


def test_a_ranking_holds_every_feature_once():
    rng = np.random.default_rng(0)
    penalty = rng.random((20, 20))
    order, _ = greedy_ranking(rng.random(20), penalty, mean=True)
    assert sorted(order) == list(range(20))


class TestWideTables:
    """Pairs of the most relevant features alone are measured; the others follow."""

    @pytest.fixture
    def space(self, monkeypatch):
        monkeypatch.setattr(pairwise, "POOL", 6)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 20)).astype(np.float32)
        return SearchSpace.of(NFFS(random_state=0).evaluation(X, X[:, 0] > 0).ranked())

    def test_the_rest_follows_by_relevance(self, space):
        found = space.once(pairwise.measure_dependence)
        assert found.redundancy.shape == (6, 6)
        order = MRMR().rank(space)
        assert sorted(order[:6]) == list(range(6))
        assert order[:6] == MRMR().criterion(found)[0]
        assert order[6:] == list(range(6, 20))

    def test_what_shares_nothing_is_still_left_out(self, space):
        assert sorted(FMIFS().rank(space)) == np.flatnonzero(space.mi).tolist()

    def test_a_mutation_keeps_to_them(self, space):
        child = np.zeros(20, dtype=bool)
        child[[2, 15]] = True
        METHODS["gamifs"]()._mutate(child[None], space, np.random.default_rng(0))
        assert child[6:].tolist() == [i == 9 for i in range(14)]
        assert child[:6].sum() in (0, 2)
