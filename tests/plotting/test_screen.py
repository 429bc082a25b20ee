"""Figures for the screen: readable on light and dark pages, without a box behind them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from documents import checked
from matplotlib.colors import to_hex, to_rgb
from matplotlib_inline.backend_inline import _fetch_figure_metadata

from nffs import plotting

OF_SELECTIONS = ("Course", "Fitness", "MutualInformation", "NestedCurve", "Subsets", "Weights")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def drawn(name, **options):
    """A display by the first part of its name."""
    kind = getattr(plotting, f"{name}Display")
    if name in OF_SELECTIONS:
        return kind.from_selection(checked(30), **options)
    values = np.linspace(0.5, 0.9, 8)
    if name == "Stability":
        return kind.from_selections(np.eye(4)[[0, 0, 1]], **options)
    if name == "Expected":
        return kind(expected=values, fitness=values[::-1]).plot(**options)
    names, selected = [f"x{i}" for i in range(8)], np.arange(8) < 3
    made = kind(effects=values - 0.7, errors=values / 9, names=names, selected=selected)
    return made.plot(**options)


def contrast(colour, ground):
    """How well a colour is read on a ground, after WCAG 2."""

    def luminance(which):
        values = np.array(to_rgb(which))
        linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722)

    darker, lighter = sorted((luminance(colour), luminance(ground)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", [*OF_SELECTIONS, "Effects", "Expected", "Stability"])
def test_it_is_read_on_light_and_dark_pages(name):
    display = drawn(name)
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    ground = np.asarray(figure.canvas.buffer_rgba())[:, :, 3]
    assert ground[0, 0] == ground[-1, -1] == 0  # the page's own
    legends = [legend for legend in (ax.get_legend(), *figure.legends) if legend is not None]
    texts = [ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()]
    texts += [text for legend in legends for text in legend.get_texts()]
    for page in ("#ffffff", "#111111"):  # Jupyter's
        assert min(contrast(text.get_color(), page) for text in texts) > 3.8
    # Jupyter puts a box behind a figure if it takes its letters for dark ones, or for light ones.
    assert _fetch_figure_metadata(figure) is None


def test_papers_get_black_on_white_and_a_style_is_kept():
    paper = drawn("NestedCurve", width="single")
    assert to_hex(paper.figure_.get_facecolor()) == "#ffffff"
    assert to_hex(paper.ax_.xaxis.label.get_color()) == "#000000"
    with plt.style.context("dark_background"):
        styled = drawn("NestedCurve")
    assert to_hex(styled.figure_.get_facecolor()) == "#000000"
    assert to_hex(styled.ax_.xaxis.label.get_color()) == "#ffffff"
