"""Data to try the selector on."""

from nffs.datasets.connections import Connections, make_connections

__all__ = ["Connections", "make_connections"]
