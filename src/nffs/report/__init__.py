"""How results are shown: a summary, the HTML pages, notebooks, the terminal, a progress bar."""

from nffs.report.inline import InlinePage
from nffs.report.page import render_journal, render_report, write_report
from nffs.report.summary import summarize, to_json

__all__ = [
    "InlinePage",
    "render_journal",
    "render_report",
    "summarize",
    "to_json",
    "write_report",
]
