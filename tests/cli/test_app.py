"""The command as a program of its own: start, help, version, exit codes."""

import os
import subprocess
import sys

import pytest

from nffs import __version__


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "nffs", *arguments],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_version():
    assert run("--version").stdout == f"nffs {__version__}\n"


@pytest.mark.parametrize("command", ["select", "transform"])
def test_help_has_an_example(command):
    result = run(command, "--help", env={**os.environ, "COLUMNS": "100"})
    assert result.returncode == 0
    assert f"nffs {command} " in result.stdout.split("For example:")[1]


def test_no_command_shows_the_help():
    assert "select" in run().stdout + run().stderr


def test_an_unknown_option_is_misuse():
    result = run("select", "--nonsense")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_help_does_not_load_the_library():
    code = (
        "import sys; sys.argv = ['nffs', '--help']\n"
        "from nffs.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'sklearn', 'numba', 'polars', 'scipy', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("nffs val", ["validate"]),
        ("nffs select --method gam", ["gamifs"]),
        ("nffs compare --methods nffs,mif", ["nffs,mifs", "nffs,mifs-u"]),
        ("nffs reproduce n", ["nsl-kdd"]),
    ],
)
def test_a_shell_completes_names(typed, completed):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    result = run(env={**os.environ, **words, "_NFFS_COMPLETE": "complete_bash"})
    assert result.stdout.split() == completed


def test_the_help_groups_commands():
    shown = run("--help", env={**os.environ, "COLUMNS": "100"}).stdout
    panels = ["Select", "Is it true?", "Look inside", "The paper"]
    places = [shown.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)


def test_importing_the_package_is_light():
    code = "import sys, nffs; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pandas_is_not_imported_for_scikit_learn_but_can_be_later():
    code = (
        "import sys\n"
        "from nffs.cli import main\n"
        "sys.argv = ['nffs', 'methods']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
        "assert 'sklearn' in sys.modules and 'pandas' not in sys.modules\n"
        "import pandas\n"
        "assert pandas.DataFrame({'a': [1]}).shape == (1, 1)\n"
    )
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
