"""`--include`, `--exclude`, `--together`, `--min-features` and `--max-features`."""

import json

import pytest

SMALL = ("--method", "random", "--budget", "6", "--cv", "2")
ASKED = (
    "--include", "duration,protocol_icmp", "--exclude", "noise_*", "--exclude", "service,flag",
    "--together", "src_bytes,dst_bytes", "--together", "error_rate,host_count",
    "--min-features", "3", "--max-features", "7",
)  # fmt: skip


def test_a_selection_keeps_to_them_and_says_so(nffs, table):
    result = nffs("select", table, "--target", "label", *SMALL, *ASKED)
    assert result.exit_code == 0, result.stderr
    said = (
        "constraints: always 'duration', 'protocol_icmp'; never 'noise_*', 'service', 'flag'; "
        "'src_bytes', 'dst_bytes' together; 'error_rate', 'host_count' together; at least 3 "
        "features; at most 7 features"
    )
    assert result.stderr.splitlines()[0] == f"nffs: {said}"
    assert said in " ".join(result.stdout.split())


def test_they_are_the_estimators_parameters(nffs, table):
    result = nffs("select", table, "--target", "label", "--json", *SMALL, *ASKED)
    document = json.loads(result.stdout)
    selected = set(document["selected_features"])
    assert {"duration", "protocol_icmp"} <= selected
    assert 3 <= len(selected) <= 7
    assert document["parameters"]["together"] == [
        ["src_bytes", "dst_bytes"],
        ["error_rate", "host_count"],
    ]
    assert document["parameters"]["exclude"] == ["noise_*", "service", "flag"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--include", "duratoin"], "--include: no column is called 'duratoin'; did you mean 'dur"),
        (
            ["--include", "flag", "--max-features", "3"],
            "--include: 6 features are always selected, more than --max-features=3; include fewer",
        ),
        (
            ["--min-features", "4", "--max-features", "3"],
            "--min-features: 4 is more than --max-features=3; lower one or raise the other.",
        ),
        (["--together", "flag,a"], "--together: no column is called 'a'; there are 'duration', "),
    ],
)
def test_mistakes_get_a_sentence_with_the_options_name(nffs, table, options, sentence):
    result = nffs("select", table, "--target", "label", *SMALL, *options)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"nffs: {sentence}")
    assert len(result.stderr.splitlines()) == 1


def test_other_commands_take_them_too(nffs, table, tmp_path):
    few = ("--exclude", "noise_*,service", "--include", "duration", "--max-features", "3")
    given = (table, "--target", "label", *SMALL, *few, "--json")
    stable = json.loads(nffs("stability", *given, "--runs", "2").stdout)
    validated = json.loads(nffs("validate", *given, "--folds", "2", "--models", "logistic").stdout)
    selections = stable["selections"] + [fold["selected"] for fold in validated["folds"]]
    for selected in selections:
        assert "duration" in selected
        assert len(selected) <= 3
        assert not [name for name in selected if name.startswith(("noise", "service"))]
    # all columns are those that may be selected
    assert validated["models"]["logistic"]["n_columns"] <= 46 - 12 - 10


def test_a_comparison_keeps_runs_of_other_constraints_apart(nffs, table, tmp_path):
    given = (
        "compare", table, "--target", "label", "--methods", "ig,random", "--budget", "4", "--runs",
        "1", "--models", "none", "--json", "--keep", tmp_path / "runs",
    )  # fmt: skip
    found = json.loads(nffs(*given, "--max-features", "3").stdout)
    sizes = [run["n_features"] for row in found["methods"] for run in row["runs"]]
    assert max(sizes) <= 3
    again = nffs(*given, "--max-features", "4")
    assert again.exit_code == 2
    assert "it differs in 'max_features'" in again.stderr
