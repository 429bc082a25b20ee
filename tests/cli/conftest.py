"""The command line as users run it, in this process for speed."""

import importlib.util
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nffs.cli.app import app


@pytest.fixture(scope="session")
def nffs():
    """Run `nffs` with arguments; the result has exit_code, stdout and stderr."""

    def run(*arguments):
        return CliRunner().invoke(app, [str(a) for a in arguments])

    return run


@pytest.fixture(scope="session")
def watch():
    """Watch a program in a terminal, with the eyes that make docs/terminal.md."""
    path = Path(__file__).parents[2] / "docs" / "screen.py"
    spec = importlib.util.spec_from_file_location("screen", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["screen"] = module
    spec.loader.exec_module(module)
    return module.watch


@pytest.fixture(scope="session")
def table(connections, tmp_path_factory):
    """The small embedded table as a CSV file."""
    path = tmp_path_factory.mktemp("table") / "train.csv"
    connections.frame().write_csv(path)
    return path
