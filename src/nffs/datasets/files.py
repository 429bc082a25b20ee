"""Data files: where they are looked for, how they are recognised, and how they are downloaded.

A file is known by its sha256, never by its name alone: a cut-off, edited or swapped file is not
taken for the real one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nffs.errors import DownloadError, InputError

#: Called with the bytes that arrived so far and the file's size.
OnBytes = Callable[[int, int], object]


@dataclass(frozen=True)
class DataFile:
    """A file of a data set, in that data set's folder below a data folder.

    Aliases are other names under which it is handed around.
    """

    folder: str
    name: str
    sha256: str
    size: int
    mirrors: tuple[str, ...]
    aliases: tuple[str, ...] = ()


def cache_folder() -> Path:
    """Give the folder that downloads go to."""
    import pooch

    return Path(pooch.os_cache("nffs"))


def data_folders(data_home: str | os.PathLike[str] | None) -> list[Path]:
    """List the folders that are searched: the given one, `NFFS_DATA`, the user's cache."""
    named = [data_home, os.environ.get("NFFS_DATA")]
    return [Path(folder) for folder in named if folder] + [cache_folder()]


def locate(file: DataFile, data_home: str | os.PathLike[str] | None = None) -> Path | None:
    """Find a file, under its own name or another; None if it is nowhere.

    A file of that name with other contents is refused, unless the right one lies beside it.
    """
    for folder in data_folders(data_home):
        wrong: list[tuple[Path, str]] = []
        for path in _candidates(folder, file):
            found = sha256_of(path)
            if found == file.sha256:
                return path
            if path.name == file.name:
                wrong.append((path, found))
        if wrong and not _is_another_known(wrong[0][1], file):
            path, found = wrong[0]
            raise InputError(
                f"{path}: not the original {file.name}: expected sha256 {file.sha256} "
                f"({file.size} bytes), found {found} ({path.stat().st_size} bytes); delete it to "
                "have it fetched again."
            )
    return None


def obtain(
    file: DataFile,
    data_home: str | os.PathLike[str] | None = None,
    *,
    download_if_missing: bool = True,
    on_bytes: OnBytes | None = None,
) -> Path:
    """Find a file, in `data_home` first, or download it there."""
    path = locate(file, data_home)
    if path is not None:
        return path
    if not download_if_missing:
        looked = ", ".join(str(folder) for folder in data_folders(data_home))
        raise InputError(
            f"{file.name}: not found in {looked}; set NFFS_DATA to its folder, or allow the "
            "download."
        )
    home = Path(data_home) if data_home else cache_folder()
    return download(file, home / file.folder, on_bytes)


def download(file: DataFile, folder: Path, on_bytes: OnBytes | None = None) -> Path:
    """Download a file from the first mirror that gives the right contents.

    What arrived before a cut stays in a ``.part`` file, and the next try, from any mirror, goes on
    from there. The file itself appears only when its sha256 is right.
    """
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")  # what it says, `on_bytes` tells better
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{file.name}.part"
    failures = []
    for url in file.mirrors:
        try:
            pooch.retrieve(
                url,
                known_hash=f"sha256:{file.sha256}",
                fname=file.name,
                path=folder,
                downloader=_Resuming(part, file.size, on_bytes),
            )
        except (ValueError, OSError, requests.RequestException) as error:
            failures.append(f"{url}: {_reason(error)}")
        else:
            return folder / file.name
    raise DownloadError(
        f"{file.name} could not be downloaded ({'; '.join(failures)}). Put the file into {folder} "
        "by hand, or set NFFS_DATA to a folder that has it."
    )


def sha256_of(path: Path) -> str:
    """Compute a file's sha256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Resuming:
    """A downloader for pooch that continues where a cut connection stopped."""

    def __init__(self, part: Path, size: int, on_bytes: OnBytes | None) -> None:
        self._part = part
        self._size = size
        self._on_bytes = on_bytes

    def __call__(self, url: str, output_file: Any, pooch: Any) -> None:
        import requests

        start = self._part.stat().st_size if self._part.exists() else 0
        headers = {"Range": f"bytes={start}-"} if start else {}
        with requests.get(url, headers=headers, stream=True, timeout=30) as answer:
            if answer.status_code == requests.codes.requested_range_not_satisfiable:
                # What is there is no beginning of the file: start over with the next mirror.
                self._part.unlink()
            answer.raise_for_status()
            resumed = answer.status_code == requests.codes.partial_content
            done = start if resumed else 0
            total = done + int(answer.headers.get("Content-Length", 0))
            with self._part.open("ab" if resumed else "wb") as file:
                for chunk in answer.iter_content(1 << 16):
                    done += len(chunk)
                    if done > self._size:
                        break
                    file.write(chunk)
                    if self._on_bytes is not None:
                        self._on_bytes(done, total)
        if done > self._size:
            self._part.unlink()
            raise OSError(f"it sends more than the {self._size} bytes of the original")
        self._part.replace(output_file)


def _candidates(folder: Path, file: DataFile) -> Iterator[Path]:
    for place in (folder / file.folder, folder):
        for name in (file.name, *file.aliases):
            if (place / name).is_file():
                yield place / name


def _is_another_known(found: str, file: DataFile) -> bool:
    """Tell whether the contents are those of the file whose name is swapped with this one's."""
    from nffs.datasets.catalog import DATA_FILES

    return any(found == other.sha256 for other in DATA_FILES if other != file)


def _reason(error: BaseException) -> str:
    import requests

    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    text = str(error).split("\n")[0]
    if isinstance(error, ValueError) and "hash" in text:
        return "the contents are not the original (sha256 differs)"
    return text[:120] or type(error).__name__
