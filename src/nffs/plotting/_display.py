"""What displays of a selection share: where it comes from, and how each sort of them is plotted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from nffs.errors import InputError
from nffs.plotting._canvas import Canvas, Width, check_shown, level, plain, rows_caption
from nffs.selection import Learned, Phases, Selection


class SelectionDisplay(ABC):
    """A plot of a selection; subclasses say what they need of it and draw it."""

    @classmethod
    def from_selector(cls, selector: Any, ax: Any = None, **options: Any) -> Self:
        """Draw what a fitted `NFFS` or `Selector` found, as `from_selection` does."""
        return cls.from_selection(selector.selection_, ax, **options)

    @classmethod
    def from_selection(cls, selection: Any, ax: Any = None, **options: Any) -> Self:
        """Draw the plot of a selection.

        Parameters
        ----------
        selection : Selection or path
            The selection, or the JSON file it was saved to.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **options
            Options of `plot`. All displays accept the `width` of a new figure: 'screen', the
            default; 'single' or 'double', for one or two columns of a paper, on white and in small
            type; or a number of inches.
        """
        if not isinstance(selection, Selection):
            selection = Selection.load(selection)
        return cls._of(selection).plot(ax, **options)

    @classmethod
    @abstractmethod
    def _of(cls, selection: Selection) -> Self:
        """Take what is to be drawn from a selection."""

    @classmethod
    def _phases(cls, selection: Selection) -> Phases:
        """Give the phases of the paper's method, or say that there are none."""
        if selection.phases is None:
            raise InputError(
                f"selection: {cls.__name__} shows the phases of NFFS, and the method "
                f"{selection.method!r} has none; use SubsetsDisplay or FitnessDisplay."
            )
        return selection.phases

    @classmethod
    def _learned(cls, selection: Selection) -> Learned:
        """Give what the model of the guided search learned, or say that there was none."""
        if selection.learned is None:
            raise InputError(
                f"selection: {cls.__name__} shows what the model of the guided search learned, "
                f"and the method {selection.method!r} has none; select with the method 'guided'."
            )
        return selection.learned

    @abstractmethod
    def plot(self, *args: Any, **options: Any) -> Self:
        """Draw; the axes, if any are given, come first."""


class FeaturesDisplay(SelectionDisplay):
    """A plot of a value of every feature: the first with their names, or all of them."""

    #: What `kind` may be; the second shows all features.
    KINDS: ClassVar[tuple[str, str]]

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "bars",
        n_features: int = 20,
        width: Width = "screen",
    ) -> Self:
        """Draw; `ax` and `width` as for `from_selection`.

        Parameters
        ----------
        kind : str, default='bars'
            'bars' has a bar with its name for each of the first features; the other kind, which
            the display names, shows all features.
        n_features : int, default=20
            The most bars with names.
        """
        if kind not in self.KINDS:
            raise InputError(f"kind: must be {' or '.join(map(repr, self.KINDS))}, found {kind!r}.")
        n_features = check_shown(n_features)
        canvas = (
            self._plot_first(ax, width, n_features) if kind == "bars" else self._plot_all(ax, width)
        )
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self

    @abstractmethod
    def _plot_first(self, ax: Any, width: Width, n_features: int) -> Canvas:
        """Draw bars with names."""

    @abstractmethod
    def _plot_all(self, ax: Any, width: Width) -> Canvas:
        """Draw all features."""


@dataclass(kw_only=True, eq=False, repr=False)
class ScoresDisplay(SelectionDisplay):
    """A plot of scores: what they measure, on which rows, and the score of all features.

    Those are the rows of the search: a final check has others.
    """

    all_features: float | None = None
    scoring: str = "fitness"
    evaluated_on: str = ""

    @staticmethod
    def _about(selection: Selection) -> dict[str, Any]:
        return {
            "all_features": selection.searched_all_features,
            "scoring": selection.scoring,
            "evaluated_on": selection.searched_on,
        }


@dataclass(kw_only=True, eq=False, repr=False)
class SizesDisplay(ScoresDisplay):
    """A plot of scores against the number of features; subclasses draw the scores."""

    checked: bool = False

    @staticmethod
    def _about(selection: Selection) -> dict[str, Any]:
        return {**ScoresDisplay._about(selection), "checked": selection.final is not None}

    def plot(self, ax: Any = None, *, width: Width = "screen") -> Self:
        """Draw; `ax` and `width` as for `from_selection`."""
        canvas = Canvas(ax, width, 2.7)
        level(canvas, self.all_features)
        self._plot_scores(canvas)
        canvas.ax.xaxis.get_major_locator().set_params(integer=True)
        caption = rows_caption(self.evaluated_on)
        if caption and self.checked:
            caption += "; the chosen subset in the final check"
        canvas.finish("number of features", plain(self.scoring), caption=caption, legend="below")
        self.ax_, self.figure_ = canvas.ax, canvas.figure
        return self

    @abstractmethod
    def _plot_scores(self, canvas: Canvas) -> None:
        """Draw scores by size."""
