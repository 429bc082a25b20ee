"""`nffs select --holdout`: rows that the search never sees, and what models score on them."""

import json
import os
import re
import signal

import numpy as np
import polars as pl
import pytest

from nffs import NFFS, Selection, make_connections
from nffs.validation import score_models
from nffs.validation.set_aside import set_aside

QUICK = ("--target", "label", "--method", "kbest", "--budget", "3", "--cv", "2")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A table with enough rows to spare some."""
    path = tmp_path_factory.mktemp("large") / "train.csv"
    make_connections(500).frame().write_csv(path)
    return path


def test_a_fifth_of_a_large_table(nffs, large):
    result = nffs("select", large, *QUICK)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith("nffs: 100 of 500 rows are held out: the search never sees")
    assert "--holdout 0" in result.stderr.splitlines()[0]
    assert "of 400 rows" in result.stderr
    text = " ".join(result.stdout.split())
    assert "On 100 rows that the search never saw: f1 of models trained on 400 others" in text
    for model in ("forest", "boosting", "logistic"):
        assert f" {model} 0." in text
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_the_scores_are_those_of_python(nffs, large):
    options = ("--target", "label", "--subsets", "6", "--nested", "4", "--cv", "2", "--seed", "3")
    document = json.loads(nffs("select", large, *options, "--json").stdout)
    table = pl.read_csv(large)
    X, y = table.drop("label"), table["label"]
    seen, unseen = set_aside(y, 0.2, seed=3)
    selector = NFFS(n_subsets=6, n_nested=4, cv=2, pos_label="attack", random_state=3)
    selector.fit(X[seen], y[seen])
    scores = score_models(selector, X[seen], y[seen], X[unseen], y[unseen])
    expected = json.loads(selector.selection_.with_unseen(scores).to_json())
    assert {**document, "seconds": 0} == {**expected, "seconds": 0}


def test_it_can_be_turned_off(nffs, large):
    result = nffs("select", large, *QUICK, "--holdout", "0", "--json")
    assert "held out" not in result.stderr
    assert "of 500 rows" in result.stderr
    assert json.loads(result.stdout)["unseen"] is None


def test_small_tables_keep_their_rows(nffs, table):
    result = nffs("select", table, *QUICK)
    assert "held out" not in result.stderr
    assert "never saw" not in result.stdout


def test_unless_it_is_asked_for(nffs, table):
    document = json.loads(nffs("select", table, *QUICK, "--holdout", "0.1", "--json").stdout)
    assert (document["unseen"]["n_rows"], document["unseen"]["n_train"]) == (40, 360)


def test_other_rows_that_score_and_reading_in_parts_come_first(nffs, large, table, tmp_path):
    tested = nffs("select", large, *QUICK, "--test", table)
    assert tested.exit_code == 0, tested.stderr
    assert "held out" not in tested.stderr
    parquet = tmp_path / "train.parquet"
    pl.read_csv(large).write_parquet(parquet)
    in_parts = nffs("select", parquet, *QUICK, "--max-rows", "300")
    assert in_parts.exit_code == 0, in_parts.stderr
    assert "held out" not in in_parts.stderr
    refused = nffs("select", parquet, *QUICK, "--max-rows", "300", "--holdout", "0.2")
    assert refused.exit_code == 2
    assert "--holdout: no rows can be held out of a file that --max-rows reads" in refused.stderr


def test_a_rare_label_keeps_its_rows(nffs, large, tmp_path):
    frame = pl.read_csv(large)
    rare = frame.with_columns(pl.Series("label", np.where(np.arange(500) < 6, "attack", "normal")))
    rare.write_csv(tmp_path / "rare.csv")
    result = nffs("select", tmp_path / "rare.csv", *QUICK)
    assert result.exit_code == 0, result.stderr
    assert "held out" not in result.stderr
    refused = nffs("select", tmp_path / "rare.csv", *QUICK, "--holdout", "0.1")
    assert refused.exit_code == 2
    assert (
        "--holdout: 0.1 of the 6 row(s) of the rarest label is less than one row" in refused.stderr
    )


@pytest.mark.parametrize("share", ["0.6", "-0.1", "many"])
def test_other_shares_are_refused(nffs, large, share):
    assert nffs("select", large, *QUICK, "--holdout", share).exit_code == 2


class TestGroups:
    @pytest.fixture(scope="class")
    def hosts(self, large, tmp_path_factory):
        path = tmp_path_factory.mktemp("hosts") / "train.csv"
        pl.read_csv(large).with_columns(host=pl.Series(np.arange(500) // 10)).write_csv(path)
        return path

    def test_stay_whole(self, nffs, hosts):
        result = nffs("select", hosts, *QUICK, "--group", "host")
        assert result.exit_code == 0, result.stderr
        frame = pl.read_csv(hosts)
        seen, unseen = set_aside(frame["label"], 0.2, groups=frame["host"].to_numpy())
        assert f"{len(unseen)} of 500 rows are held out" in result.stderr
        assert not set(frame["host"][seen]) & set(frame["host"][unseen])

    def test_too_few_keep_all_rows(self, nffs, hosts, tmp_path):
        few = pl.read_csv(hosts).with_columns(pl.col("host") % 4)
        few.write_csv(tmp_path / "few.csv")
        options = (*QUICK, "--group", "host")
        usual = nffs("select", tmp_path / "few.csv", *options)
        assert usual.exit_code == 0, usual.stderr
        assert "held out" not in usual.stderr
        refused = nffs("select", tmp_path / "few.csv", *options, "--holdout", "0.2")
        assert refused.exit_code == 2
        assert "--holdout: 4 group(s) are too few" in refused.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_the_selection_is_not_lost_with_the_models(nffs, large, monkeypatch):
    def interrupt(*_arguments, **_more):
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()  # models take longer than an interrupt waits

    monkeypatch.setattr("nffs.validation.unseen.score_models", interrupt)
    result = nffs("select", large, *QUICK, "--json")
    assert result.exit_code == 130, result.stderr
    assert "no scores on the held-out rows: interrupted" in result.stderr
    assert json.loads(result.stdout)["unseen"] is None


def test_the_report_has_them(nffs, large, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "selection.json"
    nffs("select", large, *QUICK, "--report", page, "--out", out)
    forest = Selection.load(out).unseen.models[0]
    assert '<h2 id="unseen">' in page.read_text(encoding="utf-8")
    assert f"<td>{forest.selected:.4f}</td>" in page.read_text(encoding="utf-8")
    nffs("report", out, "--out", tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == page.read_text()


def test_under_a_time_limit_models_are_trained_on_a_sample(nffs, table, tmp_path, monkeypatch):
    """What comes after the search must not take minutes."""
    monkeypatch.setattr("nffs.cli.limits.MOST_ROWS", 150)
    few = ("--subsets", "4", "--nested", "2", "--choose", "method", "--evaluator", "logistic")
    given = (table, "--target", "label", "--holdout", "0.25", *few)
    out = tmp_path / "s.json"
    result = nffs("select", *given, "--time-limit", "60", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert Selection.load(out).unseen.n_train == 150
    told = " ".join(result.stderr.split())
    assert "--time-limit: the search, preparation included, ends after 60 s. Reading" in told
    assert "trained on a sample of 150 rows" in told
    assert re.search(r"took [\d.]+ s in all, [\d.]+ s of it the search, which had 60 s nffs", told)
    nffs("select", *given, "--out", out)
    assert Selection.load(out).unseen.n_train == 300
