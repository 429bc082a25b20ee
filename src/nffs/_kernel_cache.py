"""Compiled kernels on disk: used only if they are whole and of this very source.

Numba's own cache fails on a full disk or on a file that a crash has cut off, and takes the file of
an earlier source for the new one if a process is killed between its two writes. Here a file that is
not what was written is no file, and what cannot be written is not kept: the kernel is compiled.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from pathlib import Path
from typing import Any

from numba.core import caching

# numba does not say the types of these
_FunctionCache: Any = caching.FunctionCache
_IndexDataCacheFile: Any = caching.IndexDataCacheFile

_DIGEST = 16


class KernelCache(_FunctionCache):  # type: ignore[misc]
    """The compiled versions of one function."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        # under names of their own: numba would stumble over what is sealed
        self._cache_file = _SealedFile(
            cache_path=self._cache_path,
            filename_base=f"sealed-{self._impl.filename_base}",
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Give a compiled version; None if there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling raises
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled version, if that is possible."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _SealedFile(_IndexDataCacheFile):  # type: ignore[misc]
    """An index and its data files, each of which says for what it was written."""

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (self._for(key), data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == self._for(key) else None

    def _for(self, key: Any) -> str:
        return repr((self._index_name, self._source_stamp, key))

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # a file that a crash has cut off: begun anew
            return {}

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.blake2b(content, digest_size=_DIGEST).digest() + content)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        seal, content = content[:_DIGEST], content[_DIGEST:]
        if seal != hashlib.blake2b(content, digest_size=_DIGEST).digest():
            raise OSError("not what was written")
        return pickle.loads(content)
