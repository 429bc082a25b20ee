"""Randomness that is addressed, not streamed.

Every draw comes from (seed, what, which). Asking in another order, on another thread or after a
restart gives the same bits, and asking for more keeps what was there.
"""

from __future__ import annotations

import hashlib
import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

#: Seeds stay below this bound so that they fit scikit-learn's ``random_state`` (32 bits).
SEED_BOUND = 2**32


def seed_of(random_state: Any) -> int:
    """Turn scikit-learn's ``random_state`` into one integer; None asks the operating system."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def derive_seed(seed: int, *address: str | int | bytes) -> int:
    """Give the 32-bit seed at an address.

    >>> derive_seed(0, "draw", 3) == derive_seed(0, "draw", 3)
    True
    >>> derive_seed(0, "draw", 3) == derive_seed(0, "draw", 4)
    False
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in (seed, *address):
        data = part if isinstance(part, bytes) else str(part).encode()
        # The length and type keep (1, 23) apart from (12, 3), and 1 from "1".
        digest.update(f"{type(part).__name__}:{len(data)}:".encode())
        digest.update(data)
    return int.from_bytes(digest.digest(), "little") % SEED_BOUND


def generator(seed: int, *address: str | int | bytes) -> np.random.Generator:
    """Give the generator at an address."""
    return np.random.Generator(np.random.PCG64(derive_seed(seed, *address)))
