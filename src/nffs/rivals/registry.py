"""All methods by name."""

from __future__ import annotations

from nffs.errors import InputError, quoted
from nffs.rivals._base import Method
from nffs.rivals.baselines import AllColumns, RandomSearch
from nffs.rivals.bat import BatAlgorithm
from nffs.rivals.established import (
    Boruta,
    ForestRFECV,
    FromModel,
    KBest,
    Sequential,
)
from nffs.rivals.filters import FMIFS, MIFS, MIFSU, MRMR, NMIFS, InformationGain
from nffs.rivals.frequencies import NormalizedFrequencies
from nffs.rivals.genetic import GAMIFS, GeneticAlgorithm
from nffs.rivals.particles import ParticleSwarm
from nffs.rivals.pigeons import CosinePigeons, SigmoidPigeons
from nffs.rivals.rough_sets import RoughSetParticles, RoughSetWaves
from nffs.rivals.rules import AssociationRules, RuleBased
from nffs.rivals.salps import SalpSwarm
from nffs.rivals.waves import WaterWaves

_ALL: tuple[type[Method], ...] = (
    NormalizedFrequencies,
    InformationGain,
    MIFS,
    MIFSU,
    MRMR,
    NMIFS,
    FMIFS,
    GeneticAlgorithm,
    GAMIFS,
    BatAlgorithm,
    ParticleSwarm,
    SigmoidPigeons,
    CosinePigeons,
    SalpSwarm,
    WaterWaves,
    RoughSetParticles,
    RoughSetWaves,
    AssociationRules,
    RuleBased,
    KBest,
    ForestRFECV,
    Sequential,
    FromModel,
    Boruta,
    RandomSearch,
    AllColumns,
)

#: Every method by its name: call it to make one with its default parameters, ``METHODS["pso"]()``;
#: its `description` is one line and its `source` says who published it.
METHODS: dict[str, type[Method]] = {method.name: method for method in _ALL}


def method_of(method: str | Method) -> Method:
    """Give a method by its name, or the one that was given."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str) or method not in METHODS:
        raise InputError(
            f"method: {method!r} is not a method; choose one of {quoted(METHODS, len(METHODS))}."
        )
    return METHODS[method]()
