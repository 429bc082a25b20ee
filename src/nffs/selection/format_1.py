"""Files of format 1, from the first version on, as the parts of a selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nffs.selection.parts import Column, Feature, Phases
from nffs.selection.typed import parse
from nffs.table.encoding import EncodedColumn
from nffs.table.features import Unit


@dataclass(frozen=True)
class _Feature:
    """A feature as it stood in the file; the first files did not tell its column."""

    name: str
    mi: float
    probability: float
    top: int
    bottom: int
    weight: float
    rank: int
    selected: bool
    column: str | None = None
    category: str | None = None


@dataclass(frozen=True)
class _Document:
    """A file of format 1; what has a default was added after the first version."""

    nffs_version: str
    selected_features: tuple[str, ...]
    unit: Unit
    fitness: float
    all_features_fitness: float | None
    scoring: str
    threshold: float
    seed: int
    classes: tuple[str | bool | int | float, ...]
    evaluations: int
    seconds: float
    parameters: dict[str, Any]
    encoded_features: tuple[str, ...]
    features: tuple[_Feature, ...]
    drawn_fitness: tuple[float, ...]
    nested_fitness: tuple[float, ...]
    transform: tuple[EncodedColumn, ...]
    judged_on: str = "not known"
    evaluated_on: str | None = None
    partial: bool = False
    standard_error: float | None = None
    one_se_features: tuple[str, ...] = ()
    nested_sizes: tuple[int, ...] | None = None
    nested_standard_errors: tuple[float, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    fingerprint: dict[str, str] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()


def parts_of(document: Any) -> dict[str, Any]:
    """Gather what a `Selection` holds, by the names of its fields.

    Format 1 did not keep the sizes of drawn subsets: the evaluated subsets are then the nested
    ones, and features are counted in those.
    """
    parts = dict(vars(parse(_Document, document)))
    features, fitness = parts.pop("features"), parts.pop("nested_fitness")
    stopped = len(fitness) == 1  # in phase I: the one subset is the best drawn one
    plain_sizes = [len(parts["selected_features"])] if stopped else range(1, len(fitness) + 1)
    sizes = parts.pop("nested_sizes")
    sizes = tuple(plain_sizes) if sizes is None else sizes
    by_feature = ("probability", "top", "bottom", "weight", "rank")
    phases: dict[str, Any] = {
        **{name: tuple(getattr(f, name) for f in features) for name in by_feature},
        **{name: parts.pop(name) for name in Phases.__annotations__ if name in parts},
    }
    judged_on, version, output = (parts.pop(k) for k in ("judged_on", "nffs_version", "transform"))
    return {
        **parts,
        "method": "nffs",
        "evaluated_on": parts["evaluated_on"] or judged_on,
        "versions": {"nffs": version, **parts["versions"]},
        "features": tuple(
            Feature(
                name=f.name,
                column=f.name if f.column is None else f.column,
                category=f.category,
                mi=f.mi,
                constant=f.probability == 0,
                selected=f.selected,
                subsets=int(f.selected)
                if len(sizes) == 1
                else sum(size >= f.rank for size in sizes),
            )
            for f in features
        ),
        "subset_sizes": sizes,
        "subset_fitness": fitness,
        "output_columns": output,
        "phases": Phases(nested_sizes=sizes, nested_fitness=fitness, **phases),
    }
