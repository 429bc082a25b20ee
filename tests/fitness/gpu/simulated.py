"""A device without a GPU: the kernels as they are, compiled for this machine by its C++ compiler.

`simulator.h` runs a block's threads as fibers. It is slow, and it is exact: what the kernels
compute on a GPU is what they compute here, but for the order in which threads meet.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from threading import RLock

import numpy as np

from nffs.fitness.gpu.device import THREADS, source

COMPILER = shutil.which("g++") or shutil.which("c++")


class SimulatedDevice:
    """Runs kernels one block after the other; its arrays are NumPy's."""

    name = "simulated"

    def __init__(self, folder: Path, blocks: int = 2, free: int = 1 << 30) -> None:
        self.lock = RLock()
        self.folder, self.blocks, self.free = folder, blocks, free
        self.launches: list[str] = []
        self._library = _compiled(folder)

    def free_memory(self) -> int:
        return self.free

    def blocks_at_once(self, kernel: str, shared: int) -> int:
        return self.blocks

    def __reduce__(self):
        return SimulatedDevice, (self.folder, self.blocks, self.free)

    def put(self, values):
        room = self.empty(values.shape, values.dtype)
        room[...] = values
        return room

    def get(self, array):
        return np.array(array)

    def empty(self, shape, dtype):
        """What was never written must not matter: it is rubbish here."""
        room = self.zeros(shape, dtype)
        room.reshape(-1).view(np.uint8)[:] = 0xA5
        return room

    def full(self, shape, value, dtype):
        room = self.zeros(shape, dtype)
        room[...] = value
        return room

    def zeros(self, shape, dtype):
        """Memory that is not counted as this machine's, as that of a GPU would not be."""
        count, dtype = int(np.prod(shape)), np.dtype(dtype)
        held = mmap.mmap(-1, max(1, count * dtype.itemsize))
        return np.frombuffer(held, dtype, count).reshape(shape)

    def wait(self):
        pass

    def launch(self, kernel, grid, *arguments, shared=0):
        self.launches.append(kernel)
        assert max(grid[1:]) <= 65535
        address = getattr(self._library, f"address_of_{kernel}")
        address.restype = ctypes.c_void_p
        given = [_given(argument) for argument in arguments]
        types = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, *(type(g) for g in given)]
        call = ctypes.CFUNCTYPE(None, *types)(address())
        sizes = np.array(grid, dtype=np.int32)
        call(sizes.ctypes.data, THREADS, shared, *given)


def _given(argument):
    if isinstance(argument, np.ndarray) and argument.ndim:
        assert argument.flags.c_contiguous
        return ctypes.c_void_p(argument.ctypes.data)
    kinds = {np.int32: ctypes.c_int32, np.uint64: ctypes.c_uint64, np.float64: ctypes.c_double}
    return kinds[type(argument)](argument.item())


@cache
def _compiled(folder: Path) -> ctypes.CDLL:
    kernels = source()
    names = re.findall(
        r'extern "C" __global__ void\s+(?:__launch_bounds__\(.*?\)\s+)?(\w+)', kernels
    )
    text = '#include "simulator.h"\n' + kernels + "".join(f"\nEXPORT({name})" for name in names)
    (folder / "kernels.cpp").write_text(text)
    library = folder / "kernels.so"
    subprocess.run(
        [COMPILER, "-std=c++17", "-O2", "-ffp-contract=off", "-U_FORTIFY_SOURCE", "-fPIC",
         "-shared", f"-I{Path(__file__).parent}", "-o", str(library), str(folder / "kernels.cpp")],
        check=True,
    )  # fmt: skip
    return ctypes.CDLL(str(library))
