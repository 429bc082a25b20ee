"""`nffs datasets`."""

import pytest

from nffs.datasets import files


@pytest.fixture(autouse=True)
def empty_folders(monkeypatch, tmp_path):
    monkeypatch.delenv("NFFS_DATA", raising=False)
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")


def test_list(nffs):
    lines = nffs("datasets", "list").stdout.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("nsl-kdd  KDDTrain+.txt  19109424 bytes  sha256 1b86d2f9")


def test_where_says_what_is_missing(nffs):
    result = nffs("datasets", "where", "nsl-kdd")
    assert result.exit_code == 1
    assert "KDDTrain+.txt: not found" in result.stdout
    assert "nffs datasets fetch" in result.stderr


def test_verify_refuses_an_edited_file(nffs, tmp_path):
    (tmp_path / "KDDTest+.txt").write_text("edited")
    result = nffs("datasets", "verify", "nsl-kdd", "--data-home", tmp_path)
    assert result.exit_code == 2
    assert "not the original KDDTest+.txt: expected sha256 fa46b093" in result.stderr


def test_verify_the_real_files(nffs, real_file):
    path = real_file("nsl-kdd", "KDDTrain+.txt")
    result = nffs("datasets", "verify", "nsl-kdd", "--data-home", path.parents[1])
    assert result.exit_code == 0
    assert result.stdout.count("is the original") == 2


def test_an_unknown_name(nffs):
    result = nffs("datasets", "where", "iris")
    assert result.exit_code == 2
    assert "'iris' is not a data set; there are 'nsl-kdd', 'unsw-nb15'" in result.stderr
