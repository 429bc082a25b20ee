"""Kill a search with SIGKILL at random moments, resume it each time, and count what was done twice.

The search runs in a process of its own with two threads and a journal. It is killed before its
journal exists, while evaluations are written, and between; then the same command goes on. In the
end the result must be the one of a search that nobody killed, and no kill may cost more evaluations
than there are threads.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _common import parser, progress, save, table

# Every evaluation leaves a line the moment it begins: what the journal does not have in the end was
# begun in vain.
SEARCH = """
import sys
from nffs import NFFS, make_connections
from nffs.search import workers
real = workers.evaluate
def noted(evaluator, masks, record):
    with open(sys.argv[2], "a") as file:
        file.writelines(mask.tobytes().hex() + "\\n" for mask in masks)
    return real(evaluator, masks, record)
workers.evaluate = noted
data = make_connections(1500)
selector = NFFS(n_subsets=180, n_nested=40, n_jobs=2, random_state=0, journal=sys.argv[1])
print(selector.fit(data.data, data.target).selection_.to_json())
"""


def start(folder: Path) -> subprocess.Popen[str]:
    """Start the search on the folder's journal."""
    return subprocess.Popen(
        [sys.executable, "-c", SEARCH, str(folder / "journal"), str(folder / "begun")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def result(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for a search's result, without what may differ."""
    document: dict[str, Any] = json.loads(process.communicate()[0])
    document.pop("seconds")
    return document


def begun(folder: Path) -> list[str]:
    """Give the evaluations that were begun."""
    path = folder / "begun"
    return path.read_text().split() if path.exists() else []


def main() -> None:
    options = parser(__doc__ or "").parse_args()
    kills, rng = 4 if options.quick else 20, random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        whole, killed = Path(name) / "whole", Path(name) / "killed"
        whole.mkdir()
        killed.mkdir()
        started = time.perf_counter()
        expected = result(start(whole))
        seconds = time.perf_counter() - started
        alive = 0
        for kill in progress(range(kills), kills, "kills"):
            process = start(killed)
            # the first fifth within the first second, the others anywhere in a run
            early = kill < max(1, kills // 5)
            wait = rng.uniform(0.0, 1.0) if early else rng.uniform(1.0, 0.4 * seconds)
            time.sleep(wait)
            alive += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        same = result(start(killed)) == expected
        twice = len(begun(killed)) - len(set(begun(killed)))
        evaluations = len(set(begun(whole)))
    rows = [
        ["kills", kills],
        ["of them while the search was running", alive],
        ["evaluations of the search", evaluations],
        ["evaluations begun more than once", twice],
        ["at most, two for every kill", 2 * kills],
        ["same result as without kills", "yes" if same else "NO"],
    ]
    print(table(["", "count"], rows))
    save(options.json, {"rows": rows})
    if not same or twice > 2 * kills:
        sys.exit("the journal did not keep its promise")


if __name__ == "__main__":
    main()
