"""MIFS-U's order without the matrix of all pairs: one feature against all others at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nffs.fitness import feature_codes
from nffs.methods.pairwise import POOL, Redundancy, entropy_of
from nffs.search.method import SearchSpace
from nffs.table.missing import filled

#: Rows that are counted at most, evenly spaced among the training rows.
_ROWS = 4096

#: Features that are ordered one by one; the others follow by their mutual information.
_ORDERED = 128

#: The weight of redundancy, as `MIFSU` has it.
_BETA = 0.7


def mifsu_order(space: SearchSpace) -> NDArray[np.intp]:
    """Order the features by relevance minus what they share with those before them."""
    training = space.training
    rows = training[np.linspace(0, len(training) - 1, min(_ROWS, len(training))).astype(np.intp)]
    some = space.blocks[:POOL]  # the most relevant
    codes = [feature_codes(filled(space.rows.matrix[np.ix_(rows, block)])) for block in some]
    redundancy, d = Redundancy(codes), len(codes)
    against, open_ = np.zeros(d), np.ones(d, dtype=np.bool_)
    order: list[int] = []
    for _ in range(min(d, _ORDERED)):
        worth = np.where(open_, space.mi[:d] - against, -np.inf)
        best = int(worth.argmax())  # of equals the first: the more relevant one
        order.append(best)
        open_[best] = False
        entropy = entropy_of(codes[best])
        if entropy > 0:
            against += _BETA * space.mi[best] / entropy * redundancy.of(best)
    rest = np.setdiff1d(np.arange(space.n_features), order)
    return np.array([*order, *rest[np.argsort(-space.mi[rest], kind="stable")]])
