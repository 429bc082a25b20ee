"""The GPU: finding it, its memory, its kernels. The only file that knows CuPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from threading import RLock
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nffs.errors import InputError

#: Threads of a block, in all kernels.
THREADS = 256

#: The files of the kernels, each of which may use those before it.
SOURCES = (
    "common", "moments", "components", "bins", "equal", "records", "splits", "growth", "scores",
)  # fmt: skip

#: What the kernels are compiled with: a product and a sum are not fused unless a kernel says so, so
#: that every architecture rounds alike.
_OPTIONS = ("--std=c++17", "--fmad=false")

_REMEDY = "use engine='fast', which needs none"


class Device(Protocol):
    """Somewhere kernels run: arrays there, and starting kernels on them."""

    name: str
    #: Held while a batch is worked on: threads of a search take turns.
    lock: RLock

    def free_memory(self) -> int:
        """Count the bytes that can be had."""
        ...

    def blocks_at_once(self, kernel: str, shared: int) -> int:
        """Count the blocks of a kernel that work at the same time."""
        ...

    def put(self, values: NDArray[Any]) -> Any:
        """Copy values to the device."""
        ...

    def get(self, array: Any) -> NDArray[Any]:
        """Copy an array from the device."""
        ...

    def empty(self, shape: Any, dtype: DTypeLike) -> Any:
        """Make an array without setting its values."""
        ...

    def full(self, shape: Any, value: int, dtype: DTypeLike) -> Any:
        """Make an array of one value."""
        ...

    def zeros(self, shape: Any, dtype: DTypeLike) -> Any:
        """Make an array of zeros."""
        ...

    def launch(self, kernel: str, grid: Sequence[int], *arguments: Any, shared: int = 0) -> None:
        """Start a kernel: arrays of the device, and numbers of NumPy's types."""
        ...

    def wait(self) -> None:
        """Wait until all that was started is done."""
        ...


class CudaDevice:
    """The current GPU of CuPy, whichever GPU is current later or in other threads."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy
        self._device = cupy.cuda.Device()
        properties = cupy.cuda.runtime.getDeviceProperties(self._device.id)
        self.name = properties["name"].decode()
        self.lock = RLock()
        self._multiprocessors = int(properties["multiProcessorCount"])
        self._module = cupy.RawModule(code=source(), options=_OPTIONS)
        with self._device:
            self._module.compile()

    def __reduce__(self) -> tuple[Any, ...]:
        return find_device, ()

    def free_memory(self) -> int:
        """Count the bytes that can be had, including those that CuPy's pool keeps."""
        with self._device:
            free, _ = self._cupy.cuda.runtime.memGetInfo()
            return int(free) + int(self._cupy.get_default_memory_pool().free_bytes())

    def blocks_at_once(self, kernel: str, shared: int) -> int:
        """Count the blocks of a kernel that work at the same time."""
        with self._device:
            function = self._function(kernel, shared)
            each = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
                function.kernel.ptr, THREADS, shared
            )
        return self._multiprocessors * max(1, int(each))

    def put(self, values: NDArray[Any]) -> Any:
        """Copy values to the device."""
        with self._device:
            return self._cupy.asarray(values)

    def get(self, array: Any) -> NDArray[Any]:
        """Copy an array from the device."""
        with self._device:
            values: NDArray[Any] = self._cupy.asnumpy(array)
        return values

    def empty(self, shape: Any, dtype: DTypeLike) -> Any:
        """Make an array without setting its values."""
        with self._device:
            return self._cupy.empty(shape, dtype)

    def full(self, shape: Any, value: int, dtype: DTypeLike) -> Any:
        """Make an array of one value."""
        with self._device:
            return self._cupy.full(shape, value, dtype)

    def zeros(self, shape: Any, dtype: DTypeLike) -> Any:
        """Make an array of zeros."""
        with self._device:
            return self._cupy.zeros(shape, dtype)

    def launch(self, kernel: str, grid: Sequence[int], *arguments: Any, shared: int = 0) -> None:
        """Start a kernel; it works while the caller goes on."""
        with self._device:
            function = self._function(kernel, shared)
            function(tuple(grid), (THREADS,), arguments, shared_mem=shared)

    def wait(self) -> None:
        """Wait until all that was started is done."""
        with self._device:
            self._cupy.cuda.runtime.deviceSynchronize()

    def _function(self, kernel: str, shared: int) -> Any:
        function = self._module.get_function(kernel)
        if shared:  # with what a kernel has of its own, it may be more than is given unasked
            function.max_dynamic_shared_size_bytes = shared
        return function


def source() -> str:
    """Give the source of all kernels, in one piece."""
    folder = files("nffs.fitness.gpu") / "kernels"
    return "\n".join((folder / f"{name}.cu").read_text(encoding="utf-8") for name in SOURCES)


def has_device() -> bool:
    """Tell whether a GPU can be used, without raising."""
    try:
        find_device()
    except InputError:
        return False
    return True


@cache
def find_device() -> Device:
    """Give the GPU; where there is none, say what to do."""
    if find_spec("cupy") is None:
        raise InputError(
            "engine: 'gpu' needs CuPy, which is not installed; install nffs[cuda], or "
            f"{_REMEDY.removesuffix(', which needs none')}."
        )
    try:
        return CudaDevice()
    except Exception as error:  # of CuPy, compiler or driver: something of them or a GPU is missing
        why = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"engine: 'gpu' finds no NVIDIA GPU to use ({why}); {_REMEDY}.") from error


def divided(n: int, by: int) -> int:
    """Count the parts of at most ``by`` that ``n`` take.

    >>> divided(10, 4)
    3
    """
    return -(-n // by)


def whole(number: int) -> np.int32:
    """Give a number as kernels take it."""
    return np.int32(number)
