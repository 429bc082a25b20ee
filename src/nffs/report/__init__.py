"""Result -> HTML page."""

from nffs.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
