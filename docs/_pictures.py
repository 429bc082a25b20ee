"""Lists as cards, and pictures that suit light and dark pages; pages stay plain Markdown.

- A comment that is one word, such as `<!-- cards -->`, is the class of the block below it.
- Figures of `plots` and `paper` are black on white: site.css turns them around on a dark page.
- A picture `NAME-light.png` beside which `NAME-dark.png` lies is replaced by it on a dark page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

_MARK = re.compile(r"<!-- ([a-z]+) -->\s*")


class Marks(SphinxTransform):
    """Give the block below a comment of one word that class."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Change the page in place."""
        for comment in list(self.document.findall(nodes.raw)):
            found = _MARK.fullmatch(comment.astext())
            below = comment.next_node(descend=False, siblings=True)
            if found and isinstance(below, nodes.Element):
                below["classes"].append(found[1])
                comment.parent.remove(comment)


class Pictures(SphinxTransform):
    """Mark figures on white, and add a picture's dark twin where there is one."""

    default_priority = 410

    def apply(self, **_: Any) -> None:
        """Change the page in place."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            address = image["uri"]
            if address.endswith(".svg") and Path(address).parent.name in ("plots", "paper"):
                image["classes"].append("drawing")
            dark = re.sub(r"-light(?=[^/]*$)", "-dark", address)
            if dark != address and (folder / dark).is_file():
                twin = image.copy()
                twin["uri"] = dark
                image["classes"].append("only-light")
                twin["classes"] = [*twin["classes"], "only-dark"]
                image.parent.insert(image.parent.index(image) + 1, twin)


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx apply both to every page."""
    app.add_transform(Marks)
    app.add_transform(Pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
