"""Tables in files of every format, cut off, changed or torn, and then given to commands.

A command must do its work or refuse the file with a sentence, whatever the file contains.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import zipfile
from pathlib import Path

import numpy as np
import polars as pl

from _faults.commands import fault_of, nffs
from _faults.record import Outcome

_TINY = ("--target", "label", "--budget", "2", "--cv", "2", "--quiet", "--json")
_OPTIONS = (
    (), (), (), ("--unit", "column"), ("--categories", "cluster"), ("--missing", "error"),
    ("--max-rows", "30"), ("--group", "c"), ("--separator", ";"), ("--decimal", ","),
    ("--encoding", "latin-1"), ("--na", "0"), ("--task", "regression"),
)  # fmt: skip
_WORDS = (b",", b"\n", b"0", b"yes", b'"')
_OTHERS = (b"", b";", b"\x00", b"\r", b'"', b"n/a", b"\xff")
_ENDS = (b"\n\n\n", b"\x00" * 40, b"\r\n", b",,,,,\n", b'"', b"\x1a")


class Inputs:
    """One table in every format, whole, and a selection from it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._whole = folder, folder / "whole.csv"
        frame = _frame()
        frame.write_csv(self._whole)
        written = {"csv": self._whole.read_bytes()}
        for form, write in (
            ("tsv", lambda file: frame.write_csv(file, separator="\t")),
            ("parquet", frame.write_parquet),
            ("arrow", frame.write_ipc),
            ("jsonl", frame.write_ndjson),
        ):
            write(file := io.BytesIO())
            written[form] = file.getvalue()
        with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("table.csv", written["csv"])
        packed = {"csv.zip": file.getvalue(), "txt": written["csv"].decode().encode("utf-16")}
        for ending, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
            packed[f"csv.{ending}"] = pack(written["csv"])
        self._written = written | packed
        self._selection = folder / "selection.json"
        nffs("select", self._whole, "--method", "kbest", *_TINY, "--out", self._selection)

    def attempt(self, number: int, rng: random.Random) -> Outcome:
        """Damage the table in one format and give it to a command."""
        form = rng.choice(sorted(self._written))
        content = _damaged(self._written[form], rng)
        if rng.random() < 0.3 and content:
            content = _damaged(content, rng)
        path = self._folder / f"damaged.{form}"
        path.unlink(missing_ok=True)  # an old one may still be mapped
        path.write_bytes(content)
        done = nffs(*self._command(path, rng))
        outcome = Outcome(faults=[f"{form}: {fault}" for fault in fault_of(done)])
        outcome.counts["read" if done.exit_code == 0 else "refused"] = 1
        return outcome

    def _command(self, path: Path, rng: random.Random) -> tuple[object, ...]:
        name = rng.choice(["select", "select", "shift", "transform"])
        if name == "select":
            method = rng.choice(["kbest", "random", "mrmr"])
            return ("select", path, "--method", method, *_TINY, *rng.choice(_OPTIONS))
        if name == "shift":
            tables = rng.sample([path, self._whole], 2)
            return ("shift", *tables, "--target", "label", "--quiet", "--json")
        out = self._folder / "reduced.csv"
        return ("transform", path, "--selection", self._selection, "--out", out, "--keep", "label")


def _frame() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    n = 60
    label = rng.integers(0, 2, n)
    texts = np.array(["u", "v", "w, x", 'q"z'])
    days = np.datetime64("2020-01-01") + np.arange(n)
    return pl.DataFrame(
        {
            "a": label + rng.normal(size=n),
            "b": texts[rng.integers(0, 4, n)],
            "c": rng.integers(0, 5, n),
            "d": pl.Series([None if i % 9 == 0 else float(i) for i in range(n)]),
            "when": pl.Series(days).cast(pl.Date),
            "label": np.where(label, "yes", "no"),
        }
    )


def _damaged(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content))
    end = min(len(content), start + rng.randrange(300))
    kind = rng.choice(
        ["cut", "flip", "drop", "insert", "repeat", "end", "replace", "zero", "noise"]
    )
    if kind == "cut":
        return content[:start]
    if kind == "flip":
        changed = bytearray(content)
        for _ in range(rng.choice([1, 1, 3, 20])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    if kind == "drop":
        return content[:start] + content[end:]
    if kind == "insert":
        return content[:start] + rng.randbytes(rng.randrange(30)) + content[start:]
    if kind == "repeat":
        return content[:end] + content[start:]
    if kind == "end":
        return content + rng.choice(_ENDS)
    if kind == "replace":
        return content.replace(rng.choice(_WORDS), rng.choice(_OTHERS), rng.choice([1, 5, 1000]))
    if kind == "zero":
        return content[:start] + bytes(len(content) - start)
    return rng.randbytes(rng.randrange(400))
