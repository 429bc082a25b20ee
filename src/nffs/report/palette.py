"""The colours of every chart: on pages, in notebooks and in figures for papers.

Blue and vermilion are Okabe and Ito's, which colour-blind readers tell apart; their greys differ
too.
"""

INK, SOFT, LINE, BAR = "#1b1f24", "#57606a", "#d0d7de", "#8a94a0"
BLUE, MARK, GREEN, PURPLE = "#0072b2", "#d55e00", "#00795a", "#a8478a"

LIGHT = {
    "paper": "#ffffff", "card": "#f6f8fa", "ink": INK, "soft": SOFT, "line": LINE, "bar": BAR,
    "blue": BLUE, "mark": MARK, "green": GREEN, "purple": PURPLE,
    "tint": "#e3f0f8", "warn": "#fff4e0", "mark-tint": "#fdeee3",
}  # fmt: skip

DARK = {
    "paper": "#0f1419", "card": "#181f27", "ink": "#e6edf3", "soft": "#a3afbb", "line": "#313c48",
    "bar": "#66727f", "blue": "#56b4e9", "mark": "#e69f00", "green": "#2fc39a", "purple": "#e08fc4",
    "tint": "#14293a", "warn": "#33270f", "mark-tint": "#3a2a10",
}  # fmt: skip

#: In a notebook: its own ink, whatever it is, thinned for what is less important.
NOTEBOOK = {
    "paper": "var(--jp-layout-color0, transparent)",
    "ink": "currentColor",
    "soft": "color-mix(in srgb, currentColor 70%, transparent)",
    "line": "color-mix(in srgb, currentColor 25%, transparent)",
    "bar": BAR,
    "blue": BLUE,
    "mark": MARK,
    "tint": "transparent",
}
