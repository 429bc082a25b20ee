"""Kept results: found again by the same work, refused to any other."""

import json

import pytest

from nffs import InputError
from nffs.validation.kept import KeptResults, digest_of


def names(folder):
    return sorted(path.name for path in folder.iterdir())


IDENTITY = {"values": "1f", "seeds": "[7, 8]"}


def test_a_result_is_found_again(tmp_path):
    kept = KeptResults(tmp_path / "new" / "folder", IDENTITY, "study")
    assert kept.find("a-0") is None
    kept.keep("a-0", {"score": 0.1, "curve": [[1, 0.5]]})
    again = KeptResults(tmp_path / "new" / "folder", dict(reversed(IDENTITY.items())), "study")
    assert again.find("a-0") == {"score": 0.1, "curve": [[1, 0.5]]}
    assert names(tmp_path / "new" / "folder") == ["a-0.json", "identity.json"]


def test_the_identity_may_choose_the_folder(tmp_path):
    def choose(identity):
        return tmp_path / digest_of(identity)

    KeptResults(choose, IDENTITY, "study").keep("a", {"score": 1})
    other = KeptResults(choose, {**IDENTITY, "values": "2f"}, "study")
    assert other.find("a") is None
    assert KeptResults(choose, IDENTITY, "study").find("a") == {"score": 1}
    assert KeptResults(lambda _: None, IDENTITY, "study").find("a") is None


def test_without_a_folder_nothing_is_kept():
    kept = KeptResults(None, IDENTITY, "study")
    kept.keep("a", {})
    assert kept.find("a") is None


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        ({**IDENTITY, "values": "2f"}, r"\(it differs in 'values'\)"),
        ({"values": "2f"}, r"\(it differs in 'values', 'seeds'\)"),
        ({**IDENTITY, "pca": "0.93"}, r"\(it differs in 'pca'\)"),
    ],
)
def test_the_folder_of_other_work_is_refused_and_stays_as_it_was(tmp_path, other, differs):
    KeptResults(tmp_path, IDENTITY, "study").keep("a", {"score": 1})
    with pytest.raises(InputError, match=f"holds the results of another study {differs}; name"):
        KeptResults(tmp_path, other, "study")
    assert KeptResults(tmp_path, IDENTITY, "study").find("a") == {"score": 1}


def test_a_folder_without_identity_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(InputError, match=r"holds files but no identity\.json.*name a new folder"):
        KeptResults(tmp_path, IDENTITY, "study")
    assert names(tmp_path) == ["a.json"]
    with pytest.raises(InputError, match="is a file; name a folder"):
        KeptResults(tmp_path / "a.json", IDENTITY, "study")


@pytest.mark.parametrize("damage", ['{"score":', "[1]", "\udcff"])
def test_a_damaged_result_is_named(tmp_path, damage):
    kept = KeptResults(tmp_path, IDENTITY, "study")
    (tmp_path / "a.json").write_bytes(damage.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=r"a\.json: is damaged \(.*\); delete that file"):
        kept.find("a")
    (tmp_path / "identity.json").write_bytes(damage.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=r"identity\.json: is damaged .*; name another folder"):
        KeptResults(tmp_path, IDENTITY, "study")


def test_what_a_killed_process_was_writing_does_no_harm(tmp_path):
    (tmp_path / ".identity.123-00ff.json").write_text('{"val')
    kept = KeptResults(tmp_path, IDENTITY, "study")
    (tmp_path / ".a.123-00ff.json").write_text('{"sco')
    assert kept.find("a") is None
    kept.keep("a", {"score": 1})
    assert KeptResults(tmp_path, IDENTITY, "study").find("a") == {"score": 1}
    assert json.loads((tmp_path / "identity.json").read_text()) == IDENTITY
