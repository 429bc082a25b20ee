"""Candidates of a guided search: the first subsets, and what is tried around the best ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Masks
from nffs.methods.greedy import mifsu_order
from nffs.methods.surrogate import Surrogate
from nffs.methods.threshold import find_threshold
from nffs.methods.weights import probability_weights
from nffs.search.method import SearchSpace, Vector

Order = NDArray[np.intp]

#: Subsets of the highest expected fitness, around which candidates are made.
N_PARENTS = 10

#: Candidates of a round, at most, and cells of their masks: on wide tables there are fewer.
N_CANDIDATES, _CELLS = 600, 2_000_000

#: Halvings of the interval in which log odds are shifted.
_HALVINGS = 30

#: Features that are changed at a time, at most, as far as the table is narrow.
MOST_FLIPS = 5


def starting_masks(space: SearchSpace, rng: np.random.Generator, n: int) -> Masks:
    """Give the first subsets: all features, nested ones along three orders, the rest drawn.

    The orders are those in which the models' own weights eliminate features, MIFS-U and mutual
    information.

    Half of the drawn ones are the paper's (eq. 2 and 3), about half of the features or more; of the
    others the sizes are of all scales.
    """
    d = space.n_features
    n_nested = max(1, n // 4)
    by_information = np.argsort(-space.mi, kind="stable")
    parts = [
        np.ones((1, d), dtype=np.bool_),
        space.eliminated[1 : n_nested + 1],
        nested_geometric(space.once(mifsu_order), n_nested),
        nested_geometric(by_information, n_nested // 2),
    ]
    masks = _distinct(np.concatenate(parts))[:n]
    chance = probability_weights(space.mi, find_threshold(space.mi))
    n_drawn = n - len(masks)
    chances = np.repeat(chance[None], n_drawn, axis=0)
    chances[1::2] = _with_sums(chance, _sizes(d, len(chances[1::2]), rng))
    return np.concatenate([masks, chances > rng.random((n_drawn, d))])


def nested_geometric(order: Order, n: int) -> Masks:
    """Give nested subsets of an order, their sizes at equal ratios from one to all but one."""
    d = len(order)
    sizes = np.unique(np.geomspace(1, max(1, d - 1), max(1, n)).round().astype(np.intp))
    masks = np.zeros((len(sizes), d), dtype=np.bool_)
    for mask, size in zip(masks, sizes, strict=True):
        mask[order[:size]] = True
    return masks


@dataclass
class Proposer:
    """Makes candidates for a round."""

    space: SearchSpace
    rng: np.random.Generator

    def candidates(self, model: Surrogate, masks: Masks) -> Masks:
        """Give distinct masks that are not among those that were evaluated."""
        d = self.space.n_features
        n = int(np.clip(_CELLS // d, 60, N_CANDIDATES))
        expected = model.predict(masks)[0]
        parents = masks[np.argsort(-expected, kind="stable")[:N_PARENTS]]
        chance = _chance(model)
        by_effect = np.argsort(-model.effects.value, kind="stable")
        made = np.concatenate(
            [
                self._flipped(parents, chance, n // 3),
                self._crossed(parents, n // 6),
                self._drawn(chance, n // 4),
                nested_geometric(by_effect, n // 10),
                nested_geometric(self.space.once(mifsu_order), n // 20),
                self._cut(parents, by_effect, n // 10),
            ]
        )
        known = {mask.tobytes() for mask in masks}
        distinct = _distinct(made[made.any(axis=1)])
        return distinct[[mask.tobytes() not in known for mask in distinct]]

    def _flipped(self, parents: Masks, chance: Vector, n: int) -> Masks:
        """Change up to five features of a parent, or up to a fifth of them on wide tables."""
        rng, d = self.rng, parents.shape[1]
        out = parents[rng.integers(len(parents), size=n)]
        for number, mask in enumerate(out):
            if number % 4 == 3:  # by the share of the subset: on wide tables a few change nothing
                most = max(2.0, 0.5 * mask.sum())
                count = int(np.exp(rng.uniform(0.0, np.log(most))))
            else:
                count = int(rng.integers(1, MOST_FLIPS + 1))
            against = np.where(mask, 1.0 - chance, chance) + 0.05
            against /= against.sum()
            flips = rng.choice(d, size=min(count, d), replace=False, p=against)
            mask[flips] ^= True
        return out

    def _crossed(self, parents: Masks, n: int) -> Masks:
        rng = self.rng
        mothers, fathers = (parents[rng.integers(len(parents), size=n)] for _ in range(2))
        crossed: Masks = np.where(rng.random(mothers.shape) < 0.5, mothers, fathers)
        return crossed

    def _drawn(self, chance: Vector, n: int) -> Masks:
        """Draw features that probably add something, subsets of all sizes."""
        d = len(chance)
        drawn: Masks = _with_sums(chance, _sizes(d, n, self.rng)) > self.rng.random((n, d))
        return drawn

    def _cut(self, parents: Masks, order: Order, n: int) -> Masks:
        """Keep the part of a parent whose features add most."""
        out = np.zeros((n, parents.shape[1]), dtype=np.bool_)
        for mask in out:
            parent = parents[self.rng.integers(len(parents))]
            own = order[parent[order]]
            mask[own[: int(np.ceil(self.rng.uniform(0.3, 1.0) * len(own)))]] = True
        return out


def _sizes(d: int, n: int, rng: np.random.Generator) -> Vector:
    """Draw sizes of all scales, from two features to all."""
    return d * np.exp(rng.uniform(np.log(min(1.0, 2.0 / d)), 0.0, size=n))


def _chance(model: Surrogate) -> Vector:
    """Give every feature the probability that it adds something."""
    value, error = model.effects.value, model.effects.error
    z = np.divide(value, error, out=np.zeros_like(value), where=error > 0)
    return _logistic(np.clip(1.7 * z, -6.0, 6.0))  # about the normal distribution's


def _with_sums(chance: Vector, sizes: Vector) -> NDArray[np.float64]:
    """Shift the log odds of probabilities so that they add up to each of some sizes."""
    odds = np.log(chance) - np.log1p(-np.minimum(chance, 1.0 - 1e-9))
    low, high = np.full(len(sizes), -30.0), np.full(len(sizes), 30.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        few = _logistic(odds + middle[:, None]).sum(axis=1) < sizes
        low, high = np.where(few, middle, low), np.where(few, high, middle)
    return _logistic(odds + high[:, None])


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-x))


def _distinct(masks: Masks) -> Masks:
    """Leave out what was there before, and keep the order."""
    first = {mask.tobytes(): place for place, mask in reversed(list(enumerate(masks)))}
    return masks[sorted(first.values())]
