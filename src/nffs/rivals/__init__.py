"""Every method that NFFS is compared with, under one evaluator and one budget."""

from nffs.rivals._base import Method, Task
from nffs.rivals.comparison import Comparison, compare
from nffs.rivals.registry import METHODS
from nffs.rivals.selector import Rival

__all__ = ["METHODS", "Comparison", "Method", "Rival", "Task", "compare"]
