"""Honest scores and stability of any feature selector."""

from nffs.validation.nested import Estimate, FoldScore, NestedScore, nested_score
from nffs.validation.repeated import RepeatedSelection, selection_stability

__all__ = [
    "Estimate",
    "FoldScore",
    "NestedScore",
    "RepeatedSelection",
    "nested_score",
    "selection_stability",
]
