"""Rankings by rules: association rules over central points, and the rules of decision trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from nffs.methods.filters import Ranking
from nffs.search.method import SearchSpace, Vector
from nffs.table.target import Task


@dataclass(frozen=True)
class AssociationRules(Ranking):
    """Central points and association rules (Moustafa and Slay 2015), cut by the evaluator.

    The rows are parted into equal parts; in each, the central point of a feature is its most
    frequent value. Apriori then looks for rules "one or two features at their central points, hence
    this class", whose support and confidence rank the features.

    Our reading, where the paper is silent: part p has the rows p, p + parts, p + 2 parts, ...;
    columns are cut into at most ``bins`` bins first; a rule counts its support times the confidence
    that it adds to the share of its class, since the plain product is largest for features that
    nearly always have one value; a feature counts its best rule of every part, on average; what has
    no rule that adds anything comes last, by mutual information.
    """

    parts: int = 10
    bins: int = 8
    min_support: float = 0.05

    name: ClassVar[str] = "association-rules"
    description: ClassVar[str] = "central points and Apriori rules, cut by the evaluator"
    source: ClassVar[str] = "Moustafa and Slay, Australian Inf. Warfare Conf. (2015)"
    tasks: ClassVar[tuple[Task, ...]] = ("classification",)  # a rule says "hence this class"

    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features, best first."""
        codes, labels = np.array(space.codes(self.bins)).T, space.target
        n_parts = max(1, min(self.parts, len(codes) // 20))
        worth = np.mean(
            [
                best_rules(codes[p::n_parts], labels[p::n_parts], self.min_support)
                for p in range(n_parts)
            ],
            axis=0,
        )
        return [int(i) for i in np.lexsort((-space.mi, -worth))]


def best_rules(codes: NDArray[np.intp], labels: NDArray[np.intp], min_support: float) -> Vector:
    """Give, for every feature, the worth of the best rule that it is in."""
    n = len(codes)
    central = np.array([np.bincount(column).argmax() for column in codes.T])
    at = (codes == central).astype(np.float32)
    both = at.T @ at / n  # one feature on the diagonal, two elsewhere
    # Apriori: a pair can only be frequent if both of its items are.
    single = both.diagonal() >= min_support
    allowed = (both >= min_support) & np.outer(single, single)
    best = np.zeros(codes.shape[1])
    for label in np.unique(labels):
        rows = at[labels == label]
        support = rows.T @ rows / n
        added = np.divide(support, both, out=np.zeros_like(both), where=both > 0) - len(rows) / n
        worth = np.where(allowed & (support >= min_support), support * added, 0.0)
        best = np.maximum(best, worth.max(axis=1))
    return best


@dataclass(frozen=True)
class RuleBased(Ranking):
    """Features of the rules of several decision trees, cut by the evaluator.

    The row "Rule-Based" of the paper's table for UNSW-NB15 reports a subset, not a method; the
    system it comes from (Kumar et al. 2020) joins the rules of several kinds of decision trees.

    Our reading: four trees of a limited depth, by Gini index and by entropy, over all features and
    over drawn ones. A rule is the path to a leaf. It counts its coverage times the confidence that
    it adds to the share of its class, for every feature on the path. What no rule uses is left out.
    For numbers the trees part by variance, and a rule counts its coverage times how far its mean
    lies from that of all rows.
    """

    depth: int = 8

    name: ClassVar[str] = "rule-based"
    description: ClassVar[str] = "features of decision trees' rules, cut by the evaluator"
    source: ClassVar[str] = "Kumar, Sinha, Das, Pandey and Goswami, Cluster Comput. 23 (2020)"

    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features, best first."""
        matrix, worth = space.matrix, np.zeros(space.rows.matrix.shape[1])
        classes = space.task == "classification"
        for number, criterion in enumerate(("gini", "entropy", "gini", "entropy")):
            by_class = partial(DecisionTreeClassifier, criterion=criterion)
            tree = (by_class if classes else DecisionTreeRegressor)(
                max_depth=self.depth,
                max_features=None if number < 2 else "sqrt",
                min_samples_leaf=max(1, len(matrix) // 1000),
                random_state=(space.seed + number) % 2**32,
            ).fit(matrix, space.target, sample_weight=space.weights)
            worth += rule_worth(tree)
        features = space.of_columns(worth)
        order = np.lexsort((-space.mi, -features))
        return [int(i) for i in order if features[i] > 0]


def added_confidence(tree: Any) -> Vector:
    """Give, for every node of a tree, what it adds to the share of the class that it predicts."""
    values = tree.tree_.value[:, 0, :]
    shares = values / values.sum(axis=1, keepdims=True)
    says = shares.argmax(axis=1)
    added: Vector = np.maximum(0.0, shares[np.arange(len(says)), says] - shares[0, says])
    return added


def shifts_of_means(tree: Any) -> Vector:
    """Give, for every node of a tree, how far its mean lies from that of all rows."""
    means = tree.tree_.value[:, 0, 0]
    away: Vector = np.abs(means - means[0])
    return away


def rule_worth(tree: Any) -> Vector:
    """Add up, for every column, the worth of a fitted tree's rules that use it."""
    nodes = tree.tree_
    added = added_confidence(tree) if is_classifier(tree) else shifts_of_means(tree)
    covers = nodes.weighted_n_node_samples / nodes.weighted_n_node_samples[0]
    worth = np.zeros(tree.n_features_in_)
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting:
        node, used = waiting.pop()
        if nodes.children_left[node] == -1:
            worth[sorted(used)] += covers[node] * added[node]
        else:
            below = used | {int(nodes.feature[node])}
            waiting += [(int(nodes.children_left[node]), below)]
            waiting += [(int(nodes.children_right[node]), below)]
    return worth
