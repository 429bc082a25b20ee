"""Run all benchmarks and write docs/benchmarks.md from what they print.

Each benchmark's JSON is kept in `bench/`. One that has run before is not run again unless asked
for: a long run can be stopped and resumed. `--quick` runs small versions and leaves the docs
alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from _common import parser

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
PARTS = {
    "engine": "One subset",
    "search": "A whole search",
    "agreement": "Agreement with scikit-learn",
    "reported": "Agreement on the paper's subsets",
    "information": "Mutual information",
    "scaling": "Scaling",
    "startup": "First call",
    "groups": "Which parameter groups",
    "demo": "The demo's quality",
}


def run(name: str, out: Path, quick: bool) -> None:
    """Run one benchmark; keep what it printed and its figures."""
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(out / f"{name}.json")]
    printed = subprocess.run(
        command + (["--quick"] if quick else []), check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    # Written last: its presence says that the part is complete.
    (out / f"{name}.txt").write_text(printed, encoding="utf-8")


def page(out: Path) -> str:
    """Write the page from what the benchmarks left."""
    parts = [
        "# Benchmarks",
        "Made by `make bench`; nothing here is typed by hand. Machines differ and are noisy, so "
        "look at the ratios: what is compared was timed in one run, on the same data and cores.",
    ]
    for name, title in PARTS.items():
        figures = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
        printed = (out / f"{name}.txt").read_text(encoding="utf-8").rstrip()
        about = (HERE / f"{name}.py").read_text(encoding="utf-8").split('"""')[1].strip()
        versions = ", ".join(f"{k} {v}" for k, v in figures["versions"].items() if v)
        parts += [
            f"## {title}",
            about,
            f"```text\n{printed}\n```",
            f"`{figures['command']}` on {figures['processor']}, {figures['cores']} cores, Python "
            f"{figures['python']}, {versions}.",
        ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--only", choices=PARTS, action="append", help="run this one (again)")
    options = arguments.parse_args()
    out = HERE.parent / "bench" / ("quick" if options.quick else "full")
    out.mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        again = name in options.only if options.only else not (out / f"{name}.txt").exists()
        if again:
            print(f"== {name}", file=sys.stderr, flush=True)
            run(name, out, options.quick)
        print((out / f"{name}.txt").read_text() if (out / f"{name}.txt").exists() else "")
    if not options.quick and all((out / f"{name}.txt").exists() for name in PARTS):
        PAGE.write_text(page(out), encoding="utf-8")
        print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
