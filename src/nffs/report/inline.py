"""A page inside a notebook: in a frame of its own, whose style and script are the page's."""

from __future__ import annotations

import os

from markupsafe import escape

from nffs.atomic import write_text

#: The frame is as high as most of a screen; its corner can be pulled.
_STYLE = (
    "display:block;box-sizing:border-box;width:100%;height:44rem;max-height:85vh;resize:vertical;"
    "overflow:auto;border:1px solid #8a94a066;border-radius:6px;background:transparent"
)


class InlinePage:
    """A whole page, shown inline where notebooks show results; `str` gives its HTML.

    The frame lets the page run its own script and copy to the clipboard, and nothing else: it can
    reach neither the notebook nor the network.
    """

    def __init__(self, html: str, title: str) -> None:
        self._html = html
        self._title = title

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file: one that opens offline."""
        write_text(path, self._html)

    def __str__(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return f'<{self._title}: shown in a notebook; save("page.html") writes it to a file>'

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{escape(self._title)}" sandbox="allow-scripts" '
            f'allow="clipboard-write" style="{_STYLE}" srcdoc="{escape(self._html)}"></iframe>'
        )
