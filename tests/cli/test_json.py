"""`--json` means the same everywhere: the result on stdout, as one JSON document and no more."""

import json

import pytest

SEARCH = "--target label --cv 2 --method kbest --budget 5"
COMMANDS = (
    f"select T {SEARCH}",
    f"validate T {SEARCH} --folds 2",
    f"stability T {SEARCH} --runs 2",
    "compare T --target label --cv 2 --methods all,ig --budget 5 --runs 2",
    "evaluate T T --target label --features flag --seeds 7",
    "runs list J",
    "runs show J",
    "runs best J",
    "runs export J",
    "datasets list",
    "datasets where",
    "methods",
)


@pytest.fixture(scope="module")
def files(nffs, table, tmp_path_factory):
    journal = tmp_path_factory.mktemp("json") / "search.db"
    nffs("select", table, *SEARCH.split(), "--journal", journal)
    return {"T": table, "J": journal}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_result_is_json(nffs, files, command):
    words = [files.get(word, word) for word in command.split()]
    result = nffs(*words, "--json")
    # Data sets may be missing, which is said by the exit code and on stderr.
    assert result.exit_code == 0 or command == "datasets where", result.stderr
    assert isinstance(json.loads(result.stdout), dict | list)


@pytest.mark.parametrize("command", COMMANDS[:5])
def test_a_file_gets_the_same(nffs, files, command, tmp_path):
    out = tmp_path / "result.json"
    words = [files.get(word, word) for word in command.split()]
    result = nffs(*words, "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    assert out.read_text(encoding="utf-8") == result.stdout
    assert f"wrote {out}" in result.stderr
    refused = nffs(*words, "--out", tmp_path / "none" / "result.json")
    assert refused.exit_code == 2
    assert "--out: the folder" in refused.stderr
