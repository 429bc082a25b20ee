"""The rebuilt house gives the results of the first one, to the bit."""

import json
import os
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
    kinds = {lib.get("architecture") for lib in threadpoolctl.threadpool_info()}
    if not any(lib["internal_api"] == "openblas" for lib in threadpoolctl.threadpool_info()):
        pytest.skip(f"needs OpenBLAS, whose kernels can be chosen; found {kinds}")
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
