"""Files of format 1, from the first version on, as documents of the format that is written now."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from nffs.selection.parts import Column
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


def migrate(document: Any) -> dict[str, Any]:
    """Give a document of format 1 in the form of format 2.

    Format 1 did not keep the sizes of drawn subsets: the evaluated subsets are then the nested
    ones, and features are counted in those.

    Parameters
    ----------
    document : dict
        As it was read from the file.

    Returns
    -------
    dict
        To be read like a file of format 2.
    """
    old: _Document = parse(_Document, document)
    sizes = _nested_sizes(old)
    kept = {"seed", "unit", "fitness", "standard_error", "all_features_fitness", "scoring"}
    kept |= {"classes", "partial", "evaluations", "seconds", "parameters", "fingerprint"}
    kept |= {"selected_features", "encoded_features", "columns"}
    made: dict[str, Any] = _as_json(
        {
            "method": "nffs",
            "evaluated_on": old.evaluated_on or old.judged_on,
            "versions": {"nffs": old.nffs_version, **old.versions},
            **{name: value for name, value in asdict(old).items() if name in kept},
            "features": [
                {
                    "name": f.name,
                    "column": f.name if f.column is None else f.column,
                    "category": f.category,
                    "mi": f.mi,
                    "constant": f.probability == 0,
                    "selected": f.selected,
                    "subsets": int(f.selected)
                    if len(sizes) == 1
                    else sum(size >= f.rank for size in sizes),
                }
                for f in old.features
            ],
            "subset_sizes": sizes,
            "subset_fitness": old.nested_fitness,
            "output_columns": [asdict(column) for column in old.transform],
            "phases": {
                "threshold": old.threshold,
                "one_se_features": old.one_se_features,
                "drawn_fitness": old.drawn_fitness,
                "nested_sizes": sizes,
                "nested_fitness": old.nested_fitness,
                "nested_standard_errors": old.nested_standard_errors,
                **{
                    name: [getattr(f, name) for f in old.features]
                    for name in ("probability", "top", "bottom", "weight", "rank")
                },
            },
        }
    )
    return made


def _nested_sizes(old: _Document) -> tuple[int, ...]:
    if old.nested_sizes is not None:
        return old.nested_sizes
    if len(old.nested_fitness) == 1:  # a search that was stopped: the best drawn subset
        return (len(old.selected_features),)
    return tuple(range(1, len(old.nested_fitness) + 1))


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    return [_as_json(item) for item in value] if isinstance(value, list | tuple) else value
