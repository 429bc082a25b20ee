"""Make the generated parts of the documentation: pictures, commands, screens, outputs.

Run by `make generate`; what it writes is committed, so that README has its picture on any host.
Names of parts make those alone: `python docs/generate.py plots terminal`.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib
import polars as pl
from blocks import fill_outputs
from PIL import Image
from rich.console import Console
from screen import watch

from nffs import NFFS, Selection, Selector, make_connections, plotting
from nffs.paper import figures
from nffs.paper.report import CAPTIONS
from nffs.paper.tables import Table
from nffs.report import write_report
from nffs.report.terminal import print_selection
from nffs.validation import nested_score, score_models, selection_stability, shift

DOCS = Path(__file__).resolve().parent
COMMANDS = (
    "select",
    "pick",
    "transform",
    "report",
    "validate",
    "stability",
    "compare",
    "evaluate",
    "shift",
    "methods",
    "runs",
    "reproduce",
    "datasets",
    "demo",
)

#: Pages of the guide whose examples show what they print; none needs data of its own.
EXAMPLES = (
    "callbacks",
    "categories",
    "constraints",
    "dates",
    "guided",
    "honesty",
    "imbalance",
    "missing",
    "pipelines",
    "shift",
    "unlabelled",
    "which-selector",
)


@functools.cache
def demo_selection() -> Selection:
    """Select from the embedded table and score other rows of its kind, as `nffs demo` does."""
    table, more = make_connections(), make_connections(random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = NFFS(choose="one_se", pos_label="attack", n_jobs=-1, random_state=0)
        selector.fit(table.data, table.target)
    unseen = score_models(selector, table.data, table.target, more.data, more.target)
    return selector.selection_.with_unseen(unseen)


def guided_selection() -> Selection:
    """Select from the same table by the guided search."""
    table = make_connections()
    selector = Selector("guided", pos_label="attack", n_jobs=-1, random_state=0)
    return selector.fit(table.data, table.target).selection_


def report_pictures() -> None:
    """Take pictures of the demo's report, with a nested score and stability in it."""
    sys.path.append(str(DOCS.parent / "tests"))
    import browsing

    if browsing.missing():
        print(f"no pictures of the report: {browsing.missing()}", file=sys.stderr)
        return
    table = make_connections()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = NFFS(choose="one_se", pos_label="attack", n_jobs=-1, random_state=0)
        report = Path(folder).resolve() / "report.html"
        nested = nested_score(selector, table.data, table.target, cv=5)
        stability = selection_stability(selector, table.data, table.target, n_runs=5)
        write_report(demo_selection(), report, nested=nested, stability=stability)
        screenshots(report)


def page_pictures() -> None:
    """Take pictures of the pages of a comparison, the reproduction and a shift, and a notebook."""
    sys.path.append(str(DOCS.parent / "tests"))
    import browsing
    from page_pictures import take_pictures

    if browsing.missing():
        print(f"no pictures of pages: {browsing.missing()}", file=sys.stderr)
    else:
        take_pictures(demo_selection())


def picture() -> None:
    """Draw what `nffs demo` prints."""
    console = Console(record=True, width=80, file=io.StringIO())
    print_selection(demo_selection(), console)
    drawn = console.export_svg(title="nffs demo", unique_id="demo")
    # The page must not ask anyone for a font.
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    (DOCS / "demo.svg").write_text(drawn, encoding="utf-8")


def screenshots(report: Path) -> None:
    """Take pictures of a report: wide, light and dark, and narrow."""
    import browsing

    (DOCS / "images").mkdir(exist_ok=True)
    with browsing.chromium() as driver:
        for name, width, height, dark in (
            ("report-light", 1280, 1150, False),
            ("report-dark", 1280, 1150, True),
            ("report-dark-390", 390, 1080, True),
        ):
            browsing.look(driver, width=width, height=height, dark=dark)
            driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
            driver.get(report.as_uri())
            shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
            image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
            # A palette is enough for text and lines, at a third of the size; few pixels are orange.
            image = image.quantize(method=Image.Quantize.MAXCOVERAGE)
            image.save(DOCS / "images" / f"{name}.png", optimize=True)


def command_reference() -> None:
    """Write down what the commands' --help says."""
    parts = ["# Commands\n", "Made by `make generate` from `nffs COMMAND --help`.\n"]
    for command in COMMANDS:
        shown = subprocess.run(
            [sys.executable, "-m", "nffs", command, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "COLUMNS": "96", "NO_COLOR": "1"},
        ).stdout
        lines = "\n".join(line.rstrip() for line in shown.strip("\n").splitlines())
        parts.append(f"## nffs {command}\n\n```text\n{lines}\n```\n")
    (DOCS / "commands.md").write_text("\n".join(parts), encoding="utf-8")


def plots() -> None:
    """Draw the pictures of docs/plotting.md and docs/guided.md."""
    table, shown, guided = make_connections(1000), demo_selection(), guided_selection()
    quick = NFFS(n_subsets=24, n_nested=24, pos_label="attack", n_jobs=-1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        repeated = selection_stability(quick, table.data, table.target, n_runs=10)
    # as in docs/shift.md
    more = make_connections(500, random_state=1).data
    moved = shift(
        table.data, more.with_columns(pl.col("dst_bytes") * 3, pl.lit("ssh").alias("service"))
    )
    drawn = {
        "information": plotting.MutualInformationDisplay.from_selection(shown),
        "information-histogram": plotting.MutualInformationDisplay.from_selection(
            shown, kind="histogram"
        ),
        "weights": plotting.WeightsDisplay.from_selection(shown),
        "weights-ranks": plotting.WeightsDisplay.from_selection(shown, kind="ranks"),
        "nested": plotting.NestedCurveDisplay.from_selection(shown),
        "fitness": plotting.FitnessDisplay.from_selection(shown),
        "subsets": plotting.SubsetsDisplay.from_selection(shown),
        "course": plotting.CourseDisplay.from_selection(shown),
        "guided-effects": plotting.EffectsDisplay.from_selection(guided),
        "guided-effects-ranks": plotting.EffectsDisplay.from_selection(guided, kind="ranks"),
        "guided-course": plotting.CourseDisplay.from_selection(guided),
        "guided-expected": plotting.ExpectedDisplay.from_selection(guided),
        "guided-front": plotting.SubsetsDisplay.from_selection(guided),
        "stability": plotting.StabilityDisplay.from_result(repeated),
        "shift": plotting.ShiftDisplay.from_result(moved),
    }
    (DOCS / "plots").mkdir(exist_ok=True)
    for name, display in drawn.items():
        figures.save_svg(display.figure_, DOCS / "plots", name)


def terminal_page() -> None:
    """Watch `nffs select` in a terminal of 80 columns and put the screens into docs/terminal.md."""
    with tempfile.TemporaryDirectory() as folder:
        make_connections().frame().write_csv(Path(folder) / "train.csv")
        command = [sys.executable, "-m", "nffs", "select", "train.csv", "--target", "label"]
        seen = watch(command, folder=Path(folder))
    bars = [frame for frame in seen.frames if "nested subsets" in frame]
    screens = {"progress": bars[len(bars) // 2], "result": seen.last}
    page = (DOCS / "terminal.md").read_text(encoding="utf-8")
    for name, screen in screens.items():
        block = f"<!-- {name} -->\n```text\n$ nffs select train.csv --target label\n{screen}\n```"
        page, found = re.subn(
            rf"<!-- {name} -->\n```text\n.*?\n```", lambda _, block=block: block, page, flags=re.S
        )
        assert found == 1, name
    (DOCS / "terminal.md").write_text(page, encoding="utf-8")


def example_outputs() -> None:
    """Run the examples of the guide and write down what they print.

    A page that `benchmarks/run.py` makes begins with an introduction: both get the same outputs.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in EXAMPLES:
            for page in (DOCS / f"{name}.md", DOCS / name / "introduction.md"):
                if page.exists():
                    fill_outputs(page)


def tutorial_outputs() -> None:
    """Run the tutorials; write down what their blocks print, and keep the figures that they save.

    Some need real data: the folder that `NFFS_DATA` names, or ../shared/data.
    """
    os.environ.setdefault("NFFS_DATA", str(DOCS.parents[1] / "shared" / "data"))
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # the same figure gives the same file
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for page in (DOCS / "quickstart.md", *sorted(DOCS.glob("tutorial-*.md"))):
            with matplotlib.rc_context({"svg.hashsalt": page.stem}):
                fill_outputs(page)
        for figure in Path(folder).glob("*.svg"):
            shutil.move(figure, DOCS / "plots" / figure.name)


def paper_page() -> None:
    """Write docs/paper.md and its figures from the committed JSON of full reproductions."""
    folder = DOCS / "paper"
    parts = [(folder / "introduction.md").read_text(encoding="utf-8")]
    for path in sorted(folder.glob("*.json")):
        name, document = path.stem, json.loads(path.read_text(encoding="utf-8"))
        parts += [f"## {document['title']}", *document["sentences"]]
        mark = "Stand-in split" if document["stand_in"] else ""
        # a run of the tables alone has no figures
        drawn = (
            figures.draw_all(document["figures"], document["scores"], mark)
            if "figures" in document
            else {}
        )
        for number, figure in drawn.items():
            if number == "figure-1" and mark:
                continue  # it shows the encodings, whatever the data
            figures.save_svg(figure, folder, f"{name}-{number}")
            shown = f"![{CAPTIONS[number]}](paper/{name}-{number}.svg)"
            parts += [shown, f"*{CAPTIONS[number]}*"]
        parts += [
            Table(**{**table, "rows": [tuple(row) for row in table["rows"]]}).to_markdown()
            for table in document["tables"]
        ]
    (DOCS / "paper.md").write_text("\n\n".join(p.strip() for p in parts) + "\n", encoding="utf-8")


PARTS = {
    "picture": picture,
    "report": report_pictures,
    "pages": page_pictures,
    "commands": command_reference,
    "plots": plots,
    "terminal": terminal_page,
    "examples": example_outputs,
    "tutorials": tutorial_outputs,
    "paper": paper_page,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
