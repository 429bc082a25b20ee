"""The command line: parse, call, print."""

from nffs.cli.app import main

__all__ = ["main"]
