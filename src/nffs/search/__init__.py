"""Evaluating many masks: the loop that runs methods, workers, callbacks, what is kept on disk."""

from nffs.search.events import Progress, StopPhase, StopSearch
from nffs.search.loop import Outcome
from nffs.search.method import Choice, Evaluated, Method, Round, SearchSpace
from nffs.search.search import Search

__all__ = [
    "Choice",
    "Evaluated",
    "Method",
    "Outcome",
    "Progress",
    "Round",
    "Search",
    "SearchSpace",
    "StopPhase",
    "StopSearch",
]
