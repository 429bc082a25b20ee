"""A name that does not exist is answered with the nearest one that does."""

import pytest


@pytest.fixture
def parquet(connections, tmp_path):
    path = tmp_path / "train.parquet"
    connections.frame().write_parquet(path)
    return path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("select T --target lable", "no column 'lable'; did you mean 'label'? It has"),
        ("select T --target label --drop servce", "did you mean 'service'?"),
        ("select T --target label --group Flag", "did you mean 'flag'?"),
        ("select T --target label --positive atack", "did you mean 'attack'?"),
        ("select T --target label --scoring acuracy", "did you mean 'accuracy'?"),
        ("compare T --target label --methods ga,mrrm", "did you mean 'mrmr'?"),
        ("evaluate T T --target label --features flg", "did you mean 'flag'?"),
        ("datasets where nsl-kd", "did you mean 'nsl-kdd'?"),
        ("reproduce unsw-nb5", "did you mean 'unsw-nb15'?"),
        ("selct", "Did you mean 'select'?"),
        ("select --traget label", "--target"),
    ],
)
def test_the_nearest_name(nffs, table, command, said):
    result = nffs(*(table if word == "T" else word for word in command.split()))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--target", "lable"), "--target: {} has no column 'lable'; did you mean 'label'?"),
        (("--target", "label", "--drop", "flg"), "--drop: {} has no column 'flg'; did you mean"),
        (("--target", "label", "--group", "flg"), "--group: {} has no column 'flg'; did you mean"),
        (("--target", "label", "--group", "label"), "--group: 'label' is the target"),
    ],
)
def test_of_a_file_that_is_read_in_parts(nffs, parquet, options, said):
    result = nffs("select", parquet, *options, "--max-rows", "100")
    assert result.exit_code == 2
    assert said.format(parquet) in result.stderr


def test_a_column_to_keep(nffs, table, tmp_path):
    selection = tmp_path / "selection.json"
    small = ("--target", "label", "--subsets", "6", "--nested", "4", "--cv", "2")
    nffs("select", table, *small, "--out", selection)
    result = nffs("transform", table, "--selection", selection, "--out", tmp_path / "o.csv",
                  "--keep", "lable")  # fmt: skip
    assert result.exit_code == 2
    assert "--keep:" in result.stderr
    assert "did you mean 'label'?" in result.stderr


def test_nothing_is_offered_where_nothing_is_near(nffs, table):
    result = nffs("select", table, "--target", "xyz")
    assert "has no column 'xyz'; it has 'duration'" in result.stderr
