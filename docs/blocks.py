"""The Python blocks of a page and what they print: run by the tests, filled in by generate.py.

A block's output stands below it, in a block of text that begins with the line `<!-- output -->`.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(\n<!-- output -->\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def run_blocks(page: Path) -> Iterator[tuple[re.Match[str], str]]:
    """Run the blocks of a page one after the other, as in a notebook; give what each prints."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__page__"}
    for block in _BLOCK.finditer(text):
        # as many empty lines as stand before it, so that a traceback names the page's own line
        before = "\n" * text.count("\n", 0, block.start("code"))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # not with this module's __future__: a reader has none either
            code = compile(before + block["code"], str(page), "exec", dont_inherit=True)
            exec(code, names)
        yield block, printed.getvalue()


def fill_outputs(page: Path) -> None:
    """Run a page and write below its blocks what they print."""
    text, parts, done = page.read_text(encoding="utf-8"), [], 0
    for block, printed in run_blocks(page):
        parts.append(text[done : block.start()])
        parts.append(f"```python\n{block['code']}```\n")
        if printed:
            parts.append(f"\n<!-- output -->\n```text\n{printed.rstrip()}\n```\n")
        done = block.end()
    page.write_text("".join(parts) + text[done:], encoding="utf-8")
