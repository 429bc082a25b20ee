"""Filters on the pairwise mutual information: a ranking, cut by the evaluator.

All but the plain ranking add one feature after the other: the one of the largest relevance minus
what it shares with those that are in already. They differ in how that share is counted. With S the
features selected so far, s one of them, f a candidate and C the label, in nats:

======= ============================================================
IG      I(C;f)
MIFS    I(C;f) - beta * sum_s I(f;s)
MIFS-U  I(C;f) - beta * sum_s I(C;s) / H(s) * I(f;s)
mRMR    I(C;f) - 1/|S| * sum_s I(f;s)
NMIFS   I(C;f) - 1/|S| * sum_s I(f;s) / min(H(f), H(s))
FMIFS   I(C;f) - 1/|S| * sum_s I(f;s) / I(C;f), for I(C;f) > 0
======= ============================================================

On wide tables the features that share most with the label are ranked so, and the others follow by
what they share with it.

The nested subsets of the ranking are then evaluated: all sizes, or as many as the budget allows,
from one feature to all, or from the fewest to the most that are allowed, evenly spaced. Features
that must be in come first.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.methods.pairwise import Dependence, Matrix, measure_dependence
from nffs.search.allowed import Allowed
from nffs.search.method import Method, Proposals, SearchSpace, Vector


def greedy_ranking(
    relevance: Vector, penalty: Matrix, *, mean: bool
) -> tuple[list[int], list[float]]:
    """Rank features, one after the other, by relevance minus penalty.

    ``penalty[f, s]`` counts against f once s is selected: the mean of the penalties, or their sum.
    Gives the features, best first, and the criterion of each when it was selected. Of equals the
    more relevant comes first, then the earlier. A criterion of minus infinity ends the ranking.
    """
    n = len(relevance)
    against = np.zeros(n)
    open_ = np.ones(n, dtype=np.bool_)
    order: list[int] = []
    criterion: list[float] = []
    while open_.any():
        worth = relevance - (against / max(1, len(order)) if mean else against)
        candidates = np.flatnonzero(open_)
        keys = np.lexsort((candidates, -relevance[candidates], -worth[candidates]))
        best = int(candidates[keys[0]])
        if worth[best] == -np.inf:
            break
        order.append(best)
        criterion.append(float(worth[best]))
        open_[best] = False
        against = against + penalty[:, best]
    return order, criterion


def followed(order: list[int], found: Dependence, n_features: int) -> list[int]:
    """Let the features whose pairs were not measured follow a ranking that did not end early."""
    n = len(found.relevance)
    return [*order, *range(n, n_features)] if len(order) == n else order


def nested_masks(order: list[int], allowed: Allowed, most: int) -> Masks:
    """Build nested subsets of a ranking: all sizes that are allowed, or ``most`` evenly spaced.

    >>> nested_masks([2, 0, 1], Allowed.everything(3), most=2).astype(int)
    array([[0, 0, 1],
           [1, 1, 1]])
    """
    first, counts = allowed.leading(np.array(order))
    n = min(most, len(counts))
    sizes = np.unique(np.linspace(counts[0], counts[-1], n).round().astype(np.intp))
    masks = np.zeros((len(sizes), len(allowed.sizes)), dtype=np.bool_)
    for mask, size in zip(masks, sizes, strict=True):
        mask[first[:size]] = True
    return masks


class Ranking(Method):
    """A method that ranks features and lets the evaluator cut."""

    is_random: ClassVar[bool] = False

    @abstractmethod
    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features, best first; those left out are never selected."""

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the nested subsets, all at once."""
        order = self.rank(space)
        if not order:  # nothing passes the criterion: an empty mask, to be repaired
            yield self.round(np.zeros((1, space.n_features), dtype=np.bool_))
        else:
            yield self.round(nested_masks(order, space.allowed, budget))
        return None


class Filter(Ranking):
    """A greedy ranking by mutual information."""

    mean: ClassVar[bool] = True

    @abstractmethod
    def penalty(self, found: Dependence) -> Matrix:
        """Say what counts against feature f (row) once s (column) is selected."""

    def criterion(self, found: Dependence) -> tuple[list[int], list[float]]:
        """Rank the features, with the criterion of each when it was selected."""
        return greedy_ranking(found.relevance, self.penalty(found), mean=self.mean)

    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features, best first."""
        found = space.once(measure_dependence)
        return followed(self.criterion(found)[0], found, space.n_features)


@dataclass(frozen=True)
class InformationGain(Ranking):
    """Rank by mutual information with the label alone."""

    name: ClassVar[str] = "ig"
    description: ClassVar[str] = "ranking by information gain, cut by the evaluator"
    source: ClassVar[str] = "Aljawarneh, Aldwairi and Yassein, J. Comput. Sci. 25 (2018)"

    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features, best first."""
        return [int(i) for i in np.argsort(-space.mi, kind="stable")]


@dataclass(frozen=True)
class MIFS(Filter):
    """Battiti's criterion; ``beta`` weighs redundancy."""

    beta: float = 0.7

    name: ClassVar[str] = "mifs"
    description: ClassVar[str] = "relevance minus the sum of redundancies"
    source: ClassVar[str] = "Battiti, IEEE Trans. Neural Netw. 5 (1994)"
    mean: ClassVar[bool] = False

    def penalty(self, found: Dependence) -> Matrix:
        """beta * I(f;s)."""  # noqa: D403
        return self.beta * found.redundancy


@dataclass(frozen=True)
class MIFSU(Filter):
    """Kwak and Choi's criterion, for labels that are uniform over a feature's values."""

    beta: float = 0.7

    name: ClassVar[str] = "mifs-u"
    description: ClassVar[str] = "MIFS with redundancies weighed by what the label shares"
    source: ClassVar[str] = "Kwak and Choi, IEEE Trans. Neural Netw. 13 (2002)"
    mean: ClassVar[bool] = False

    def penalty(self, found: Dependence) -> Matrix:
        """beta * I(C;s) / H(s) * I(f;s)."""  # noqa: D403
        return self.beta * found.redundancy * _over(found.relevance, found.entropy)


@dataclass(frozen=True)
class MRMR(Filter):
    """Minimal redundancy, maximal relevance; the difference form."""

    name: ClassVar[str] = "mrmr"
    description: ClassVar[str] = "relevance minus the mean redundancy"
    source: ClassVar[str] = "Peng, Long and Ding, IEEE TPAMI 27 (2005)"

    def penalty(self, found: Dependence) -> Matrix:
        """I(f;s)."""
        return found.redundancy


@dataclass(frozen=True)
class NMIFS(Filter):
    """Redundancy normalised to [0, 1] by the smaller entropy."""

    name: ClassVar[str] = "nmifs"
    description: ClassVar[str] = "relevance minus the mean normalised redundancy"
    source: ClassVar[str] = "Estevez, Tesmer, Perez and Zurada, IEEE Trans. Neural Netw. 20 (2009)"

    def penalty(self, found: Dependence) -> Matrix:
        """I(f;s) / min(H(f), H(s))."""
        return _over(found.redundancy, np.minimum.outer(found.entropy, found.entropy))


@dataclass(frozen=True)
class FMIFS(Filter):
    """Redundancy relative to the candidate's relevance: the selection of the LSSVM-IDS system.

    A feature that shares nothing with the label is never selected.

    Our reading: the paper ends where the criterion is no longer positive. It weighs a share against
    nats, so where that is depends on the estimate of mutual information: with ours it comes long
    before the paper's 18 features of NSL-KDD. So the evaluator cuts, as for the others.
    """

    name: ClassVar[str] = "fmifs"
    description: ClassVar[str] = "flexible MIFS, the selection of LSSVM-IDS"
    source: ClassVar[str] = "Ambusaidi, He, Nanda and Tan, IEEE Trans. Comput. 65 (2016)"

    def penalty(self, found: Dependence) -> Matrix:
        """I(f;s) / I(C;f)."""
        out: Matrix = np.full_like(found.redundancy, np.inf)
        says = found.relevance > 0
        out[says] = found.redundancy[says] / found.relevance[says, None]
        return out

    def rank(self, space: SearchSpace) -> list[int]:
        """Order the features that share something with the label, best first."""
        return [feature for feature in super().rank(space) if space.mi[feature] > 0]


def _over(shared: NDArray[np.float64], entropy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; what has no entropy shares nothing."""
    return np.divide(shared, entropy, out=np.zeros_like(shared), where=entropy > 0)
