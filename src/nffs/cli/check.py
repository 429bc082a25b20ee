"""`nffs select --check`: the whole search again on parts of the rows, to see what it is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from nffs.cli import terminal
from nffs.cli.options import MessageOptions, folds
from nffs.errors import EvaluationError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from nffs.report.progress import Parts
    from nffs.selection import Evidence
    from nffs.selector.base import TableSelector

#: As `nffs validate` and `nffs stability` have them by default.
FOLDS, RUNS = 5, 10


def _parts() -> Parts:
    from nffs.report.progress import Parts

    outer = [f"fold {number}/{FOLDS}" for number in range(1, FOLDS + 1)]
    again = [f"sample {number}/{RUNS}" for number in range(1, RUNS + 1)]
    return Parts(["", *outer, *again])


@dataclass
class Check:
    """What `nffs validate` and `nffs stability` do, after a search and with one bar."""

    messages: MessageOptions
    parts: Parts = field(default_factory=_parts)
    interrupted: bool = False

    def announce(self, time_limit: float | None) -> None:
        """Say, before anything is searched, what it costs."""
        limit = "" if time_limit is None else f", each within {time_limit:g} s too"
        self.messages.note(
            f"--check: the search is followed by {FOLDS + RUNS} more{limit}, in {FOLDS} outer "
            f"folds and on {RUNS} bootstrap samples of the rows. In total, this takes about "
            f"{1 + FOLDS + RUNS} times as long as the search alone."
        )

    def run(self, selector: TableSelector, rows: dict[str, Any], seed: int) -> Evidence:
        """Repeat a search that is done; whatever goes wrong, what was found so far is kept."""
        from nffs.report.progress import duration
        from nffs.selection import Evidence
        from nffs.validation import nested_score, selection_stability

        left = duration((FOLDS + RUNS) * selector.seconds_)
        self.messages.note(f"checking: {FOLDS + RUNS} more searches, about {left}")
        cv = folds(FOLDS, rows["groups"], seed)
        step = self.parts.next
        self.parts.begin(1)
        nested = self._tried(
            partial(nested_score, cv=cv, models="usual", random_state=seed, on_fold=step),
            selector, rows, "scores on rows that no selection saw",
        )  # fmt: skip
        self.parts.begin(1 + FOLDS)
        stability = self._tried(
            partial(selection_stability, n_runs=RUNS, random_state=seed, on_run=step),
            selector, rows, "stability",
        )  # fmt: skip
        missing = " ".join(why for _, why in (nested, stability) if why)
        return Evidence(nested[0], stability[0], missing or None)

    def _tried(
        self,
        work: Callable[..., Any],
        selector: TableSelector,
        rows: dict[str, Any],
        what: str,
    ) -> tuple[dict[str, Any] | None, str]:
        """Give what some work found as plain data, or nothing and why."""
        if self.interrupted:
            return None, f"The check was interrupted: no {what}."
        try:
            with terminal.interruptible(), terminal.without_notes(self.messages.level):
                return work(selector, **rows).to_dict(), ""
        except KeyboardInterrupt:
            self.interrupted = True
            why = f"The check was interrupted: no {what}."
        except (InputError, EvaluationError) as error:
            why = f"The check gave no {what}: {error}"
        self.messages.note(why)
        return None, why
