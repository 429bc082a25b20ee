"""How many subsets to draw, count and nest (the paper's L, M, N and O)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

from nffs.errors import InputError

_log = logging.getLogger(__name__)

Size = int | Literal["auto"]

#: The paper's numbers, for 122 features.
PAPER_SUBSETS = 180
PAPER_NESTED = 70


@dataclass(frozen=True)
class SearchSizes:
    """The paper's L, M, N and O."""

    n_subsets: int
    n_top: int
    n_bottom: int
    n_nested: int


def search_sizes(
    n_features: int, n_subsets: Size, n_top: Size, n_bottom: Size, n_nested: Size
) -> SearchSizes:
    """Resolve the sizes for a table of so many usable features.

    The defaults are the paper's: 180 drawn, the best and the worst quarter counted, 70 nested.
    Fewer than 8 features have fewer than 180 subsets, and there are no 70 nested subsets of a
    narrow table: then the defaults shrink. What the user asked for never does.
    """
    possible = 2**n_features - 1
    drawn = n_subsets if n_subsets != "auto" else max(3, min(PAPER_SUBSETS, possible))
    quarter = max(1, drawn // 4)
    top = n_top if n_top != "auto" else quarter
    bottom = n_bottom if n_bottom != "auto" else quarter
    largest_nested = max(1, n_features - 1)
    nested = n_nested if n_nested != "auto" else min(PAPER_NESTED, largest_nested)

    if top + bottom >= drawn:
        raise InputError(
            f"n_top + n_bottom must be less than n_subsets, found {top} + {bottom} >= {drawn}; "
            "draw more subsets or count fewer."
        )
    if nested > largest_nested:
        raise InputError(
            f"n_nested must be less than the number of usable features ({n_features}), "
            f"found {nested}; use at most {largest_nested} or leave it at 'auto'."
        )
    shrunk = []
    if n_subsets == "auto" and drawn < PAPER_SUBSETS:
        shrunk.append(f"n_subsets {PAPER_SUBSETS} -> {drawn}")
    if n_nested == "auto" and nested < PAPER_NESTED:
        shrunk.append(f"n_nested {PAPER_NESTED} -> {nested}")
    if shrunk:
        _log.debug("%d usable features: %s", n_features, ", ".join(shrunk))
    return SearchSizes(drawn, top, bottom, nested)


def share_budget(budget: int, n_features: int) -> tuple[int, int]:
    """Share a budget between drawn and nested subsets.

    250 evaluations are the paper's 180 and 70; larger budgets keep that ratio. Smaller ones give up
    to a half to the nested subsets, for their number is the most features that can be selected.

    >>> share_budget(250, 122)
    (180, 70)
    >>> share_budget(250, 20)  # there are no more than 19 nested subsets
    (231, 19)
    >>> share_budget(50, 122)
    (25, 25)
    """
    in_ratio = round(budget * PAPER_NESTED / (PAPER_SUBSETS + PAPER_NESTED))
    nested = max(1, min(max(PAPER_NESTED, in_ratio), n_features - 1, budget // 2))
    return max(1, budget - nested), nested
