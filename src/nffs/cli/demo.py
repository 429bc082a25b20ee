"""`nffs demo`: the whole method on the embedded table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli import terminal
from nffs.cli.options import SEED, THREADS, MessageOptions, option
from nffs.cli.outputs import check_outputs
from nffs.cli.printable import printable
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
    """Run the whole method on a table that comes with nffs, whose true features are known.

    The table is synthetic: connection records with planted signals, noisy copies and pure noise.
    The search keeps the fewest features whose score is within one standard error of the best
    (`nffs select --choose one_se`). The selection is scored on equally many new records, which the
    search never sees.
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
    from nffs.validation.whole import fit_whole

    table = make_connections(rows)
    messages.note(
        f"selecting from {table.data.width} columns of {rows} synthetic connection records "
        f"with {len(table.planted)} planted signals; keeping the fewest that score within one "
        "standard error of the best (--choose one_se)"
    )
    with messages.searching({}) as callbacks:
        selector = NFFS(
            choose="one_se",
            pos_label="attack",
            callbacks=callbacks,
            n_jobs=n_jobs,
            random_state=seed,
        )
        fit_whole(selector, table.data, table.target)
    selection = selector.selection_.with_unseen(_on_more_rows(table, selector, rows, n_jobs))

    terminal.print_selection(selection)
    terminal.say("", _truth(table, selector))
    write_file(table.frame(), csv)
    selection.save(chosen)
    write_report(selection, report)
    print(printable(f"wrote {csv}, {chosen} and the report:\n{report}"))


def _on_more_rows(table: Connections, selector: NFFS, rows: int, n_jobs: int) -> Unseen:
    """Make rows of the same kind that the search never saw, and score models on them."""
    from nffs.datasets import make_connections
    from nffs.validation.unseen import score_models

    more = make_connections(rows, random_state=_MORE)
    return score_models(selector, table.data, table.target, more.data, more.target, n_jobs=n_jobs)


def _truth(table: Connections, selector: NFFS) -> str:
    """Say how much of what was planted was found, and how much of the rest was kept."""
    mi = dict(zip(selector.features_, selector.mi_, strict=True))
    worth = {signal: max(mi[c] for c in names) for signal, names in table.planted.items()}
    kept, found = selector.selected_features_, table.found(selector.selected_features_)
    share = sum(worth[signal] for signal in found) / sum(worth.values())
    lost = [signal for signal in worth if signal not in found]
    carriers = {name for names in table.planted.values() for name in names}
    n_carriers = sum(name in carriers for name in kept)
    noise = [name for name in kept if name in table.noise]
    varying = [name for name in table.noise if name in mi and not _is_constant(selector, name)]
    others = len(kept) - n_carriers - len(noise)
    lines = [
        f"signals found: {len(found)} of {len(worth)}, {share:.0%} of their information"
        f"{_named('not found', lost)}",
        f"noise kept: {len(noise)} of {len(varying)} columns that have nothing to do with the label"
        f"{_named('kept', noise)}",
        f"the {len(kept)} features kept: {n_carriers} with a signal, {len(noise)} of noise"
        + (f", {others} other categories of columns with a signal" if others else ""),
    ]
    return "\n".join(lines)


def _is_constant(selector: NFFS, name: str) -> bool:
    return bool(selector.constant_[selector.features_.index(name)])


def _named(what: str, names: list[str]) -> str:
    return f" ({what}: {', '.join(names)})" if names else ""
