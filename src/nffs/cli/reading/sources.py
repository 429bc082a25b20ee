"""The bytes of a file or of standard input, whatever packed them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import mmap
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from nffs.errors import InputError, quoted

#: As a path, it is standard input or standard output.
STANDARD = Path("-")

#: A file on disk is mapped, not copied.
Bytes = bytes | mmap.mmap

_BLOCK = 1 << 22
#: What unpackers raise.
_DAMAGED = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def read_bytes(path: Path) -> Bytes:
    """Get all bytes of a file, a pipe or standard input, unpacked."""
    packed = _packed_bytes(path)
    unpack = next((how for mark, how in _PACKED.items() if packed[: len(mark)] == mark), None)
    if unpack is None or _is_workbook(packed):
        return packed
    try:
        return unpack(bytes(packed))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except _DAMAGED as error:
        raise InputError(
            f"{path}: the compressed file is cut short or damaged ({error}); copy it again."
        ) from error


def for_polars(path: Path) -> Path | bytes:
    """Give a file on disk as polars can read it: by its path, unless that is no text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return path.read_bytes()
    return path


def blocks(content: Bytes) -> Iterator[bytes]:
    """Give bytes in parts of some megabytes."""
    return (content[start : start + _BLOCK] for start in range(0, len(content), _BLOCK))


@contextmanager
def packing(path: Path, name: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, packed as the ending of a name says, or not at all."""
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    ending = name.suffix.lower()
    if ending == ".zip":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open(name.stem, "w") as file,
        ):
            yield file
    else:
        opener = _zstd().open if ending == ".zst" else openers.get(ending, open)
        with opener(path, "wb") as file:
            yield file


def check_there(path: Path) -> None:
    """Refuse a path that is no file, or an empty one."""
    if path.is_dir():
        raise InputError(f"{path}: a folder; name a file in it.")
    if not path.exists():
        raise InputError(f"{path}: no such file.")
    if path.is_file() and path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; give a table with a header and rows.")


def _packed_bytes(path: Path) -> Bytes:
    if path == STANDARD:
        if content := sys.stdin.buffer.read():
            return content
        raise InputError("-: standard input is empty; it can be read only once.")
    check_there(path)
    with path.open("rb") as file:
        if path.is_file():
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return file.read()  # of a pipe


def _unzip(packed: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = [name for name in archive.namelist() if _is_table(name)]
        if len(files) != 1:
            raise InputError(
                f"the archive holds {len(files)} files ({quoted(files)}); unpack it and name one."
            )
        return archive.read(files[0])


def _is_table(name: str) -> bool:
    return not name.endswith("/") and not name.startswith("__MACOSX/")


def _is_workbook(packed: Bytes) -> bool:
    """Tell spreadsheets, which are archives of their own, from archives of tables."""
    marked = packed.find(b"[Content_Types].xml") >= 0 or packed[30:38] == b"mimetype"
    return packed[:2] == b"PK" and marked


def _zstd() -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise InputError(
            "Zstandard needs backports.zstd; install it with pip install backports.zstd."
        ) from error
    return zstd


def _unpack_zstd(packed: bytes) -> bytes:
    zstd = _zstd()
    try:
        unpacked: bytes = zstd.decompress(packed)
    except zstd.ZstdError as error:
        raise EOFError(error) from error
    return unpacked


#: How packed files begin, and what unpacks them.
_PACKED: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
    b"\x28\xb5\x2f\xfd": _unpack_zstd,
    b"PK\x03\x04": _unzip,
}
