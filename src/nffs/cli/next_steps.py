"""What to do with a selection: commands to copy, each with what it is for."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from nffs.cli.printable import on_one_line

#: Options of `nffs select` that `nffs validate` lacks or that say where results go: those with a
#: value, and those without.
_WITH_VALUE = {
    *("--out", "--report", "--journal", "--holdout", "--test", "--scheduler", "--time-limit"),
    *("--unlabelled", "--unlabelled-for"),
}
_ALONE = {"--json", "--quiet", "-q", "--verbose", "-v"}

#: Options that say how a CSV file is written: `nffs transform` has them too.
_READING = {"--separator", "--decimal", "--encoding", "--na"}
_READING_ALONE = {"--header", "--no-header"}


def next_steps(
    given: Sequence[str], train: Path, out: Path | None, report: Path | None, width: int = 80
) -> Iterator[str]:
    """Say what to do next, line by line.

    Parameters
    ----------
    given : sequence of str
        The words after `nffs select`.
    train : path
        The table; what came from a pipe cannot be read again.
    out, report : path or None
        What was written.
    width : int
        Of the terminal; longer commands are broken as a shell allows it.
    """
    yield "next:"
    again = str(train) != "-"
    if again and out is None:
        missing = {"--out": "selection.json", "--report": report or "report.html"}
        kept = [*_without(given, {*missing, "--json"}), *_words(missing)]
        what = "save this selection" + (" and write its report" if report is None else "")
        yield from _step(what, ["nffs", "select", *kept], width)
    elif out is not None and report is None:
        words = ["nffs", "report", str(out), "--out", "report.html"]
        yield from _step("write its report", words, width)
    if report is not None:
        python = "python" if shutil.which("python") else "python3"
        yield from _step("open the report", [python, "-m", "webbrowser", str(report)], width)
    if again and "--check" not in given:
        words = ["nffs", "validate", *_without(given, _WITH_VALUE | _ALONE)]
        yield from _step("can you trust the score? score it on unseen rows", words, width)
    if out is not None:
        file = [str(train), *_of_reading(given)] if again else ["new.csv"]
        words = ["nffs", "transform", *file, "--selection", str(out), "--out", "reduced.csv"]
        what = "apply the selection to this table, or to another with these columns"
        yield from _step(what, words, width)


def _step(what: str, words: Sequence[str], width: int) -> Iterator[str]:
    yield f"  {what}"
    yield f"    {_joined(words, width - 4)}"


def _joined(words: Sequence[str], width: int) -> str:
    r"""Write a command as a shell reads it, on several lines if it is long.

    >>> print(_joined(["nffs", "select", "my table.csv", "--target", "label"], width=24))
    nffs select \
          'my table.csv' \
          --target label
    """
    lines, line = [], ""
    for word in words:
        quoted = on_one_line(shlex.quote(word))
        if line and len(line) + len(quoted) + 3 > width:
            lines.append(line)
            line = "      "
        line += quoted if not line.strip() else f" {quoted}"
    return " \\\n".join([*lines, line])


def _words(options: dict[str, Path | str]) -> list[str]:
    return [word for name, value in options.items() for word in (name, str(value))]


def _of_reading(given: Sequence[str]) -> list[str]:
    """Give the options that say how the table is written, with their values."""
    kept: list[str] = []
    for place, word in enumerate(given):
        name, has_value, _ = word.partition("=")
        if name in _READING:
            kept += [word] if has_value else list(given[place : place + 2])
        elif name in _READING_ALONE:
            kept.append(word)
    return kept


def _without(given: Sequence[str], options: set[str]) -> list[str]:
    """Leave out some options, and their values."""
    kept: list[str] = []
    skip = False
    for word in given:
        name, has_value, _ = word.partition("=")
        if skip:
            skip = False
        elif name in options:
            skip = name not in _ALONE and not has_value
        else:
            kept.append(word)
    return kept
