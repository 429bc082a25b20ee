"""Shell completion, set up and used as a person would, in a bash."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash")
PROGRAM = Path(sys.executable).with_name("nffs")

pytestmark = pytest.mark.skipif(
    BASH is None or not PROGRAM.exists(), reason="needs bash and the installed nffs command"
)

#: What the Tab key does: the function that `complete` names is asked about the words so far.
TAB = """
words=({words}); COMP_WORDS=("${{words[@]}}"); COMP_CWORD=$(( ${{#words[@]}} - 1 ))
function=$(complete -p nffs | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$function nffs "${{words[-1]}}" nffs
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """Run a script in an interactive bash in whose home completion was installed."""
    home = tmp_path_factory.mktemp("home")
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home), "PATH": path}

    def run(script):
        command = [BASH, "-i", "-c", f"{script}\ntrue"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            cwd=home,
            env=environment,
            start_new_session=True,
        )
        return done.stdout

    assert "installed" in run("nffs --install-completion")
    return run


@pytest.mark.parametrize(
    ("words", "offered"),
    [("nffs sel", ["select"]),
     ("nffs select train.csv --method gu", ["guided"]),
     ("nffs compare train.csv --methods nffs,mr", ["nffs,mrmr"]),
     ("nffs reproduce u", ["unsw-nb15"]),
     ("nffs select --max-ro", ["--max-rows"])],
)  # fmt: skip
def test_the_tab_key(bash, words, offered):
    assert bash(TAB.format(words=words)).split() == offered
