"""What a user is warned of after a search."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from nffs.errors import AdjustedWarning, FailedWarning, PartialWarning, quoted
from nffs.search.loop import Outcome

#: The caller of fit, which scikit-learn wraps.
_CALLER = 4


def warn_about(outcome: Outcome, total: int) -> None:
    """Warn of what a search of so many subsets left out: it was interrupted, or some failed."""
    if outcome.ended == "interrupted":
        warnings.warn(
            f"The search was interrupted after {outcome.n_evaluations} of {total} subsets; the "
            "best of them is kept. With a journal, the same call continues from here.",
            PartialWarning,
            stacklevel=_CALLER,
        )
    if outcome.failures:
        warnings.warn(
            f"{len(outcome.failures)} of {total} subsets could not be evaluated and were left out; "
            f"the first failed with {outcome.failures[0]}",
            FailedWarning,
            stacklevel=_CALLER,
        )


def warn_about_numbers(numbered: Sequence[str]) -> None:
    """Warn of selected columns that could be numbers of rows."""
    if numbered:
        warnings.warn(
            "X: selected, but it looks like an identifier, with another whole number in every row: "
            f"{quoted(numbered)}. If it is one, leave it out.",
            AdjustedWarning,
            stacklevel=_CALLER,
        )
