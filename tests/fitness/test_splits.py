"""Which rows train and which evaluate."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from nffs.errors import InputError
from nffs.fitness.splits import cv_splits, eval_split, rare_classes
from nffs.table.target import read_target

LABELS = read_target(["a"] * 30 + ["b"] * 12)


def test_folds_are_stratified_and_cover_every_row_once():
    splits, name = cv_splits(3, LABELS, None, seed=0)
    evaluated = np.sort(np.concatenate([s.evaluation for s in splits]))
    np.testing.assert_array_equal(evaluated, np.arange(42))
    assert [LABELS.codes[s.evaluation].sum() for s in splits] == [4, 4, 4]
    assert name == "3-fold stratified cross-validation of the training rows"


def test_no_row_both_trains_and_evaluates():
    for split in cv_splits(3, LABELS, None, seed=0)[0]:
        assert not np.intersect1d(split.train, split.evaluation).size


def test_the_seed_decides_the_folds():
    def first(seed):
        return cv_splits(3, LABELS, None, seed=seed)[0][0].evaluation.tolist()

    assert first(1) == first(1)
    assert first(1) != first(2)


@pytest.mark.parametrize("splitter", [KFold(3, shuffle=True), TimeSeriesSplit(2)])
def test_any_splitter(splitter):
    labels = read_target(["a", "b"] * 20)
    splits, name = cv_splits(splitter, labels, None, seed=0)
    assert len(splits) == splitter.get_n_splits()
    assert type(splitter).__name__ in name


def test_groups_stay_together():
    groups = np.repeat(np.arange(6), 7)
    labels = read_target(["a", "b"] * 21)
    for split in cv_splits(GroupKFold(3), labels, groups, seed=0)[0]:
        assert not set(groups[split.train]) & set(groups[split.evaluation])


def test_an_eval_set_follows_the_training_rows():
    [split], name = eval_split(5, 2)
    assert split.train.tolist() == [0, 1, 2, 3, 4]
    assert split.evaluation.tolist() == [5, 6]
    assert name == "eval_set (2 rows given to fit)"


def test_a_rare_one_of_several_classes_trains_in_every_fold():
    labels = read_target(["a"] * 10 + ["b"] * 8 + ["rare"] * 2)
    with warnings.catch_warnings(action="error"):
        splits, _ = cv_splits(3, labels, None, seed=0)
    assert all({"rare"} & set(labels.decode()[split.train]) for split in splits)
    assert rare_classes(3, labels) == [
        "y: class(es) 'rare' have 2 rows, fewer than the 3 folds of cv: not every fold evaluates "
        "them."
    ]
    assert rare_classes(2, labels) == []


class TestRefused:
    def test_one_row_of_several_classes(self):
        labels = read_target(["a"] * 10 + ["b"] * 8 + ["only"])
        with pytest.raises(InputError, match=r"'only' have 1 rows, fewer than the 3 folds of cv"):
            cv_splits(3, labels, None, seed=0)

    def test_a_class_with_fewer_rows_than_folds(self):
        labels = read_target(["a"] * 10 + ["rare"] * 2)
        with pytest.raises(InputError, match=r"'rare' have 2 rows, fewer than the 3 folds of cv"):
            cv_splits(3, labels, None, seed=0)

    def test_a_training_part_of_one_class(self):
        labels = read_target(["a"] * 10 + ["b"] * 10)
        with pytest.raises(InputError, match="training rows of split 0 hold one class only"):
            cv_splits(KFold(2), labels, None, seed=0)

    def test_a_splitter_that_wants_groups(self):
        with pytest.raises(InputError, match="cv: GroupKFold cannot split these rows"):
            cv_splits(GroupKFold(3), LABELS, None, seed=0)
