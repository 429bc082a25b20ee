"""The estimators: NFFS, the paper's method, and Selector, any method by name."""

from nffs.selector.nffs import NFFS
from nffs.selector.selector import Selector

__all__ = ["NFFS", "Selector"]
