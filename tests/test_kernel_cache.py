"""Compiled kernels on disk: announced when there are none, never a reason to fail."""

import os
import subprocess
import sys

import pytest

TINY = """
from nffs._numba import kernel

@kernel
def one(x):
    return x + 1

@kernel
def two(x):
    return x + 2
"""

USE = """
import resource, sys
from tiny import one, two
if len(sys.argv) > 1:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
assert (one(1), two(1)) == (2, 3)
"""

ANNOUNCED = "nffs: compiling the kernels (only on first use; takes some seconds)\n"


@pytest.fixture
def use(tmp_path):
    """Use two kernels in a process of its own; give what it says."""
    (tmp_path / "tiny.py").write_text(TINY)
    paths = os.pathsep.join([str(tmp_path), *sys.path])

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-c", USE, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        ).stderr

    return run


def files(folder, ending):
    return sorted(folder.rglob(f"*.{ending}"))


def test_compiling_is_announced_when_it_happens_and_only_then(use):
    assert [use(), use()] == [ANNOUNCED, ""]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_file_that_was_cut_off_is_made_again(use, tmp_path, ending):
    use()
    assert files(tmp_path, ending)
    for file in files(tmp_path, ending):
        file.write_bytes(file.read_bytes()[:-50])
    assert [use(), use()] == [ANNOUNCED, ""]


def test_a_file_with_another_byte_is_made_again(use, tmp_path):
    use()
    for file in files(tmp_path, "nbc"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1  # in the machine code
        file.write_bytes(content)
    assert [use(), use()] == [ANNOUNCED, ""]


def test_a_file_of_something_else_is_not_used(use, tmp_path):
    """A process that is killed between index and data leaves the data of an earlier source."""
    use()
    one, two = files(tmp_path, "nbc")
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
    assert [use(), use()] == [ANNOUNCED, ""]


def test_a_full_disk(use, tmp_path):
    assert use("0") == ANNOUNCED  # no file can be longer than nothing
    assert not files(tmp_path, "nbi") + files(tmp_path, "nbc")
    assert use() == ANNOUNCED
