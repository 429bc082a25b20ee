"""`nffs demo`: what a stranger sees first."""

import json
import re

from nffs import make_connections
from nffs.datasets.connections import NOISE, PLANTED


def test_the_demo(nffs, tmp_path):
    folder = tmp_path / "demo"
    result = nffs("demo", "--folder", folder, "--rows", "600")
    assert result.exit_code == 0, result.stderr
    said = " ".join(result.stdout.split())
    assert re.match(r"\d+ of 46 features do|No subset beats all 46 features|Nothing beats", said)
    assert "on new rows expect" in said
    selected = set(json.loads((folder / "selection.json").read_text())["selected_features"])
    found = make_connections(600).found(list(selected))
    assert f"signals found: {len(found)} of {len(PLANTED)}, " in said
    assert "the fewest that score within one standard error" in " ".join(result.stderr.split())
    assert json.loads((folder / "selection.json").read_text())["final"]["choose"] == "one_se"
    noise = selected & set(NOISE)
    # one of the noise columns is constant
    assert f"noise kept: {len(noise)} of {len(NOISE) - 1} columns that have nothing to do" in said
    assert all(name in said.split("noise kept:")[1] for name in noise)
    carriers = selected & {name for names in PLANTED.values() for name in names}
    kept = (
        f"the {len(selected)} features kept: {len(carriers)} with a signal, {len(noise)} of noise"
    )
    n_others = len(selected - carriers - noise)
    assert kept + (f", {n_others} other categories" if n_others else " wrote ") in said
    assert "On 600 rows that the search never saw: f1 of models trained on 600 others" in said
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
