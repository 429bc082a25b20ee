"""Whether the parts of a selection that was read from a file agree with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nffs.selection.typed import MismatchError

if TYPE_CHECKING:
    from nffs.selection.selection import Selection


def check_parts(selection: Selection) -> None:
    """Raise a `MismatchError` that names the first part that does not agree with the others."""
    features, n = selection.features, len(selection.features)
    _check(n > 0, "features", "at least one feature", "none")
    selected = tuple(feature.name for feature in features if feature.selected)
    _check(len(selected) > 0, "features", "at least one that is selected", "none")
    listed = selection.selected_features
    _check(selected == listed, "selected_features", "the features marked as selected", "others")
    _same_length(selection, "subset_fitness", len(selection.subset_sizes))
    known, columns = {f.column for f in features}, [c.name for c in selection.columns]
    _check(not columns or known == set(columns), "columns", "the features' raw columns", "others")
    phases = selection.phases
    if phases is None:
        return
    for name in ("probability", "top", "bottom", "weight", "rank"):
        _same_length(phases, name, n, "phases.")
    _check(
        sorted(phases.rank) == list(range(1, n + 1)), "phases.rank", f"ranks from 1 to {n}", "other"
    )
    _same_length(phases, "nested_fitness", len(phases.nested_sizes), "phases.")
    if phases.nested_standard_errors:
        _same_length(phases, "nested_standard_errors", len(phases.nested_sizes), "phases.")


def _same_length(part: object, name: str, expected: int, above: str = "") -> None:
    found = len(getattr(part, name))
    _check(found == expected, above + name, f"{expected} values", str(found))


def _check(holds: bool, key: str, expected: str, found: str) -> None:
    if not holds:
        raise MismatchError(f"has {found} at {key!r} where {expected} are expected")
