"""The salp swarm algorithm with chaotic maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nffs.errors import InputError, quoted
from nffs.methods.swarm import best_of, n_rounds, sigmoid
from nffs.search.method import Method, Proposals, SearchSpace

#: The ten maps of Sayed et al. 2018, table 1, each from and to [0, 1] or [-1, 1].
CHAOTIC_MAPS: dict[str, Callable[[float, int], float]] = {
    "chebyshev": lambda x, k: float(np.cos(k * np.arccos(x))),
    "circle": lambda x, k: (x + 0.2 - 0.5 / (2 * np.pi) * np.sin(2 * np.pi * x)) % 1.0,
    "gauss": lambda x, k: 1.0 if x == 0 else (1 / x) % 1.0,
    "iterative": lambda x, k: float(np.sin(0.7 * np.pi / x)),
    "logistic": lambda x, k: 4 * x * (1 - x),
    "piecewise": lambda x, k: _piecewise(x, 0.4),
    "sine": lambda x, k: float(np.sin(np.pi * x)),
    "singer": lambda x, k: 1.07 * (7.86 * x - 23.31 * x**2 + 28.75 * x**3 - 13.302875 * x**4),
    "sinusoidal": lambda x, k: float(2.3 * x**2 * np.sin(np.pi * x)),
    "tent": lambda x, k: x / 0.7 if x < 0.7 else 10 / 3 * (1 - x),
}


@dataclass(frozen=True)
class SalpSwarm(Method):
    """A chain of salps behind the food, which is the best position so far (CSSA).

    The first half leads: ``x = food +- c1 c2`` for every coordinate, with
    ``c1 = 2 exp(-(4 l / L)^2)`` in round l of L and an even coin for the sign (Mirjalili et al.
    2017, eqs. 3.1, 3.2); the others follow, ``x = (x + x_before) / 2`` (eq. 3.4). In CSSA a chaotic
    map gives c2 (Sayed et al. 2018, eq. 10). Positions lie in [0, 1]; a bit is 1 with probability
    ``1 / (1 + exp(-10 (x - 0.5)))``.

    Our reading: c2 is drawn from the map for every coordinate and every leader, its size where it
    is negative, and the food is the position whose mask was best.
    """

    population: int = 20
    chaotic_map: str = "logistic"

    name: ClassVar[str] = "salp"
    description: ClassVar[str] = "salp swarm with a chaotic map"
    source: ClassVar[str] = "Sayed, Khoriba and Haggag, Appl. Intell. 48 (2018)"

    def propose(self, space: SearchSpace, rng: np.random.Generator, budget: int) -> Proposals:
        """Propose the chain's masks, round by round."""
        chaos = _Chaos(self.chaotic_map, rng)
        x = rng.random((self.population, space.n_features))
        best, food = -np.inf, x[0]
        rounds = n_rounds(budget, self.population)
        leaders = max(1, self.population // 2)
        for round_ in range(1, rounds + 1):
            masks = rng.random(x.shape) < sigmoid(x - 0.5, slope=10)
            fitness = (yield self.round(masks)).fitness
            if fitness.max() > best:
                best = fitness.max()
                # Where the mask is: a position that says so, as far as the old one agrees with it.
                found = best_of(fitness)
                food = np.where(masks[found] == (x[found] >= 0.5), x[found], 1 - x[found])
            c1 = 2 * np.exp(-((4 * round_ / rounds) ** 2))
            for i in range(self.population):
                if i < leaders:
                    sign = np.where(rng.random(space.n_features) < 0.5, 1, -1)
                    x[i] = food + sign * c1 * chaos.draw(space.n_features)
                else:
                    x[i] = (x[i] + x[i - 1]) / 2
            x = x.clip(0, 1)
        return None


class _Chaos:
    """Numbers of a chaotic map."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        if name not in CHAOTIC_MAPS:
            known = quoted(CHAOTIC_MAPS, len(CHAOTIC_MAPS))
            raise InputError(f"chaotic_map: {name!r} is not a map; choose one of {known}.")
        self._map = CHAOTIC_MAPS[name]
        self._rng = rng
        self._value = 0.7
        self._drawn = 0

    def draw(self, n: int) -> np.ndarray:
        """Give the next ``n``, in [0, 1]."""
        out = np.empty(n)
        for i in range(n):
            self._drawn += 1
            value = self._map(self._value, self._drawn)
            # A few maps have points that they never leave: start again elsewhere.
            stuck = not -1 <= value <= 1 or abs(value) < 1e-12 or value == self._value
            self._value = float(self._rng.uniform(0.1, 0.9)) if stuck else value
            out[i] = abs(self._value)
        return out


def _piecewise(x: float, p: float) -> float:
    x = x if x < 0.5 else 1 - x  # the map is its own mirror image
    return x / p if x < p else (x - p) / (0.5 - p)
