"""The result of a search: typed, written to JSON and read back, applied to new tables."""

from nffs.selection.columns import apply_columns
from nffs.selection.fitted import final_of, plain_parameters
from nffs.selection.parts import Column, Feature, Phases
from nffs.selection.selection import FORMAT, Selection, describe

__all__ = [
    "FORMAT",
    "Column",
    "Feature",
    "Phases",
    "Selection",
    "apply_columns",
    "describe",
    "final_of",
    "plain_parameters",
]
