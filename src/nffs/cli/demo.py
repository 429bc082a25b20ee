"""`nffs demo`: the whole method on the embedded table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli import terminal
from nffs.cli.options import SEED, THREADS, MessageOptions, option
from nffs.cli.outputs import check_outputs
from nffs.cli.writing import write_file
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.datasets import Connections
    from nffs.selection import Unseen
    from nffs.selector.nffs import NFFS

#: Seeds the rows that the search never sees; the table's seed is another one.
_MORE = 1

_FOLDER = option("Where the files go.", Path("demo"))


def demo(
    messages: MessageOptions,
    folder: Path = _FOLDER,
    rows: int = option("Rows of the table.", 2000, min=200),
    seed: int = SEED,
    n_jobs: int = THREADS,
) -> None:
    """Run the whole method on an embedded table whose truth is known.

    The table is synthetic: connection records with planted signals, noisy copies and pure noise. As
    many more records, which the search never sees, score what it selected.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--folder: {folder} is a file; name a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    names = ("connections.csv", "selection.json", "report.html")
    csv, chosen, report = (folder / name for name in names)
    check_outputs({"--folder": report})
    from nffs.datasets import make_connections
    from nffs.report import write_report
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
    selection = selector.selection_.with_unseen(_on_more_rows(table, selector, rows, n_jobs))

    terminal.print_selection(selection)
    terminal.say("", _truth(table, selector))
    write_file(table.frame(), csv)
    selection.save(chosen)
    write_report(selection, report)
    print(f"wrote {csv}, {chosen} and the report:\n{report}")


def _on_more_rows(table: Connections, selector: NFFS, rows: int, n_jobs: int) -> Unseen:
    """Make rows of the same kind that the search never saw, and score models on them."""
    from nffs.datasets import make_connections
    from nffs.validation.unseen import score_models

    more = make_connections(rows, random_state=_MORE)
    return score_models(selector, table.data, table.target, more.data, more.target, n_jobs=n_jobs)


def _truth(table: Connections, selector: NFFS) -> str:
    """Say how much of what was planted was found, each signal by its best column, and what not."""
    mi = dict(zip(selector.features_, selector.mi_, strict=True))
    worth = {signal: max(mi[c] for c in names) for signal, names in table.planted.items()}
    found = table.found(selector.selected_features_)
    lost = [signal for signal in worth if signal not in found]
    share = sum(worth[signal] for signal in found) / sum(worth.values())
    sentence = (
        f"planted signals found: {len(found)} of {len(worth)}, {share:.0%} of their information"
    )
    sentence += f" (not found: {', '.join(lost)})" if lost else ""
    carriers = {name for names in table.planted.values() for name in names}
    kept = selector.selected_features_
    n_carriers, n_noise = (
        sum(name in these for name in kept) for these in (carriers, set(table.noise))
    )
    return (
        f"{sentence}\nof the {len(kept)} features kept, {n_carriers} carry a signal, {n_noise} "
        f"are noise, {len(kept) - n_carriers - n_noise} are other categories of columns with a "
        "signal"
    )
