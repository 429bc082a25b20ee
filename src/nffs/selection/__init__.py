"""The result of a search: typed, written to JSON and read back, applied to new tables."""

from nffs.selection.columns import apply_columns, check_places
from nffs.selection.fitted import final_of, plain_parameters, unlabelled_of
from nffs.selection.front import front_places, searched_points
from nffs.selection.parts import (
    CategoryGroup,
    Check,
    Column,
    Evidence,
    Extent,
    Feature,
    Final,
    Front,
    Learned,
    MemberScore,
    Phases,
    Point,
    UnlabelledRows,
    Unseen,
)
from nffs.selection.selection import FORMAT, GROUPED, Selection, describe
from nffs.selection.verdict import CLEARLY, in_few_digits

__all__ = [
    "CLEARLY",
    "FORMAT",
    "GROUPED",
    "CategoryGroup",
    "Check",
    "Column",
    "Evidence",
    "Extent",
    "Feature",
    "Final",
    "Front",
    "Learned",
    "MemberScore",
    "Phases",
    "Point",
    "Selection",
    "UnlabelledRows",
    "Unseen",
    "apply_columns",
    "check_places",
    "describe",
    "final_of",
    "front_places",
    "in_few_digits",
    "plain_parameters",
    "searched_points",
    "unlabelled_of",
]
