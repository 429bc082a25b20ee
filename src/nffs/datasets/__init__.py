"""Data to try the selector on."""

from nffs.datasets.connections import Connections, make_connections
from nffs.datasets.nsl_kdd import fetch_nsl_kdd
from nffs.datasets.unsw_nb15 import fetch_unsw_nb15

__all__ = ["Connections", "fetch_nsl_kdd", "fetch_unsw_nb15", "make_connections"]
