"""Watch a program in a terminal of our own: what a person would have seen on the screen.

Used by docs/generate.py for docs/terminal.md, and by the tests.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte

#: Wider than the terminal that the program is told of: a line too long would show.
_WIDE, _TALL = 200, 150

#: What a program sends before it paints over a line. It may come in one piece with what it painted.
_BEFORE_ERASING = re.compile(rb"(?=\r?\x1b\[(?:2K|1A))")


@dataclass(frozen=True)
class Watched:
    """What a program did in a terminal.

    Attributes
    ----------
    frames : list of str
        The screen, each time it had changed; everything that was painted is in one of them,
        however slowly we looked.
    code : int
        The exit status.
    raw : str
        Everything it wrote.
    cursor_hidden : bool
        Whether it left the cursor hidden.
    """

    frames: list[str]
    code: int
    raw: str
    cursor_hidden: bool

    @property
    def last(self) -> str:
        """The screen at the end."""
        return self.frames[-1]


def watch(
    command: Sequence[str], columns: int = 80, folder: Path | None = None, **environment: str
) -> Watched:
    """Run a command in a terminal so many columns wide.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    columns : int
        What the program is told of its terminal.
    folder : Path, optional
        Where it runs.
    **environment : str
        Variables to set; those that steer width and colour are taken away first.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _TALL, columns, 0, 0))
    steering = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE")
    kept = {name: value for name, value in os.environ.items() if name not in steering}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, cwd=folder,
        env={**kept, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    screen = pyte.Screen(_WIDE, _TALL)
    stream = pyte.ByteStream(screen)
    frames, raw = [""], b""
    while chunk := _read(ours):
        raw += chunk
        for piece in _BEFORE_ERASING.split(chunk):
            stream.feed(piece)
            frame = "\n".join(line.rstrip() for line in screen.display).rstrip()
            if frame != frames[-1]:
                frames.append(frame)
    os.close(ours)
    return Watched(frames, process.wait(), raw.decode("utf-8", "replace"), screen.cursor.hidden)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other side has closed
        return b""
