"""The command line as users run it, in this process for speed."""

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
def table(connections, tmp_path_factory):
    """The small embedded table as a CSV file."""
    path = tmp_path_factory.mktemp("table") / "train.csv"
    connections.frame().write_csv(path)
    return path
