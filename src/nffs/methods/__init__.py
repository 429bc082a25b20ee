"""Who proposes subsets? Every method is a file; `METHODS` has them by name."""

from nffs.methods.registry import METHODS, method_of
from nffs.search.method import Choice, Evaluated, Method, Round, SearchSpace

__all__ = ["METHODS", "Choice", "Evaluated", "Method", "Round", "SearchSpace", "method_of"]
