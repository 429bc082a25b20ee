"""The rebuilt house gives the results of the first one, to the bit."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import threadpoolctl

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "results.json").read_text())


@pytest.fixture(scope="module")
def found():
    """Compute everything anew, with the kernels that the golden results were made with."""
    blas = {library["internal_api"] for library in threadpoolctl.threadpool_info()}
    if "openblas" not in blas or platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip(f"needs OpenBLAS on x86-64, whose kernels can be chosen; found {blas}")
    done = subprocess.run(
        [sys.executable, HERE / "cases.py"], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_is_left_out(found):
    assert found.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_golden(found, name):
    assert found[name] == EXPECTED[name]
