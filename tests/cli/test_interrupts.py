"""Ctrl-C and SIGTERM at any moment: exit code 130, no traceback, results kept."""

import os
import signal
import subprocess
import sys

import pytest

from nffs import Selection

if os.name == "nt":
    pytest.skip("signals as on POSIX", allow_module_level=True)

SIGNALS = [signal.SIGINT, signal.SIGTERM]
SMALL = ["--target", "label", "--method", "kbest", "--budget", "2", "--cv", "2", "--holdout", "0"]

#: Runs the command, and sends it a signal when a module is about to be imported.
AT_IMPORT = """
import os, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Interrupt())
sys.argv = ["nffs", *{arguments!r}]
from nffs.cli import main
main()
"""


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600
    )


def quiet(done, code=130):
    assert "Traceback" not in done.stderr + done.stdout
    assert "Exception ignored" not in done.stderr
    assert "bug in nffs" not in done.stderr
    assert done.returncode == code, done.stderr


def test_before_the_signals_are_looked_after():
    done = run(
        AT_IMPORT.format(module="nffs.cli.interrupts", number=int(signal.SIGINT), arguments=[])
    )
    quiet(done)
    assert done.stderr == "nffs: interrupted.\n"


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    "module", ["ctypes", "nffs.cli.app", "typer", "nffs.cli.search", "polars", "numba"]
)
def test_during_import(table, module, number):
    arguments = ["select", str(table), *SMALL]
    done = run(AT_IMPORT.format(module=module, number=int(number), arguments=arguments))
    quiet(done)
    assert done.stderr.count("interrupted") == 1
    assert done.stdout == ""


AT_THE_END = """
import atexit, os, sys
atexit.register(lambda: os.kill(os.getpid(), {number}))
sys.argv = ["nffs", *{arguments!r}]
from nffs.cli import main
main()
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_when_all_is_done(number):
    """What was asked for is there, so the exit code is that of a command that is done."""
    done = run(AT_THE_END.format(number=int(number), arguments=["--version"]))
    quiet(done, 0)
    assert done.stdout.startswith("nffs ")


IN_A_CALLBACK = """
import ctypes, os, sys
import nffs.cli.app
from nffs.cli.app import app
from nffs.cli.interrupts import Interruptible

def work():
    with Interruptible():
        ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), {number}))()
        while True:
            pass

app.command("work")(work)
sys.argv = ["nffs", "work"]
nffs.cli.main()
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_in_a_function_that_can_raise_nothing(number):
    quiet(run(IN_A_CALLBACK.format(number=int(number))))


#: Sends two signals in a row, as `timeout` does, and asks whether the second ends the process.
TWICE = """
import os, sys
import nffs.cli.app
from nffs.cli import interrupts
from nffs.cli.app import app
from nffs.cli.terminal import interruptible

interrupts._ONE = {one}

def work():
    try:
        with interruptible():
            os.kill(os.getpid(), {number})
    except KeyboardInterrupt:
        os.kill(os.getpid(), {number})
        print("kept")

app.command("work")(work)
sys.argv = ["nffs", "work"]
nffs.cli.main()
"""


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(("one", "kept"), [(60, "kept\n"), (0, "")], ids=["at once", "later"])
def test_two_in_a_row(number, one, kept):
    done = run(TWICE.format(number=int(number), one=one))
    quiet(done)
    assert done.stdout == kept


TURNED = """
import os, sys
import nffs.cli.app
from nffs.cli.app import app
from nffs.cli.terminal import interruptible
from nffs.errors import InputError

def work():
    try:
        with interruptible():
            os.kill(os.getpid(), {number})
    except KeyboardInterrupt:
        raise {error}("initialization of a module failed")

app.command("work")(work)
sys.argv = ["nffs", "work"]
nffs.cli.main()
"""


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("error", ["ImportError", "InputError", "OSError"])
def test_one_that_was_made_another_error(error, number):
    done = run(TURNED.format(number=int(number), error=error))
    quiet(done)
    assert "interrupted" in done.stderr
    assert "initialization" not in done.stderr


#: Sends a signal in the middle of a write to stderr: whoever writes there then fails.
WRITING = """
import io, os, signal, sys
import nffs.cli.app

class Raw(io.RawIOBase):
    def writable(self):
        return True
    def write(self, content):
        if b"searching" in bytes(content) and not came:
            came.append(content)
            os.kill(os.getpid(), {number})
        return os.write(2, content)

came = []
sys.stderr = io.TextIOWrapper(io.BufferedWriter(Raw()), line_buffering=True)
sys.argv = ["nffs", *{arguments!r}]
nffs.cli.main()
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_in_the_middle_of_a_note(table, number):
    done = run(WRITING.format(number=int(number), arguments=["select", str(table), *SMALL]))
    quiet(done)
    assert "stopping; once more to stop at once" in done.stderr
    assert "interrupted" in done.stderr


@pytest.mark.parametrize("number", SIGNALS)
def test_during_the_search_the_best_so_far_is_written(table, tmp_path, number):
    out = tmp_path / "selection.json"
    command = ["select", str(table), "--target", "label", "--holdout", "0", "--out", str(out),
               "--budget", "4000", "--method", "random", "--verbose"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "nffs", *command],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    told = iter(process.stderr.readline, "")
    assert any(" 3/" in line for line in told)  # of the subsets
    process.send_signal(number)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert Selection.load(out).partial


def test_a_command_that_ignores_ctrl_c_goes_on():
    """As nohup, and shells that start it in the background, ask for."""
    code = AT_IMPORT.format(module="typer", number=int(signal.SIGINT), arguments=["--version"])
    done = run(f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{code}")
    quiet(done, 0)
    assert done.stdout.startswith("nffs ")
