"""All methods by name."""

from __future__ import annotations

from nffs.errors import InputError, quoted
from nffs.methods.baselines import AllColumns, RandomSearch
from nffs.methods.bat import BatAlgorithm
from nffs.methods.established import (
    Boruta,
    ForestRFECV,
    FromModel,
    KBest,
    Sequential,
)
from nffs.methods.filters import FMIFS, MIFS, MIFSU, MRMR, NMIFS, InformationGain
from nffs.methods.genetic import GAMIFS, GeneticAlgorithm
from nffs.methods.nffs import NormalizedFrequencies
from nffs.methods.particles import ParticleSwarm
from nffs.methods.pigeons import CosinePigeons, SigmoidPigeons
from nffs.methods.rough_sets import RoughSetParticles, RoughSetWaves
from nffs.methods.rules import AssociationRules, RuleBased
from nffs.methods.salps import SalpSwarm
from nffs.methods.waves import WaterWaves
from nffs.search.method import Method

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
