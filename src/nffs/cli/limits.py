"""`--time-limit`: what it covers is said before the search, and what was taken after it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nffs.cli.options import MessageOptions

if TYPE_CHECKING:
    from nffs.selector.base import TableSelector


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
        also, without = "Reading the table comes", ""
        if held_out:
            also = "Reading the table and scoring models on the held-out rows come"
            without = "; --holdout 0 leaves the scores out"
        self.messages.note(
            f"--time-limit: the search, with what it prepares, ends after {self.seconds:g} s. "
            f"{also} on top{without}."
        )

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
