"""`nffs evaluate`."""

import json

import pytest


@pytest.fixture
def files(connections, tmp_path):
    frame = connections.frame()
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    frame[:250].write_csv(train)
    frame[250:].write_csv(test)
    return train, test


def run(nffs, files, *options):
    return nffs("evaluate", *files, "--target", "label", "--positive", "attack", *options)


def test_a_table(nffs, files):
    result = run(nffs, files, "--features", "flag,duration", "--seeds", "7-9")
    assert result.exit_code == 0, result.stderr
    assert "3 runs" in result.stdout
    assert "best parameters:" in result.stdout
    assert "f_score" in result.stdout
    assert "which was also used to choose the parameters" in result.stdout
    assert "\npositive label: attack\n" in result.stdout


def test_json_and_names_from_a_file(nffs, files, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("flag\nduration\n")
    arguments = ["--seeds", "7,8", "--json"]
    from_file = run(nffs, files, "--features", names, *arguments).stdout
    from_list = run(nffs, files, "--features", "flag, duration", *arguments).stdout
    assert json.loads(from_file) == json.loads(from_list)
    assert json.loads(from_file)["seeds"] == [7, 8]


def test_a_selection_will_do(nffs, files, tmp_path):
    selection = tmp_path / "selection.json"
    small = ("--subsets", "6", "--nested", "4", "--cv", "2")
    nffs("select", files[0], "--target", "label", "--out", selection, *small)
    result = run(nffs, files, "--features", selection, "--seeds", "7", "--json")
    expected = json.loads(selection.read_text())["selected_features"]
    assert json.loads(result.stdout)["features"] == expected


def test_a_selection_says_which_label_is_positive(nffs, files, tmp_path):
    selection = tmp_path / "selection.json"
    small = ("--subsets", "6", "--nested", "4", "--cv", "2", "--positive", "normal")
    nffs("select", files[0], "--target", "label", "--out", selection, *small)
    arguments = ["evaluate", *files, "--target", "label", "--seeds", "7", "--json"]

    def positive(*options):
        return json.loads(nffs(*arguments, *options).stdout)["positive"]

    assert positive("--features", "flag") == "attack"
    assert positive("--features", selection) == "normal"
    assert positive("--features", selection, "--positive", "attack") == "attack"
    text = selection.read_text(encoding="utf-8").replace('"normal"', '"good"')
    selection.write_text(text, encoding="utf-8")
    refused = nffs(*arguments, "--features", selection)
    assert refused.exit_code == 2
    assert (
        "--features: the positive label of the selection, 'good', is not a label here"
        in refused.stderr
    )
    assert "--positive" in refused.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--features", "nothing"), "--features: the table has no 'nothing'. Name raw"),
        (("--features", "flag", "--seeds", "nine"), "--seeds: 'nine' is neither a range"),
        (("--features", "flag", "--drop", "x"), "--drop:"),
    ],
)
def test_mistakes_get_a_sentence(nffs, files, options, message):
    result = run(nffs, files, *options)
    assert result.exit_code == 2
    assert message in result.stderr
