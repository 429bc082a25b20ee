"""Evaluating many masks: order, parallelism, progress, what is kept on disk."""

from nffs.search.progress import Progress, StopPhase, StopSearch
from nffs.search.runner import Search

__all__ = ["Progress", "Search", "StopPhase", "StopSearch"]
