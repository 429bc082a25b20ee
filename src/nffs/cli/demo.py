"""`nffs demo`: the whole method on the embedded table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli import files, terminal
from nffs.cli.options import SEED, THREADS, MessageOptions, option
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.datasets import Connections
    from nffs.selector.nffs import NFFS

_FOLDER = option("Where the files go.", Path("demo"))


def demo(
    messages: MessageOptions,
    folder: Path = _FOLDER,
    rows: int = option("Rows of the table.", 2000, min=200),
    seed: int = SEED,
    n_jobs: int = THREADS,
) -> None:
    """Run the whole method on an embedded table whose truth is known.

    The table is synthetic: connection records with planted signals, noisy copies and pure noise.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--folder: {folder} is a file; name a folder.")
    from nffs.datasets import make_connections
    from nffs.selector.nffs import NFFS

    table = make_connections(rows)
    messages.note(
        f"selecting from {table.data.width} columns of {rows} synthetic connection records "
        f"with {len(table.planted)} planted signals"
    )
    with messages.searching({}) as callbacks:
        selector = NFFS(
            pos_label="attack", callbacks=callbacks, n_jobs=n_jobs, random_state=seed
        ).fit(table.data, table.target)

    folder.mkdir(parents=True, exist_ok=True)
    names = ("connections.csv", "selection.json", "report.html")
    csv, chosen, report = (folder / name for name in names)
    files.write_file(table.frame(), csv)
    selector.selection_.save(chosen)
    selector.write_report(report)

    terminal.print_selection(selector.selection_)
    terminal.say("", _truth(table, selector))
    print(f"wrote {csv}, {chosen} and the report:\n{report}")


def _truth(table: Connections, selector: NFFS) -> str:
    """Say how much of what was planted was found, each signal by its best column."""
    mi = dict(zip(selector.features_, selector.mi_, strict=True))
    worth = {signal: max(mi[c] for c in names) for signal, names in table.planted.items()}
    found = table.found(selector.selected_features_)
    lost = [signal for signal in worth if signal not in found]
    share = sum(worth[signal] for signal in found) / sum(worth.values())
    sentence = (
        f"planted signals found: {len(found)} of {len(worth)}, {share:.0%} of their information"
    )
    return sentence + (f" (not found: {', '.join(lost)})" if lost else "")
