"""Forests by bit sets are random forests, whatever the columns are made of."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score

from nffs.fitness.forest.cuts import patches, small, split
from nffs.fitness.forest.cuts.forest import predict
from nffs.fitness.forest.cuts.split import CutColumns
from nffs.fitness.forest.engine import ColumnForests, ForestScorer
from nffs.fitness.forest.kernels.words import lowest, ones, transpose
from nffs.fitness.scoring import resolve_scoring
from nffs.fitness.splits import SplitRows, eval_split
from nffs.table.target import Labels, read_target

GROUPS = [
    {"n_estimators": 20, "max_depth": 4},
    {"n_estimators": 8, "max_depth": None},
    {"n_estimators": 20, "max_depth": None},
    {"n_estimators": 1, "max_depth": 2},
]
DEEP = [{"n_estimators": 40, "max_depth": None}]


def table(n=1800, n_classes=2, seed=0):
    """Make columns of two values, of a few, of some hundred and of as many as there are rows."""
    rng = np.random.default_rng(seed)
    signs = (rng.random((n, 8)) < rng.uniform(0.1, 0.9, 8)).astype(float)
    few = rng.integers(0, 6, (n, 3)) * 0.5
    many = np.round(rng.normal(size=(n, 2)), 1)
    all_differ = rng.normal(size=(n, 2))
    X = np.c_[signs, few, many, all_differ].astype(np.float32)
    signal = X[:, 0] - X[:, 1] + X[:, 8] * X[:, 2] + X[:, 11] + X[:, 13] + rng.normal(size=n) * 0.7
    y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    return X, y


def columns_of(X, y, n_train):
    rows = np.arange(len(y))
    labels = Labels(y[:n_train], np.unique(y))
    return CutColumns(X, rows[:n_train], rows[n_train:], labels)


EVERY = np.ones(15, dtype=bool)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("depth", [3, None])
@pytest.mark.parametrize(
    "chosen", [EVERY, np.arange(15) < 8, np.arange(15) >= 11], ids=["all", "two values", "numbers"]
)
def test_scores_agree_with_scikit_learns_forest(n_classes, depth, chosen):
    X, y = table(3000, n_classes)
    made = columns_of(X, y, 2000)
    ours, theirs = [], []
    for seed in range(6):
        found = predict(made, chosen, [{"n_estimators": 40, "max_depth": depth}], seed)[0]
        forest = RandomForestClassifier(40, max_depth=depth, random_state=seed)
        expected = forest.fit(X[:2000, chosen], y[:2000]).predict(X[2000:, chosen])
        ours.append(f1_score(y[2000:], found.argmax(axis=1), average="macro"))
        theirs.append(f1_score(y[2000:], expected, average="macro"))
    error = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 6)
    assert abs(np.mean(ours) - np.mean(theirs)) < max(0.008, 4 * error)


def test_probabilities_agree_with_scikit_learns():
    """Shares of leaves, not votes: two forests of scikit-learn's differ by as much."""
    X, y = table(1200)
    found = predict(columns_of(X, y, 800), EVERY, [{"n_estimators": 400, "max_depth": None}], 1)[0]
    theirs = [
        RandomForestClassifier(400, random_state=seed).fit(X[:800], y[:800]).predict_proba(X[800:])
        for seed in (1, 2)
    ]
    apart = np.abs(theirs[0] - theirs[1]).mean()
    assert np.abs(found - theirs[0]).mean() < 1.2 * apart


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_group_is_the_forest_grown_for_it(n_classes):
    X, y = table(n_classes=n_classes)
    made = columns_of(X, y, 1200)
    together = predict(made, EVERY, GROUPS, seed=5)
    assert together.shape == (4, 600, n_classes)
    np.testing.assert_allclose(together.sum(axis=2), 1.0)
    for group, expected in zip(GROUPS, together, strict=True):
        np.testing.assert_array_equal(predict(made, EVERY, [group], seed=5)[0], expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_merging_rows_changes_nothing(n_classes):
    X, y = table(3000, n_classes)
    made, few = columns_of(X, y, 2500), np.arange(15) < 10
    apart, merged = (predict(made, few, GROUPS, 1, merge=merge) for merge in (False, True))
    np.testing.assert_array_equal(merged, apart)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_how_columns_are_kept_changes_nothing(monkeypatch, n_classes):
    """Cuts or numbers: the same splits are found, so the forest is the same."""
    X, y = table(n_classes=n_classes)
    some = np.arange(15) < 13
    found = []
    for most in (1, 2, 8, 200):
        monkeypatch.setattr(split, "FEW", most)
        found.append(predict(columns_of(X, y, 1200), some, GROUPS, seed=2))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_evaluation_rows_do_not_depend_on_one_another():
    """Branches without evaluation rows are not grown; that must not change the others."""
    X, y = table()
    whole = predict(columns_of(X, y, 1200), EVERY, GROUPS, seed=3)
    for n in (1, 7, 200):
        part = predict(columns_of(X[: 1200 + n], y[: 1200 + n], 1200), EVERY, GROUPS, seed=3)
        np.testing.assert_array_equal(part, whole[:, :n])


def test_more_rows_than_a_patch_are_numbered_anew():
    X, y = table(12_000)
    assert 9000 > 64 * patches.SHRINK > small.SMALL
    found = predict(columns_of(X, y, 9000), EVERY, DEEP, seed=0)[0].argmax(axis=1)
    forest = RandomForestClassifier(40, random_state=0).fit(X[:9000], y[:9000])
    assert abs((found == y[9000:]).mean() - forest.score(X[9000:], y[9000:])) < 0.015


def test_order_of_the_rows_does_not_matter_to_splits():
    """Without a draw there is one tree: all rows of a class are in every leaf they belong to."""
    X = np.repeat([[0.0, 1.0], [0.0, 0.0], [1.0, 5.0]], 40, axis=0).astype(np.float32)
    y = np.repeat([0, 1, 2], 40)
    rows = np.r_[X, X[::40]]
    made = columns_of(rows, np.r_[y, 0, 1, 2], 120)
    found = predict(made, np.ones(2, dtype=bool), DEEP, seed=0)[0]
    np.testing.assert_array_equal(found.argmax(axis=1), [0, 1, 2])
    np.testing.assert_allclose(found.max(axis=1), 1.0)


def test_values_too_close_to_part_are_one_value():
    X = np.zeros((200, 2), dtype=np.float32)
    y = np.arange(200) % 2
    X[:, 0] = y * 1e-8
    X[:, 1] = np.linspace(0, 5e-8, 200)
    found = predict(columns_of(X, y, 150), np.ones(2, dtype=bool), DEEP, seed=0)[0]
    assert np.ptp(found, axis=0).max() == 0.0


def test_weighted_rows_are_grown_by_weights():
    X, y = table(300)
    labels = read_target(y)
    splits, name = eval_split(200, 100)
    engine = ColumnForests(DEEP, resolve_scoring(None, labels))
    rows = SplitRows(X, labels, np.ones(300), splits, name)
    assert isinstance(engine.prepare(rows, splits[0]), ForestScorer)


def test_words_are_sets():
    import numba

    rng = np.random.default_rng(0)
    words = rng.integers(1, 2**63, 64).astype(np.uint64)

    @numba.njit
    def counted(word):
        return ones(word), lowest(word)

    @numba.njit
    def turned(block):
        transpose(block)

    for word in words:
        text = f"{int(word):b}"
        assert counted(word) == (text.count("1"), len(text) - len(text.rstrip("0")))
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(64, 64)
    turned(words)
    after = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(64, 64)
    np.testing.assert_array_equal(after, bits.T)
