"""Who proposes subsets? Every method is a file; `METHODS` has them by name."""

from nffs.methods.registry import METHODS
from nffs.search.method import Method, Task

__all__ = ["METHODS", "Method", "Task"]
