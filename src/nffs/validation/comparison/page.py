"""A comparison as an HTML page: one file that opens offline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from nffs.atomic import write_text
from nffs.report import render_comparison


def write_page(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page to a file."""
    write_text(path, render_comparison(document))
