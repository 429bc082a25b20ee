"""`nffs demo`: what a stranger sees first."""

import re


def test_the_demo(nffs, tmp_path):
    folder = tmp_path / "demo"
    result = nffs("demo", "--folder", folder, "--rows", "600")
    assert result.exit_code == 0, result.stderr
    assert "of 46 features selected" in result.stdout
    assert "(all features" in result.stdout
    assert "planted signals found:" in result.stdout
    said = " ".join(result.stdout.split())
    assert re.search(
        r"of the (\d+) features kept, \d+ carry a signal, \d+ are noise, \d+ are", said
    )
    assert "On 600 rows that the search never saw: f1 of models trained on the other 600" in said
    assert result.stdout.splitlines()[-1] == str(folder / "report.html")
    assert sorted(p.name for p in folder.iterdir()) == [
        "connections.csv",
        "report.html",
        "selection.json",
    ]


def test_its_files_feed_the_other_commands(nffs, tmp_path):
    nffs("demo", "--folder", tmp_path, "--rows", "600")
    result = nffs(
        "transform", tmp_path / "connections.csv", "--selection", tmp_path / "selection.json",
        "--out", tmp_path / "reduced.csv",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr


def test_a_file_in_the_way(nffs, tmp_path):
    (tmp_path / "demo").write_text("")
    result = nffs("demo", "--folder", tmp_path / "demo")
    assert result.exit_code == 2
    assert "--folder" in result.stderr
