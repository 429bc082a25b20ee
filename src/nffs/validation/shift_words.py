"""What a shift says in words: the answer, and how every column differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nffs.report.names import counted

if TYPE_CHECKING:
    from nffs.validation.shifted import Categories, ColumnShift, Shift

#: Categories that are named, and names of columns that only one table has.
_MOST_CATEGORIES, _MOST_NAMES = 2, 10


def answer(found: Shift) -> str:
    """Say how many columns moved."""
    n, rows = len(found.columns), f"{found.n_old:,} old and {found.n_new:,} new rows"
    if not found.moved:
        return f"None of {counted(n, 'column')} moved between {rows}."
    return f"{len(found.moved):,} of {counted(n, 'column')} moved between {rows}."


def together(found: Shift) -> str:
    """Say whether all columns together tell the rows apart, and what that does to old ones."""
    if not found.told_apart:
        return (
            "All columns together do not tell old rows from new ones: their AUC is "
            f"{found.auc:.3f}, and 0.5 is chance."
        )
    return (
        f"All columns together tell old rows from new ones with an AUC of {found.auc:.3f} (0.5 is "
        f"chance, 1 is perfect). Weighted to look like the new rows, the {found.n_old:,} old "
        f"rows are worth {found.n_like_new:,.0f}."
    )


def unpaired(found: Shift) -> Iterator[str]:
    """Name the columns that only one of the tables has."""
    for names, what in ((found.only_old, "old"), (found.only_new, "new")):
        if names:
            shown = ", ".join(names[:_MOST_NAMES])
            more = f" and {len(names) - _MOST_NAMES:,} more"
            yield f"Only in the {what} table: {shown}{more if len(names) > _MOST_NAMES else ''}."


def changes(column: ColumnShift) -> Iterator[str]:
    """Say how a column differs: what it was in old rows, and is in new ones."""
    if column.kinds[0] != column.kinds[1] and column.kind == "categorical":
        yield _to(*column.kinds)
    if column.category is not None:
        name, old, new = column.category
        yield f"{name!r} {_to(share(old), share(new))}"
    elif column.median is not None:
        yield _values(column)
    if any(column.missing):
        yield f"missing {_to(*map(share, column.missing))}"
    for what, categories in (("new", column.added), ("gone", column.gone)):
        if categories is not None:
            yield f"{what}: {_named(categories)}"


def _named(categories: Categories) -> str:
    shown = ", ".join(repr(name) for name in categories.most[:_MOST_CATEGORIES])
    n_more = categories.n - len(categories.most[:_MOST_CATEGORIES])
    more = f" and {n_more:,} more" if n_more else ""
    return f"{shown}{more} ({share(categories.share)} of rows)"


def _values(column: ColumnShift) -> str:
    """Say where the values of a column were and are: by the mean where the median stayed."""
    assert column.median is not None
    if column.kind == "boolean" and column.mean is not None:
        return f"true {_to(*map(share, column.mean))}"
    what, (old, new) = "median", column.median
    if old == new and column.mean is not None:
        what, (old, new) = "mean", column.mean
    return f"{what} {_to(_number(old), _number(new))}"


def _to(old: str, new: str) -> str:
    return f"{old} \N{RIGHTWARDS ARROW} {new}" if old != new else f"{old} in both"


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def share(value: float) -> str:
    """Give a share in per cent; what is not quite nothing, or all, says so.

    >>> share(0.0), share(0.0004), share(0.0187), share(0.25), share(0.9999)
    ('0 %', '<0.1 %', '1.9 %', '25 %', '>99.9 %')
    """
    percent = 100 * value
    if 0 < percent < 0.1:
        return "<0.1 %"
    if 99.9 < percent < 100:
        return ">99.9 %"
    return f"{percent:.1f}".removesuffix(".0") + " %"
