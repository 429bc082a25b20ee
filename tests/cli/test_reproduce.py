"""`nffs reproduce`."""

import json

import pytest

import nffs.paper.reproduction


@pytest.fixture
def small(monkeypatch):
    """The same reproduction on few rows, seeds and subsets."""
    real = nffs.paper.reproduction.Reproduction

    def make(X, y, X_test, y_test, folder, **options):
        options |= {
            "seeds": (7, 8),
            "n_searches": 1,
            "subsets": options.get("subsets", nffs.paper.reproduction.NSL_KDD)[-2:],
            "parameters": {"n_subsets": 8, "n_nested": 4, "param_groups": [{"n_estimators": 4}]},
        }
        # every thirtieth row: the files are sorted
        return real(X[::30], y[::30], X_test[::30], y_test[::30], folder, **options)

    monkeypatch.setattr(nffs.paper.reproduction, "Reproduction", make)


def test_unsw_nb15_without_its_training_file(nffs, real_file, small, tmp_path):
    home = real_file("unsw-nb15", "UNSW_NB15_testing-set.csv").parents[1]
    result = nffs("reproduce", "unsw-nb15", "--stand-in", "--data-home", home, "--out", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert "Stand-in split: Scores" in result.stdout
    document = json.loads(
        (tmp_path / "unsw-nb15" / "full" / "reproduction.json").read_text(encoding="utf-8")
    )
    assert document["title"] == "NFFS on UNSW-NB15: stand-in split"
    assert document["stand_in"]
    assert document["sentences"][0].startswith("Stand-in split: UNSW-NB15's training file")
    assert result.stdout.rstrip().endswith("index.html")


def test_a_stand_in_is_for_unsw_nb15(nffs, tmp_path):
    result = nffs("reproduce", "nsl-kdd", "--stand-in", "--out", tmp_path)
    assert result.exit_code == 2
    assert "--stand-in: is for unsw-nb15" in result.stderr
