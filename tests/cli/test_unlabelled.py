"""`nffs select --unlabelled`: rows without labels, from a file."""

import json

import pytest

from nffs import make_connections

SMALL = ("--target", "label", "--subsets", 6, "--nested", 3, "--n-jobs", 1, "--holdout", 0)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unlabelled")
    train, new, labelled = folder / "train.csv", folder / "new.csv", folder / "labelled.csv"
    make_connections(200).frame().write_csv(train)
    more = make_connections(150, random_state=1).frame()
    more.drop("label").write_csv(new)
    more.write_csv(labelled)
    return train, new, labelled


def test_what_was_used_is_said_and_kept(nffs, files, tmp_path):
    train, new, _ = files
    out, report = tmp_path / "selection.json", tmp_path / "report.html"
    uses = ["--unlabelled-for", "components,self-training"]
    done = nffs(
        "select", train, *SMALL, "--unlabelled", new, *uses, "--out", out, "--report", report
    )
    assert done.exit_code == 0
    said = "standardisation from 150 unlabelled rows; self-training with "
    assert said in " ".join(done.stdout.split())
    assert said in report.read_text()
    found = json.loads(out.read_text())
    assert found["unlabelled"]["n_rows"] == 150
    assert found["parameters"]["unlabelled_for"] == ["components", "self-training"]
    # the commands to go on with are commands that there are
    assert "--unlabelled" not in done.stderr.split("nffs validate")[1].split("nffs transform")[0]
    assert said in " ".join(nffs("pick", out, "--at-most", 3).stdout.split())


def test_a_column_of_labels_is_left_out_with_a_note(nffs, files):
    train, new, labelled = files
    found = [
        nffs("select", train, *SMALL, "--unlabelled", file, "--json") for file in (new, labelled)
    ]
    told = "labelled.csv: column 'label' is left out: labels of these rows are not used"
    assert told not in found[0].stderr
    assert told in " ".join(found[1].stderr.split())
    first, second = (json.loads(done.stdout) for done in found)
    assert any(told.partition(": ")[2] in note for note in second["reading"])
    assert first["unlabelled"]["weighted"] is False
    assert first["unlabelled"]["auc"] > 0
    for document in (first, second):
        del document["reading"], document["seconds"]
    assert first == second  # labels changed nothing


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--unlabelled-for", "likeness"], "--unlabelled-for: there are no such rows; give"),
        (["--unlabelled", "{new}", "--check"], "--check, --unlabelled: the searches of a check"),
        (
            ["--unlabelled", "{new}", "--unlabelled-for", "labels"],
            "--unlabelled-for: 'labels' is unknown",
        ),
        (
            ["--unlabelled", "{new}", "--evaluator", "forest", "--unlabelled-for", "components"],
            "--unlabelled-for: 'components' is for models that standardise",
        ),
        (["--unlabelled", "{train}.csv"], "no such file"),
    ],
)
def test_mistakes_get_one_sentence(nffs, files, options, message):
    train, new, _ = files
    given = [option.format(new=new, train=train) for option in options]
    done = nffs("select", train, *SMALL, *given)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_file_without_the_columns_is_named(nffs, files, tmp_path):
    train, _, _ = files
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n3,4\n")
    done = nffs("select", train, *SMALL, "--unlabelled", other)
    assert done.exit_code == 2
    assert "other.csv: lacks the column(s)" in " ".join(done.stderr.split())
