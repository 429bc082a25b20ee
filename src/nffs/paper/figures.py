"""The paper's figures, as SVG and PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu, wilcoxon

from nffs.atomic import replacing
from nffs.paper.scores import INDICATORS
from nffs.plotting import FitnessDisplay, MutualInformationDisplay
from nffs.report.palette import BAR, BLUE
from nffs.validation.given import F_SCORE


def draw_all(
    values: dict[str, Any], results: Sequence[dict[str, Any]], mark: str = ""
) -> dict[str, Figure]:
    """Draw every figure from the numbers of the illustration and of the reported subsets, by name.

    The mark is written above every figure that shows results.
    """
    drawn, nested, plain = values["drawn"], values["nested"], values["drawn_without_pca"]
    made = {
        "figure-4": mi_figure(values["mi"], values["threshold"], values["paper_threshold"]),
        "figure-5": fitness_figure({"without PCA": plain, "with PCA": drawn}),
        "figure-6": fitness_figure({"drawn (phase I)": drawn, "nested (phase II)": nested}),
        "figure-7": bars(results),
    }
    for figure in made.values():
        if mark:
            figure.suptitle(mark, fontsize="medium")
    return {"figure-1": encodings(), **made}


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as SVG and PNG."""
    save_svg(figure, folder, name)
    with replacing(folder / f"{name}.png") as file:
        figure.savefig(file, dpi=150)


def save_svg(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as SVG; the same figure gives the same file."""
    with (
        matplotlib.rc_context({"svg.hashsalt": name}),
        replacing(folder / f"{name}.svg") as file,
    ):
        figure.savefig(file, metadata={"Date": None})


def encodings() -> Figure:
    """Figure 1: one-hot and ordinal encoding of the same column."""
    colours = ["A", "B", "C", "A", "D", "B", "C"]
    kinds = sorted(set(colours))
    one_hot = [[str(int(colour == kind)) for kind in kinds] for colour in colours]
    ordinal = [[str(kinds.index(colour))] for colour in colours]
    figure = Figure(figsize=(5, 2.2), layout="constrained")
    shown = (
        ("raw", ["Color"], [[c] for c in colours]),
        ("one-hot", [f"Color_{kind}" for kind in kinds], one_hot),
        ("ordinal", ["Color"], ordinal),
    )
    places = figure.subplots(1, 3, width_ratios=[1, 4, 1])
    for axes, (title, header, rows) in zip(places, shown, strict=True):
        axes.axis("off")
        axes.set_title(title)
        table = axes.table(cellText=rows, colLabels=header, loc="center", cellLoc="center")
        table.auto_set_font_size(False)
        table.set_fontsize(9)
        table.scale(1, 1.1)
    return figure


def mi_figure(mi: Sequence[float], threshold: float, paper_threshold: float | None) -> Figure:
    """Figure 4: the histogram of mutual information with the threshold."""
    figure, axes = _figure()
    MutualInformationDisplay(mi=mi, names=(), threshold=threshold).plot(axes, kind="histogram")
    if paper_threshold is not None:
        label = f"the paper's {paper_threshold}"
        axes.axvline(paper_threshold, color=BLUE, linestyle=":", label=label)
        axes.legend()
    return figure


def fitness_figure(series: Mapping[str, Sequence[float]]) -> Figure:
    """Figures 5 and 6: two distributions of fitness."""
    figure, axes = _figure()
    FitnessDisplay(series=series, scoring="fitness on the test rows").plot(axes)
    return figure


def bars(results: Sequence[dict[str, Any]]) -> Figure:
    """Figure 7: F-score and AUC of the reported subsets, with deviations."""
    figure, axes = _figure(5, 3.2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_ylabel("score")
    places = np.arange(len(results))
    for shift, at, colour in ((-0.2, F_SCORE, BLUE), (0.2, INDICATORS.index("AUC"), BAR)):
        axes.bar(
            places + shift,
            [r["best"]["mean"][at] for r in results],
            0.4,
            yerr=[r["best"]["std"][at] for r in results],
            label=INDICATORS[at],
            color=colour,
            capsize=2,
        )
    axes.set_xticks(places, [r["method"] for r in results], rotation=40, ha="right")
    axes.set_ylim(0.5, 1.05)
    axes.legend(loc="upper left", ncols=2)
    return figure


def pca_sentence(without: NDArray[np.float64], with_pca: NDArray[np.float64]) -> str:
    """Answer figure 5's claim: the same subsets, with PCA and without."""
    difference = with_pca - without
    p = wilcoxon(difference).pvalue
    return (
        "PCA, that is, principal components of the columns instead of the columns themselves, "
        f"changes the fitness of the same {len(difference)} drawn subsets by "
        f"{difference.mean():+.4f} on average (standard deviation {difference.std(ddof=1):.4f}). "
        f"It is higher with PCA for {(difference > 0).mean():.0%} of them (paired Wilcoxon p "
        f"{p:.1g})."
    )


def phases_sentence(drawn: NDArray[np.float64], nested: NDArray[np.float64]) -> str:
    """Answer figure 6's claim: the subsets of phase II against those of phase I."""
    p = mannwhitneyu(nested, drawn).pvalue
    return (
        f"The nested subsets have a median fitness of {np.median(nested):.4f} and a mean of "
        f"{nested.mean():.4f}±{nested.std(ddof=1):.4f}, the drawn ones a median of "
        f"{np.median(drawn):.4f} and a mean of {drawn.mean():.4f}±{drawn.std(ddof=1):.4f} "
        f"(Mann-Whitney p {p:.1g}). Nested subsets of few features score low. The best nested "
        f"subset scores {nested.max():.4f}, the best drawn one {drawn.max():.4f}: a difference of "
        f"{nested.max() - drawn.max():+.4f}."
    )


def _figure(width: float = 5, height: float = 3) -> tuple[Figure, Any]:
    # Not pyplot's, which would keep the figures.
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()
