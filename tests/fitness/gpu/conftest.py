"""The devices that kernels are tested on: this machine's C++ compiler, and a GPU where one is."""

from __future__ import annotations

import pytest
from fitness.gpu.simulated import COMPILER, SimulatedDevice

from nffs import InputError
from nffs.fitness.gpu.device import find_device


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """A folder for the compiled kernels."""
    if COMPILER is None:
        pytest.skip("needs a C++ compiler to run the kernels without a GPU")
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def simulated(compiled):
    """A device that runs the kernels on the CPU."""
    return SimulatedDevice(compiled)


@pytest.fixture
def cuda():
    """The GPU of this machine."""
    try:
        return find_device()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(params=["simulated", "cuda"])
def device(request):
    """Either."""
    return request.getfixturevalue(request.param)
