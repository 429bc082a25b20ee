"""The result of a search: typed, written to JSON and read back, applied to new tables."""

from nffs.selection.columns import apply_columns, check_places
from nffs.selection.fitted import final_of, plain_parameters
from nffs.selection.parts import Column, Feature, Final, MemberScore, Phases, Unseen
from nffs.selection.selection import FORMAT, Selection, describe

__all__ = [
    "FORMAT",
    "Column",
    "Feature",
    "Final",
    "MemberScore",
    "Phases",
    "Selection",
    "Unseen",
    "apply_columns",
    "check_places",
    "describe",
    "final_of",
    "plain_parameters",
]
