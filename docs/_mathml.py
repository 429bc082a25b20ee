r"""Equations as MathML, which browsers draw themselves: no script, no font, no network.

docutils, which Sphinx stands on, translates LaTeX. It knows no ``\tag``; the number is put beside
the equation here, as code hosts do.

Browsers stretch braces and enlarge sums only where a mathematical font is installed, so equations
are better written without braces over several lines.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

_log = logging.getLogger(__name__)


def _mathml(node: Any, code: str, *, block: bool) -> str:
    try:
        return tex2mathml(code, as_block=block)
    except MathError as error:
        _log.warning("cannot translate %r: %s", code, error, location=node)
        return ""


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(_mathml(node, node.astext(), block=False))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    code, tag = node.astext(), ""
    if found := re.search(r"\\tag\{(.*?)\}", code):
        code = code.replace(found[0], "")
        tag = f'<span class="equation-number">({found[1]})</span>'
    drawn = _mathml(node, code, block=True)
    self.body.append(f'<div class="equation">{drawn}{tag}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Add the renderer, which conf.py chooses by its name."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
