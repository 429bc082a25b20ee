"""Evaluating a given subset on a test set."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from nffs.errors import InputError
from nffs.validation.given import SEARCH_SEEDS, cell_worth, evaluate_subset, expand_features

SMALL = {"seeds": range(7, 13), "trees": (1, 10), "depths": (1, None)}


@pytest.fixture
def halves(connections):
    X, y = connections.data, connections.target
    return X[:250], y[:250], X[250:], y[250:]


def test_raw_columns_stand_for_all_their_categories(halves):
    result = evaluate_subset(*halves, ["flag", "duration", "service_dns"], **SMALL)
    assert {f.split("_")[0] for f in result.features} == {"flag", "duration", "service"}
    assert "service_http" not in result.features
    assert sum(f.startswith("flag_") for f in result.features) >= 5


def test_one_row_of_indicators_for_every_seed(halves):
    result = evaluate_subset(*halves, ["flag", "duration", "root_shell"], **SMALL)
    document = result.to_dict()
    assert result.runs.shape == (6, 5)
    assert document["mean"]["f_score"] == pytest.approx(result.runs[:, 3].mean())
    assert document["std"]["auc"] == pytest.approx(result.runs[:, 4].std(ddof=1))
    assert len(set(result.runs[:, 4])) > 1


def test_the_best_cell_is_used_and_not_chosen_by_the_seeds_that_are_reported(halves):
    columns = ["duration", "flag", "root_shell"]
    result = evaluate_subset(*halves, columns, **SMALL)
    assert not set(SEARCH_SEEDS) & set(result.seeds)
    assert len(result.grid) == 4
    assert {k: result.grid[0][k] for k in ("n_estimators", "max_depth")} == result.parameters
    assert max(cell["f_score"] for cell in result.grid) - result.grid[0]["f_score"] < 0.1


def test_a_lucky_cell_does_not_win():
    # Four seeds: a steady 0.8, and a cell of mean 0.81 that is 1.0 once.
    found = np.zeros((4, 2, 5))
    found[:, 0, 3] = 0.8
    found[:, 1, 3] = [1.0, 0.7, 0.77, 0.77]
    assert cell_worth(found).argmax() == 0


def test_threads_do_not_change_a_bit(halves):
    runs = [evaluate_subset(*halves, ["flag"], n_jobs=n, **SMALL).runs for n in (1, 3)]
    np.testing.assert_array_equal(*runs)


def test_scikit_learn_repeats_it_with_the_same_parameters(halves):
    columns = ["duration", "flag", "root_shell", "src_bytes"]
    ours = evaluate_subset(*halves, columns, **SMALL)
    theirs = evaluate_subset(*halves, columns, engine="reference", **SMALL)
    assert theirs.parameters == ours.parameters
    assert theirs.runs[:, 3].mean() == pytest.approx(ours.runs[:, 3].mean(), abs=0.1)


def test_many_classes():
    X, y = load_wine(return_X_y=True)
    result = evaluate_subset(X[::2], y[::2], X[1::2], y[1::2], ["x0", "x6", "x9"], **SMALL)
    assert result.runs[:, 3].mean() > 0.8


def test_unknown_features_are_named(halves):
    with pytest.raises(InputError, match=r"features: the table has no 'nothing'\. Name raw"):
        evaluate_subset(*halves, ["flag", "nothing"], **SMALL)


def test_no_features(halves):
    with pytest.raises(InputError, match="features: none given"):
        evaluate_subset(*halves, [], **SMALL)


def test_the_papers_feature_counts(nsl_kdd_train):
    """Table 4 counts encoded features and, in brackets, raw ones."""
    from nffs.table.encoding import fit_encoding
    from nffs.table.reading import read_table

    encoding = fit_encoding(read_table(nsl_kdd_train[0]))
    information_gain = ["f3", "f4", "f5", "f6", "f29", "f30", "f33", "f34"]
    assert expand_features(information_gain, encoding).sum() == 87
    assert expand_features(["f2", "f6", "f10", "f22", "f27"], encoding).sum() == 7
