"""Displays that are made from a selection, fitted just now or read from its JSON file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from nffs.selection import Selection


class SelectionDisplay(ABC):
    """A plot of a selection; subclasses say what they need of its document and draw it."""

    @classmethod
    def from_selector(cls, selector: Any, ax: Any = None, **options: Any) -> Self:
        """Draw what a fitted selector found.

        Parameters
        ----------
        selector : NFFS
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
        """Draw what a selection tells.

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
        return cls._from_document(selection.document).plot(ax, **options)

    @classmethod
    @abstractmethod
    def _from_document(cls, document: Mapping[str, Any]) -> Self:
        """Take what is to be drawn from a selection's document."""

    @abstractmethod
    def plot(self, *args: Any, **options: Any) -> Self:
        """Draw; the axes, if any are given, come first."""
