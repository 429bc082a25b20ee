"""What is a subset of features worth? Other layers import from here, never from inside.

`Evaluation` holds everything that decides a score; its `evaluator` takes masks and gives a
`Fitness` each. An engine does the work: the binned forest, or any scikit-learn estimator.
"""

from nffs.fitness.blas import one_blas_thread
from nffs.fitness.elimination import elimination_cost
from nffs.fitness.engines import ENGINES, EVALUATORS, MODELS, Model
from nffs.fitness.evaluation import Evaluation
from nffs.fitness.evaluator import (
    Engine,
    Evaluator,
    Fitness,
    Mask,
    Masks,
    Memory,
    Shape,
    SplitScorer,
)
from nffs.fitness.forest.classifier import BinnedForestClassifier
from nffs.fitness.forest.engine import ForestScorer, PreparedSubset
from nffs.fitness.forest.groups import Group
from nffs.fitness.forest.numbers import NumberScorer
from nffs.fitness.indicators import (
    Indicators,
    NumberIndicators,
    indicators_of,
    number_indicators,
)
from nffs.fitness.information import feature_codes, mutual_information
from nffs.fitness.naming import name_of
from nffs.fitness.newness import LEVEL as MOVED_LEVEL
from nffs.fitness.newness import (
    Newness,
    chance,
    effective_size,
    mean_auc,
    newness_alone,
    newness_of,
)
from nffs.fitness.scoring import Scoring, resolve_scoring, settled_scoring
from nffs.fitness.splits import Split, SplitRows, cv_splits

__all__ = [
    "ENGINES",
    "EVALUATORS",
    "MODELS",
    "MOVED_LEVEL",
    "BinnedForestClassifier",
    "Engine",
    "Evaluation",
    "Evaluator",
    "Fitness",
    "ForestScorer",
    "Group",
    "Indicators",
    "Mask",
    "Masks",
    "Memory",
    "Model",
    "Newness",
    "NumberIndicators",
    "NumberScorer",
    "PreparedSubset",
    "Scoring",
    "Shape",
    "Split",
    "SplitRows",
    "SplitScorer",
    "chance",
    "cv_splits",
    "effective_size",
    "elimination_cost",
    "feature_codes",
    "indicators_of",
    "mean_auc",
    "mutual_information",
    "name_of",
    "newness_alone",
    "newness_of",
    "number_indicators",
    "one_blas_thread",
    "resolve_scoring",
    "settled_scoring",
]
