"""Which characters the bytes of a text stand for."""

from __future__ import annotations

import codecs
from pathlib import Path

from nffs.cli.reading.how import Note
from nffs.cli.reading.sources import Bytes, blocks
from nffs.errors import InputError

#: Marks at the beginning of a text; UTF-32's begins as UTF-16's does.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: What European programs wrote before UTF-8; it holds the letters of latin-1.
_WINDOWS = "windows-1252"
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\v\x1a\x1b")


def as_utf8(content: Bytes, path: Path, encoding: str | None, note: Note) -> Bytes:
    """Give a text in UTF-8; say so if it was not."""
    if encoding is not None:
        return _decoded(content, path, encoding).encode()
    marked = next((name for mark, name in _MARKS.items() if content[: len(mark)] == mark), None)
    found = marked or _wide(content[:4096]) or ("utf-8" if _is_utf8(content) else None)
    if found == "utf-8":
        return content
    if found is None:
        found = _WINDOWS
        if any(block.translate(None, _CONTROLS) != block for block in blocks(content)):
            raise InputError(f"{path}: not readable as CSV (it is not text).")
        said = f"not UTF-8, so read as {found}; --encoding sets another"
    else:
        said = f"read as {found.upper()}"
    text = _decoded(content, path, found).encode()
    note(said)
    return text


def _decoded(content: Bytes, path: Path, encoding: str) -> str:
    try:
        return str(content[:], encoding)
    except LookupError as error:
        raise InputError(
            f"--encoding: {encoding!r} is unknown; give one such as latin-1, utf-16 or cp1250."
        ) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(
            f"{path}: not readable as {encoding} (byte 0x{content[error.start]:02x} in line "
            f"{line}); give its encoding with --encoding."
        ) from error


def _is_utf8(content: Bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in blocks(content):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _wide(head: bytes) -> str | None:
    """Tell UTF-16 without a mark: of European text every second byte is zero."""
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if len(head) >= 4 and zeros.count(0) > len(zeros) // 2:
            return name
    return None
