"""`--time-limit`: what it covers is said before the search, and what was taken after it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nffs.cli.options import MessageOptions

if TYPE_CHECKING:
    from nffs.selector.base import TableSelector


#: Rows that train the models on held-out rows, under a limit: whoever is in a hurry has no minutes
#: for boosting on a hundred thousand.
MOST_ROWS = 10_000


@dataclass
class TimeLimit:
    """Seconds that a search may take, if there is a limit; begins with the command."""

    seconds: float | None
    messages: MessageOptions
    started: float = field(default_factory=time.perf_counter)

    def announce(self, *, held_out: bool) -> None:
        """Say what the limit is for, and what takes time beside it."""
        if self.seconds is None:
            return
        also, without = "Reading the table takes", ""
        if held_out:
            also = (
                f"Reading the table and scoring models, trained on at most {MOST_ROWS} rows, take"
            )
            without = "; --holdout 0 leaves the scores out"
        self.messages.note(
            f"--time-limit: the search, preparation included, ends after {self.seconds:g} s. "
            f"{also} extra time{without}."
        )

    @property
    def most_rows(self) -> int | None:
        """The most rows that train models in the end; None for all of them."""
        return None if self.seconds is None else MOST_ROWS

    def callbacks(self) -> list[Any]:
        """Give what ends the search in time."""
        from nffs.search.stopping import TimeBudget

        return [] if self.seconds is None else [TimeBudget(self.seconds)]

    def account(self, selector: TableSelector) -> None:
        """Say how long everything took, and why a search took longer than it should."""
        if self.seconds is None:
            return
        search, whole = selector.seconds_, time.perf_counter() - self.started
        over = "; one subset at least had to be evaluated" if search > 1.05 * self.seconds else ""
        self.messages.note(
            f"took {whole:.1f} s in all, {search:.1f} s of it the search, which had "
            f"{self.seconds:g} s{over}"
        )
