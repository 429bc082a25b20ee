"""Take pictures of the pages of a comparison, the reproduction and a shift, and of a notebook."""

from __future__ import annotations

import base64
import io
import json
import tempfile
import warnings
from pathlib import Path

import polars as pl
from PIL import Image

from nffs import make_connections
from nffs.paper import figures
from nffs.paper.report import render_reproduction
from nffs.paper.reported import NSL_KDD
from nffs.report.notebook import render_notebook
from nffs.selection import Selection
from nffs.validation import compare, shift

DOCS = Path(__file__).resolve().parent

#: What is compared on the picture.
METHODS = ("guided", "nffs", "mrmr", "ga", "from-model", "random", "all")


def comparison_page(keep: Path | None = None) -> str:
    """Compare some methods on the embedded table, with a small budget."""
    table = make_connections(800)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare(
            table.data, table.target, methods=METHODS, budget=40, seeds=5, keep=keep, callbacks=[]
        )
    return str(found.report())


def reproduction_page() -> str:
    """Draw the page of the full run on NSL-KDD from its results."""
    document = json.loads((DOCS / "paper" / "nsl-kdd.json").read_text(encoding="utf-8"))
    drawn = figures.draw_all(document["figures"], document["scores"])
    with tempfile.TemporaryDirectory() as folder:
        for name, figure in drawn.items():
            figures.save_svg(figure, Path(folder), name)
        texts = {name: (Path(folder) / f"{name}.svg").read_bytes() for name in drawn}
    return render_reproduction(document, NSL_KDD, texts)


def shift_page() -> str:
    """Compare two samples of the embedded table, the second with other sizes and services."""
    new = make_connections(1000, random_state=1).data
    service = pl.when(pl.col("service") == "http").then(pl.lit("quic")).otherwise("service")
    new = new.with_columns(pl.col("dst_bytes") * 3, service.alias("service"))
    return str(shift(make_connections().data, new).report())


def notebook_page(selection: Selection) -> str:
    """Put what a cell shows on the ground of a notebook, light or dark as the window."""
    shown = render_notebook(selection, 'NFFS(pos_label="attack", random_state=0)')
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>notebook</title><style>'
        ":root { --jp-layout-color0: #fff } body { background: #fff; color: #111; margin: 1.5rem;"
        " font: 15px/1.4 system-ui, sans-serif } @media (prefers-color-scheme: dark) {"
        " :root { --jp-layout-color0: #111 } body { background: #111; color: #e8e8e8 } }"
        f"</style><body>{shown}</body></html>"
    )


def take_pictures(selection: Selection) -> None:
    """Take pictures of all four, light and dark; what a cell shows is that of the selection."""
    import browsing

    pages = {
        "comparison": (comparison_page(), 1280, 800),
        "reproduction": (reproduction_page(), 1280, 800),
        "shift": (shift_page(), 1280, 800),
        "notebook": (notebook_page(selection), 1000, 510),
    }
    with tempfile.TemporaryDirectory() as folder, browsing.chromium() as driver:
        for name, (text, width, height) in pages.items():
            page = Path(folder).resolve() / f"{name}.html"
            page.write_text(text, encoding="utf-8")
            for dark in (False, True):
                browsing.look(driver, width=width, height=height, dark=dark)
                driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
                driver.get(page.as_uri())
                shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
                image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
                # A palette is enough for text and lines, at a third of the size.
                image = image.quantize(method=Image.Quantize.MAXCOVERAGE)
                path = DOCS / "images" / f"{name}-{'dark' if dark else 'light'}.png"
                image.save(path, optimize=True)
