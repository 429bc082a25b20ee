"""The final check: the last candidates of a search, on folds that the search did not use.

The best of some hundred scores is the luckiest as much as the best. What a search leaves is
therefore evaluated once more, with more folds, and all features together beside it: they may win.
Then features are eliminated, from all of them and from the best candidate, in every fold by its own
training rows: a score that no row flatters says how few features will do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import Fitness, Mask, Masks
from nffs.search.allowed import Allowed
from nffs.search.importance import effects_of

Choose = Literal["best", "one_se", "all"]
Vector = NDArray[np.float64]
Order = NDArray[np.intp]
Eliminate = Callable[[Mask], tuple[Masks, NDArray[np.float64]] | None]

#: The phases, as progress and callbacks name them.
FINAL_CHECK, ELIMINATION = "final check", "elimination"

#: The best subsets of the search that are candidates.
N_BEST = 3

#: Sizes of nested subsets: so many between one feature and all, at equal ratios, and this share.
N_SIZES, LARGE = 5, 0.75

#: With 'best', what a subset is charged for dropping all features, in standard errors; half of the
#: features cost half.
LUCK = 2.0

#: With 'best', a difference within one standard error counts as none if it is also below this share
#: of the best score; one of less than a row always does.
SMALL = 0.004


@dataclass(frozen=True)
class FinalCheck:
    """The last candidates, all features first, and which of them was chosen."""

    masks: Masks  # (n, n_features)
    scores: NDArray[np.float64]  # (n, n_splits, n_members)
    chosen: int
    evaluated_on: str  # for results: which rows evaluate
    # The score of the best constant guess on these rows; None if the scorer takes no guess
    guess: float | None

    def members(self, candidate: int) -> Vector:
        """Give the score of every member of the panel."""
        means: Vector = self.scores[candidate].mean(axis=0)
        return means

    def fitness(self, candidate: int) -> float:
        """Give the mean over splits and members."""
        return float(self.scores[candidate].mean())

    def error(self, candidate: int) -> float:
        """Give the standard error of the fitness."""
        return difference(self.scores[candidate], np.zeros_like(self.scores[0]))[1]

    def gain(self) -> tuple[float, float]:
        """Give how much better the choice is than all features, and the standard error.

        Each is measured by the member of the panel that likes it best: all features are not to be
        measured by a model that they hurt.
        """
        ours, all_features = self.scores[self.chosen], self.scores[0]
        best, other = (int(s.mean(axis=0).argmax()) for s in (ours, all_features))
        gain, error = difference(ours[:, [best]], all_features[:, [other]])
        # Folds share training rows: Nadeau and Bengio's correction of an error that is too small
        n = len(ours)
        return gain, error if n < 2 else error * float(np.sqrt(1 + n / (n - 1)))


def difference(scores: NDArray[np.float64], others: NDArray[np.float64]) -> tuple[float, float]:
    """Give the mean of paired differences and its standard error, over splits.

    With one split there are only the members to tell the error from.
    """
    apart = (scores - others).mean(axis=1) if len(scores) > 1 else (scores - others)[0]
    error = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0
    return float(apart.mean()), error


def final_phases(*, weighs: bool) -> dict[str, int]:
    """Give the phases of a check, with the most subsets of each.

    First all features, the method's choice and the best. Then, if the models can tell how much a
    feature counts, it is eliminated from all features and from the best candidate; if not, there
    are nested subsets by two orders.
    """
    first = 2 + N_BEST
    if weighs:
        return {FINAL_CHECK: first, ELIMINATION: 2}
    return {FINAL_CHECK: first + 2 * (N_SIZES + 1)}


def run_final_check(
    evaluate: Callable[[Masks], list[Fitness | None]],
    eliminate: Eliminate | None,
    masks: Masks,
    fitness: Vector,
    chosen: int,
    mi: Vector,
    choose: Choose,
    n_rows: float,
    allowed: Allowed | None = None,
) -> tuple[Masks, NDArray[np.float64], int] | None:
    """Evaluate the last candidates and choose.

    Parameters
    ----------
    evaluate : callable
        Evaluates masks on the final folds: gives fewer results than masks if it was stopped.
    eliminate : callable or None
        Eliminates the features of a mask: gives what is left at every size, and the scores of every
        size; None if it was stopped. None if the models cannot tell how much a feature counts.
    masks, fitness : (n, n_features) bool, (n,) float
        What the search evaluated.
    chosen : int
        The method's choice among them.
    mi : (n_features,) float
        Mutual information with the target.
    choose : {'best', 'one_se', 'all'}
        The rule.
    n_rows : float
        Rows that evaluate, over all splits.
    allowed : Allowed, optional
        Which subsets may be chosen; all of them if not given. All features are a candidate in any
        case, to compare with.

    Returns
    -------
    masks, scores, chosen
        The candidates, all features first, their scores, and the place of the choice. None if
        there is nothing to choose from: the check was stopped, or all features could not be
        evaluated.
    """
    allowed = Allowed.everything(masks.shape[1]) if allowed is None else allowed
    tried = _Candidates(n_rows, allowed)
    everything = np.ones((1, masks.shape[1]), dtype=np.bool_)
    best = masks[np.lexsort((masks.sum(axis=1), -fitness))[:N_BEST]]
    going = tried.add(evaluate, np.concatenate([everything, masks[chosen][None], best]))
    if not (tried.masks and tried.masks[0].all()):
        return None  # all features could not be evaluated: there is nothing to compare with
    if eliminate is not None:
        for start in dict.fromkeys([0, tried.highest()]):
            going = going and tried.add_eliminated(eliminate, start)
    elif going:
        by_effect = np.argsort(-effects_of(masks, fitness).value, kind="stable")
        by_information = np.argsort(-mi, kind="stable")
        orders = (by_effect, by_information)
        tried.add(evaluate, np.concatenate([nested(order, allowed) for order in orders]))
    if len(tried) < 2 or not tried.eligible:
        return None
    return np.array(tried.masks), np.array(tried.scores), tried.pick(choose)


class _Candidates:
    """Candidates evaluated so far, each once."""

    def __init__(self, n_rows: float, allowed: Allowed) -> None:
        self._n_rows, self._allowed = n_rows, allowed
        self.masks: list[Mask] = []
        self.scores: list[NDArray[np.float64]] = []

    def __len__(self) -> int:
        return len(self.masks)

    def add(self, evaluate: Callable[[Masks], list[Fitness | None]], masks: Masks) -> bool:
        """Evaluate those that are new; tell whether all of them could be."""
        known = {mask.tobytes() for mask in self.masks}
        fresh = {mask.tobytes(): mask for mask in masks if mask.any()}
        new = np.array([mask for key, mask in fresh.items() if key not in known])
        if not len(new):
            return True
        found = evaluate(new)
        for mask, result in zip(new, found, strict=False):
            if result is not None:
                self.masks.append(mask)
                self.scores.append(result.scores)
        return len(found) == len(new)

    def add_eliminated(self, eliminate: Eliminate, start: int) -> bool:
        """Add what is left of a candidate at every size; tell whether it could be found."""
        found = eliminate(self.masks[start])
        if found is None:
            return False
        masks, scores = found
        for mask, scored in zip(masks[1:], scores[1:], strict=True):  # the first is the start
            self.masks.append(mask)
            self.scores.append(scored)
        return True

    @property
    def eligible(self) -> list[int]:
        """Those that may be chosen: all features may be too many."""
        return [c for c, mask in enumerate(self.masks) if self._allowed(mask[None])[0]]

    def pick(self, choose: Choose) -> int:
        """Apply a rule: the smallest of those that are as good as the best.

        With 'all', where all features may not be chosen and nothing beats them, it is the best.
        """
        fitness = [float(scores.mean()) for scores in self.scores]
        if choose == "best":
            fitness = [f - luck for f, luck in zip(fitness, self._luck(), strict=True)]
        eligible, sizes = self.eligible, self._allowed.sizes
        best = max(eligible, key=fitness.__getitem__)
        if choose == "all" and not self._beats_all(best):
            return 0 if 0 in eligible else best
        as_good = []
        for candidate in eligible:
            _, error = difference(self.scores[best], self.scores[candidate])
            behind = fitness[best] - fitness[candidate]
            allowed = error
            if choose == "best":
                allowed = max(min(error, SMALL * abs(fitness[best])), 1.0 / self._n_rows)
            if behind <= allowed and (choose != "all" or self._beats_all(candidate)):
                as_good.append(candidate)
        return min(as_good, key=lambda c: (self.masks[c] @ sizes, -fitness[c], c))

    def highest(self) -> int:
        """Give the candidate with the highest score of those that may be chosen."""
        return max(self.eligible, key=lambda candidate: float(self.scores[candidate].mean()))

    def _luck(self) -> Vector:
        """Give how much of every candidate's score is put down to luck.

        Against all features, which nobody chose, a candidate is charged `LUCK` standard errors for
        dropping everything, half of them for half of the features: the search dropped what it did
        because scores rose, and of many sizes one is the luckiest. Of a few rows even a perfect
        score has an error.
        """
        errors = np.array([difference(scores, self.scores[0])[1] for scores in self.scores])
        dropped = 1.0 - np.array(self.masks).mean(axis=1)
        charged: Vector = LUCK * np.maximum(errors, 1.0 / self._n_rows) * dropped
        return charged

    def _beats_all(self, candidate: int) -> bool:
        gain, error = difference(self.scores[candidate], self.scores[0])
        return gain > error


def nested(order: Order, allowed: Allowed) -> Masks:
    """Give nested subsets of the first features of an order, sizes at equal ratios.

    Where not all features are allowed, as many as are come last. What must be in comes first, and
    what is left out for the sake of groups is repaired.
    """
    order, counts = allowed.leading(order)
    fewest, most = counts[0], counts[-1]
    ratios = (i / (N_SIZES + 1) for i in range(1, N_SIZES + 1))
    sizes = {round(fewest * (most / fewest) ** ratio) for ratio in ratios}
    sizes.add(round(LARGE * most) if most == len(order) else most)
    inner = sorted(n for n in sizes if fewest <= n < len(order))
    masks = np.zeros((len(inner), len(order)), dtype=np.bool_)
    for mask, size in zip(masks, inner, strict=True):
        mask[order[:size]] = True
        allowed.repair(mask, order)
    return masks
