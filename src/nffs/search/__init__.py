"""Evaluating many masks: order, parallelism, progress, what is kept on disk."""

from nffs.search.events import Progress, StopPhase, StopSearch
from nffs.search.loop import Search

__all__ = ["Progress", "Search", "StopPhase", "StopSearch"]
