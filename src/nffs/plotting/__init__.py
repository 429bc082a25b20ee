"""Plots of a selection for notebooks and papers, in the manner of scikit-learn's displays.

Class methods (``from_selector``, ``from_selection``, ``from_result``) make a display and draw it;
``plot`` draws it again on other axes. ``ax_`` and ``figure_`` are matplotlib's, to change what you
like. Figures are made for the screen, light or dark, or with ``width="single"`` and ``"double"``
for the columns of a paper; they leave matplotlib's settings alone.
"""

from nffs.plotting.course import CourseDisplay
from nffs.plotting.effects import EffectsDisplay
from nffs.plotting.expected import ExpectedDisplay
from nffs.plotting.fitness import FitnessDisplay
from nffs.plotting.information import MutualInformationDisplay
from nffs.plotting.nested import NestedCurveDisplay
from nffs.plotting.shift import ShiftDisplay
from nffs.plotting.stability import StabilityDisplay
from nffs.plotting.subsets import SubsetsDisplay
from nffs.plotting.weights import WeightsDisplay

__all__ = [
    "CourseDisplay",
    "EffectsDisplay",
    "ExpectedDisplay",
    "FitnessDisplay",
    "MutualInformationDisplay",
    "NestedCurveDisplay",
    "ShiftDisplay",
    "StabilityDisplay",
    "SubsetsDisplay",
    "WeightsDisplay",
]
