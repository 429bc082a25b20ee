"""Evaluating many masks: order, parallelism, progress."""

from nffs.search.runner import Progress, Search

__all__ = ["Progress", "Search"]
