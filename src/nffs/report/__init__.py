"""Result -> HTML page: a plain dict first (`summary`), charts and a template after."""

from nffs.report.page import render_journal, render_report, write_report
from nffs.report.summary import summarize, to_json

__all__ = ["render_journal", "render_report", "summarize", "to_json", "write_report"]
