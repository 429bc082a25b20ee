"""What the benchmarks share: data, progress, timing, tables and JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from nffs import InputError
from nffs.datasets import fetch_nsl_kdd

T = TypeVar("T")

NSL_KDD_CATEGORICAL = ["f2", "f3", "f4"]


def parser(description: str) -> argparse.ArgumentParser:
    """Command line that every benchmark has."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument(
        "--quick", action="store_true", help="a smaller run that takes a minute or so"
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    made.add_argument("--threads", type=int, default=2, help="threads for everyone (default: 2)")
    return made


def data_folder() -> Path:
    """Folder with the data sets: NFFS_DATA, or ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("NFFS_DATA", beside))


def nsl_kdd_frames() -> tuple[pl.DataFrame, np.ndarray, pl.DataFrame, np.ndarray]:
    """Read training and test table, columns f1 to f41, each with its label (1 for attack)."""
    try:
        X_train, y_train, X_test, y_test = fetch_nsl_kdd(
            data_home=data_folder(), download_if_missing=False, return_X_y=True, names="paper"
        )
    except InputError as error:
        sys.exit(str(error))
    return X_train, y_train.astype(np.int64), X_test, y_test.astype(np.int64)


def nsl_kdd() -> tuple[np.ndarray, np.ndarray, int]:
    """Give the encoded table (float32), its label and the number of training rows.

    The categories are those of both files together, as in the paper.
    """
    X_train, y_train, X_test, y_test = nsl_kdd_frames()
    both = pl.concat([X_train, X_test], how="vertical_relaxed")
    encoded = both.to_dummies(NSL_KDD_CATEGORICAL)
    table = np.ascontiguousarray(encoded.to_numpy(), dtype=np.float32)
    return table, np.concatenate([y_train, y_test]), len(X_train)


def drawn_subset(n_columns: int, share: float, seed: int) -> np.ndarray:
    """Random column mask of exactly ``share`` of the columns."""
    mask = np.zeros(n_columns, dtype=bool)
    size = round(share * n_columns)
    mask[np.random.default_rng(seed).choice(n_columns, size, replace=False)] = True
    return mask


def progress(items: Sequence[T] | Iterable[T], total: int, what: str) -> Iterator[T]:
    """Yield the items with a line on stderr that says how far we are and how long it may take."""
    begin = time.perf_counter()
    live = sys.stderr.isatty()
    for done, item in enumerate(items):
        gone = time.perf_counter() - begin
        left = f", {gone / done * (total - done):.0f} s left" if done else ""
        bar = "#" * (20 * done // total) + "." * (20 - 20 * done // total)
        line = f"{what} [{bar}] {done}/{total}, {gone:.0f} s{left}"
        print(
            f"\r{line:<78}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True
        )
        yield item
    gone = time.perf_counter() - begin
    done_line = f"{what} [{'#' * 20}] {total}/{total}, {gone:.0f} s"
    print(f"\r{done_line:<78}" if live else done_line, file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Plain text table."""
    cells = [[_cell(value) for value in row] for row in [header, *rows]]
    widths = [max(len(row[c]) for row in cells) for c in range(len(header))]
    lines = [
        "  ".join(
            v.ljust(w) if c == 0 else v.rjust(w)
            for c, (v, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def machine() -> dict[str, Any]:
    """Describe what the figures were measured on."""
    packages = ["numpy", "numba", "scikit-learn", "scikit-learn-intelex", "polars"]
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")


#: Options that name files and folders of a machine.
PLACES = ("--json", "--keep", "--measured", "--pictures", "--reproduced", "--results")


def save(file: Path | None, figures: dict[str, Any]) -> None:
    """Write figures, machine and command to a JSON file, if one was asked for."""
    if file is not None:
        given, kept = sys.argv[1:], []
        while given:
            option = given.pop(0)
            if option in PLACES:
                given.pop(0)
            elif option != "--kept":
                kept.append(option)
        command = ["python", f"benchmarks/{Path(sys.argv[0]).name}", *kept]
        file.write_text(
            json.dumps({"command": " ".join(command), **machine(), **figures}, indent=1) + "\n"
        )
