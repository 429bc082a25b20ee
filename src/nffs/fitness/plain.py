"""What engines of one model without parameters have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nffs.fitness.scoring import Scoring


@dataclass(frozen=True)
class PlainEngine:
    """Evaluate by one model, of which nothing can be set.

    Parameters
    ----------
    scoring : Scoring
        What is measured.
    """

    scoring: Scoring

    name: ClassVar[str]
    #: Raised when a change of the model changes any bit of a score: no journal mixes the two.
    revision: ClassVar[int]
    batch: ClassVar[int] = 1
    weighs: ClassVar[bool] = True

    def identity(self) -> dict[str, str]:
        """Name the model and the scorer."""
        return {"engine": f"{self.name} {self.revision}", "scoring": self.scoring.identity()}
