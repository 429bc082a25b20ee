"""Is it true? Scores on unseen rows, stability, and methods compared."""

from nffs.validation.comparison.comparison import Comparison, compare
from nffs.validation.given import SubsetEvaluation, evaluate_subset
from nffs.validation.nested import Estimate, FoldScore, NestedScore, nested_score
from nffs.validation.repeated import RepeatedSelection, selection_stability

__all__ = [
    "Comparison",
    "Estimate",
    "FoldScore",
    "NestedScore",
    "RepeatedSelection",
    "SubsetEvaluation",
    "compare",
    "evaluate_subset",
    "nested_score",
    "selection_stability",
]
