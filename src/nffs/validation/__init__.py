"""Is it true? Scores on unseen rows, stability, and methods compared."""

from nffs.validation.comparison.comparison import Comparison, compare
from nffs.validation.estimate import Estimate
from nffs.validation.given import SubsetEvaluation, evaluate_subset
from nffs.validation.models import MODELS, NUMBER_MODELS
from nffs.validation.nested import FoldScore, NestedScore, nested_score
from nffs.validation.repeated import RepeatedSelection, selection_stability
from nffs.validation.shifted import Categories, ColumnShift, Shift, shift
from nffs.validation.transfer import ModelEstimate, ModelScore
from nffs.validation.unseen import score_models

__all__ = [
    "MODELS",
    "NUMBER_MODELS",
    "Categories",
    "ColumnShift",
    "Comparison",
    "Estimate",
    "FoldScore",
    "ModelEstimate",
    "ModelScore",
    "NestedScore",
    "RepeatedSelection",
    "Shift",
    "SubsetEvaluation",
    "compare",
    "evaluate_subset",
    "nested_score",
    "score_models",
    "selection_stability",
    "shift",
]
