"""`nffs select` as a user runs it: in a process of its own, with its time and peak memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nffs.atomic import write_text

_TOLD = re.compile(r"in about (\d+) MiB of memory")


def select(file: Path, options: Sequence[str] = ()) -> dict[str, Any]:
    """Run the command on a table whose target is `target`; give what it took and what it found."""
    with tempfile.TemporaryDirectory() as folder:
        out, report = Path(folder, "selection.json"), Path(folder, "report.html")
        command = [sys.executable, "-m", "nffs", "select", str(file), "--target", "target"]
        command += ["--out", str(out), "--report", str(report), *options]
        said = Path(folder, "said.txt")
        begin = time.perf_counter()
        with said.open("w") as stderr:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        lines = said.read_text().splitlines()
        told = [int(n) for line in lines for n in _TOLD.findall(line)]
        found = {
            "seconds": time.perf_counter() - begin,
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "peak_mib": used.ru_maxrss / 1024,
            "told_mib": max(told, default=None),
            "said": "" if process.returncode == 0 else lines[-1] if lines else "nothing",
        }
        if process.returncode == 0:
            selection = json.loads(out.read_text())
            found |= {
                "selected": len(selection["selected_features"]),
                "features": len(selection["features"]),
                "fitness": selection["fitness"],
                "all_features": selection["all_features_fitness"],
                "evaluations": selection["evaluations"],
                "json_mb": out.stat().st_size / 1e6,
                "report_mb": report.stat().st_size / 1e6,
            }
    return found


def kept(folder: Path, name: str, measure: Any) -> dict[str, Any]:
    """Give what was measured before under this name, or measure it now and keep it."""
    file = folder / f"{name}.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps(measure(), indent=1) + "\n")
    found: dict[str, Any] = json.loads(file.read_text())
    return found
