"""Run all benchmarks of a page and write the page from what they print.

`docs/benchmarks.md` is about speed and agreement, `docs/honesty.md` about honest scores,
`docs/scale.md` about large tables and clusters, `docs/comparison-study.md` about other methods,
`docs/transfer.md` about the models that people deploy, `docs/regression.md` about regression,
`docs/wide.md` about tables of thousands of columns, `docs/imbalance.md` about rare classes,
`docs/missing.md` about missing values, `docs/categories.md` about categories,
`docs/gpu.md` about the GPU engine, `docs/reliability.md` about guarantees.

Each benchmark's JSON is kept in `bench/`. One that has run before is not run again unless asked
for: a long run can be stopped and resumed. `--kept` makes a page of the runs that there are, for
benchmarks that keep each of theirs. `--quick` runs small versions and leaves the docs alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from _common import parser

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
PAGES = {
    "benchmarks": {
        "engine": "One subset",
        "search": "A whole search",
        "agreement": "Agreement with scikit-learn",
        "reported": "Agreement on the paper's subsets",
        "information": "Mutual information",
        "pairwise": "Mutual information of all pairs",
        "scaling": "Scaling",
        "startup": "First call",
        "groups": "Which parameter groups",
        "demo": "The demo with many seeds",
        "report": "The report",
    },
    "honesty": {
        "nested": "Nested scores of three selectors",
        "protocols": "Protocols: which rows evaluate",
        "shift": "Do training rows predict the test file?",
        "unlabelled": "Rows without labels",
        "unlabelled_ranks": "Rows without labels: do they rank subsets better?",
        "other_rows": "Rows without labels, on other tables",
        "stability": "Stability",
    },
    "transfer": {
        "transfer": "All tables, three kinds of model",
        "known_truth": "Signals found and noise kept",
        "panel": "What the panel costs",
    },
    "scale": {
        "large": "Five million rows",
        "cluster": "Dask workers compared with threads",
        "plan": "A large search, calculated",
    },
    "gpu": {
        "gpu_search": "A whole search",
        "gpu_scale": "Rows and columns",
        "gpu_engines": "Agreement with the CPU",
        "gpu_agreement": "Agreement with scikit-learn",
        "gpu_reported": "Agreement on the paper's subsets",
    },
    "reliability": {"faults": "The last attack"},
    "wide": {
        "wide": "From 500 to 50,000 columns",
        "suite": "Every table of the suite",
    },
    "imbalance": {"imbalance": "Which score ranks subsets"},
    "missing": {"missing": "Three ways compared"},
    "categories": {
        "identifiers": "A random identifier",
        "grouped": "NSL-KDD in both encodings",
    },
    "comparison": {
        "comparison": "All methods, all tables",
        "model_time": "The guided search's own time",
    },
    "regression": {"regression": "Measurements", "number_panel": "Which panel"},
}
#: Benchmarks that keep every run, and can tell of those that there are.
KEEPING = {
    "comparison", "grouped", "identifiers", "imbalance", "known_truth", "missing",
    "model_time", "number_panel", "other_rows", "transfer", "unlabelled", "unlabelled_ranks",
    "wide",
}  # fmt: skip
#: Benchmarks that print Markdown and draw pictures; what others print is shown as it is.
MARKDOWN = {"comparison"}
#: The pages that are not called what their benchmarks are.
FILES = {"comparison": "comparison-study.md"}
INTRODUCTIONS = {
    "benchmarks": "# Benchmarks\n\nThis page is made by `make bench`; no figure here is typed by "
    "hand. Times differ between machines and from run to run, so look at the ratios: both sides of "
    "a ratio were timed in one run, on the same data and cores. The [glossary](glossary.md) "
    "explains the terms.",
}


def run(name: str, out: Path, quick: bool, kept: bool) -> None:
    """Run one benchmark; keep what it printed and its figures."""
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(out / f"{name}.json")]
    command += ["--quick"] if quick else []
    command += ["--kept"] if kept and name in KEEPING else []
    # the folder has the page's name: links lead from the page into it
    command += ["--pictures", str(DOCS / name)] if name in MARKDOWN and not quick else []
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    # Written last: its presence says that the part is complete.
    (out / f"{name}.txt").write_text(printed, encoding="utf-8")


def page(which: str, out: Path) -> str:
    """Write a page from what its benchmarks left."""
    written = DOCS / which / "introduction.md"
    parts = [INTRODUCTIONS[which] if which in INTRODUCTIONS else written.read_text("utf-8").strip()]
    for name, title in PAGES[which].items():
        if not (out / f"{name}.txt").exists():
            parts += [f"## {title}", f"Not run in full yet: `python benchmarks/{name}.py`."]
            continue
        figures = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
        printed = (out / f"{name}.txt").read_text(encoding="utf-8").rstrip()
        about = (HERE / f"{name}.py").read_text(encoding="utf-8").split('"""')[1].strip()
        versions = ", ".join(f"{k} {v}" for k, v in figures["versions"].items() if v)
        parts += [
            f"## {title}",
            about,
            printed if name in MARKDOWN else f"```text\n{printed}\n```",
            f"`{figures['command']}` on {figures['processor']}, {figures['cores']} cores, Python "
            f"{figures['python']}, {versions}.",
        ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--page", choices=PAGES, default="benchmarks", help="which page")
    arguments.add_argument("--only", action="append", help="run this one (again)")
    arguments.add_argument("--kept", action="store_true", help="tell of the runs that there are")
    options = arguments.parse_args()
    names = PAGES[options.page]
    strange = set(options.only or ()) - set(names)
    if strange:
        sys.exit(f"--only: {', '.join(sorted(strange))} is not among {', '.join(names)}")
    out = HERE.parent / "bench" / ("quick" if options.quick else "full")
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        again = name in options.only if options.only else not (out / f"{name}.txt").exists()
        if again:
            print(f"== {name}", file=sys.stderr, flush=True)
            run(name, out, options.quick, options.kept)
        print((out / f"{name}.txt").read_text() if (out / f"{name}.txt").exists() else "")
    if not options.quick:
        path = DOCS / FILES.get(options.page, f"{options.page}.md")
        path.write_text(page(options.page, out), encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
