"""The house is as planned: few layers with a meaning each, one door, nothing that nobody uses."""

import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads(PYPROJECT)["tool"]["importlinter"]["contracts"]


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("nffs", cache_dir=None)


def test_at_most_nine_layers_each_with_a_meaning():
    (contract,) = [c for c in CONTRACTS if c["type"] == "layers"]
    assert len(contract["layers"]) <= 9
    for layer in contract["layers"]:
        line = next(line for line in PYPROJECT.splitlines() if f'"{layer}",' in line)
        assert "# " in line, f"{layer} has no meaning beside it"


def test_no_module_is_imported_by_nobody(graph):
    started = {"nffs", "nffs.__main__"}
    for module in graph.modules - started:
        used = graph.find_modules_that_directly_import(module)
        inside = [child for child in graph.modules if child.startswith(f"{module}.")]
        found_by_the_registry = module.startswith("nffs.methods.")
        assert used or inside or found_by_the_registry, f"nobody imports {module}"


def test_a_file_is_one_idea():
    long = {
        path.name: n
        for path in (ROOT / "src").rglob("*.py")
        if (n := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long
