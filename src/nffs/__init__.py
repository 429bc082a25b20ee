"""Feature selection for tabular data via normalized frequencies."""

from nffs._version import __version__

__all__ = ["__version__"]
