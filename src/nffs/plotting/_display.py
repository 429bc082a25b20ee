"""Displays that are made from a selection, fitted just now or read from its JSON file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from nffs.errors import InputError
from nffs.selection import Phases, Selection


class SelectionDisplay(ABC):
    """A plot of a selection; subclasses say what they need of it and draw it."""

    @classmethod
    def from_selector(cls, selector: Any, ax: Any = None, **options: Any) -> Self:
        """Draw what a fitted selector found.

        Parameters
        ----------
        selector : NFFS or Selector
            Fitted.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **options
            As for `plot`.

        Returns
        -------
        display
            With `ax_` and `figure_`.
        """
        return cls.from_selection(selector.selection_, ax, **options)

    @classmethod
    def from_selection(cls, selection: Any, ax: Any = None, **options: Any) -> Self:
        """Draw what a selection says.

        Parameters
        ----------
        selection : Selection or path
            The selection, or the JSON file it was saved to.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **options
            As for `plot`.

        Returns
        -------
        display
            With `ax_` and `figure_`.
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

    @abstractmethod
    def plot(self, *args: Any, **options: Any) -> Self:
        """Draw; the axes, if any are given, come first."""
