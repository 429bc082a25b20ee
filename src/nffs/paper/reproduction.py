"""The whole reproduction of the paper's experiment on one data set, part by part."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from nffs.atomic import write_text
from nffs.paper import description, figures, scores, searches
from nffs.paper.report import render_reproduction
from nffs.paper.reported import NSL_KDD, ReportedSubset
from nffs.paper.searches import Experiment, Step
from nffs.paper.tables import Table
from nffs.table.encoding import Encoding
from nffs.validation.given import F_SCORE, PAPER_SEEDS, SEARCH_SEEDS
from nffs.validation.kept import KeptResults

#: The paper's protocol; it does not give its parameter groups.
PAPER_SIZES = {"n_subsets": 180, "n_top": 45, "n_bottom": 45, "n_nested": 70}

#: The parts, and the folders that keep their results.
PARTS = {"tables": ("scores",), "figures": ("scores", "searches"), "search": ("searches",)}


@dataclass
class Reproduction(Experiment):
    """Reproduces the paper's experiment on tables whose columns are named as in the paper.

    What the same reproduction has in its folder already is not computed again. The last of the
    subsets is the paper's own. `stand_in` is what to say of rows that are not the paper's: then
    nothing is set beside the paper's numbers, and every table and figure is marked.
    """

    folder: Path
    _: KW_ONLY
    subsets: Sequence[ReportedSubset] = NSL_KDD
    parameters: dict[str, Any] = field(default_factory=lambda: dict(PAPER_SIZES))
    seeds: Sequence[int] = PAPER_SEEDS
    n_searches: int = 30
    title: str = "NFFS on NSL-KDD"
    paper_threshold: float | None = 0.05
    stand_in: str = ""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.stand_in:
            self.subsets = [_that_occur(subset, self.bench.encoding) for subset in self.subsets]
        self.tables: list[Table] = []
        self.sentences: list[str] = [self.stand_in] if self.stand_in else []
        self.document: dict[str, Any] = {"seeds": list(self.seeds)}

    def steps(self, parts: Sequence[str]) -> int:
        """Count the steps of some parts, for a progress bar."""
        per_search = self.parameters["n_subsets"] + self.parameters["n_nested"] + 1
        scored = len(self.subsets) * (len(self.seeds) + len(SEARCH_SEEDS))
        steps = {
            "tables": scored,
            "figures": scored + per_search + self.parameters["n_subsets"] + 2,
            "search": 2 * self.n_searches * per_search,
        }
        return sum(steps[part] for part in parts)

    def run(self, parts: Sequence[str], step: Step) -> Path:
        """Run the parts and write tables, figures, one JSON file and one page."""
        # The folders of another reproduction are refused before the work, not after it.
        self.kept = {name: self._open(name) for part in parts for name in PARTS[part]}
        for part in parts:
            getattr(self, f"run_{part}")(step)
        mark = "Stand-in split" if self.stand_in else ""
        if mark:
            self.tables = [replace(t, title=f"{mark}: {t.title}") for t in self.tables]
        for table in self.tables:
            table.write(self.folder)
        drawn: dict[str, Figure] = {}
        if "figures" in self.document:
            drawn = figures.draw_all(self.document["figures"], self.document["scores"], mark)
        for name, figure in drawn.items():
            figures.save(figure, self.folder, name)
        title = f"{self.title}: {mark.lower()}" if mark else self.title
        self.document |= {
            "title": title,
            "stand_in": bool(mark),
            "sentences": self.sentences,
            "tables": [asdict(table) for table in self.tables],
        }
        write_text(self.folder / "reproduction.json", json.dumps(self.document, indent=1) + "\n")
        shown = {name: (self.folder / f"{name}.svg").read_bytes() for name in drawn}
        page = self.folder / "index.html"
        write_text(page, render_reproduction(self.document, self.subsets, shown, self.stand_in))
        return page

    def run_tables(self, step: Step) -> None:
        """Tables of features, classes, subsets and scores."""
        results = self._scores(step)
        self.tables += [
            description.types_table(self.X, self.X_test),
            description.classes_table(self.y, self.y_test),
            description.subsets_table(self.subsets, self.bench.encoding),
            (
                scores.own_scores_table(results)
                if self.stand_in
                else scores.scores_table(self.subsets, results)
            ),
            scores.ordering_table(results),
        ]
        self.sentences.append(scores.ordering_sentence(results))
        for which in () if self.stand_in else ("matching", "best"):
            near = [
                scores.agreement(subset, result, which)
                for subset, result in zip(self.subsets, results, strict=True)
            ]
            self.sentences.append(
                f"With the {which} parameters, {sum(row[F_SCORE] for row in near)} of {len(near)} "
                "reported subsets agree with the paper in F-score, and "
                f"{sum(all(row) for row in near)} in all five indicators. Scores agree if they "
                "differ by at most two of the paper's standard deviations, or by 0.01."
            )
        self.document["scores"] = results

    def run_figures(self, step: Step) -> None:
        """Figures 1, 4, 5, 6 and 7, and what figures 5 and 6 claim."""
        found = searches.resumable_illustration(self, self.kept["searches"], step)
        self.document["scores"] = self._scores(step)
        self.document["figures"] = {
            "paper_threshold": self.paper_threshold,
            **{name: np.round(values, 6).tolist() for name, values in found.items()},
        }
        names = ("drawn", "drawn_without_pca", "nested")
        drawn, plain, nested = (np.array(found[name]) for name in names)
        self.sentences.append(figures.pca_sentence(plain, drawn))
        self.sentences.append(figures.phases_sentence(drawn, nested))

    def run_search(self, step: Step) -> None:
        """Run the searches under both protocols."""
        seeds, kept = range(self.n_searches), self.kept["searches"]
        results = searches.resumable_searches(self, seeds, kept, step)
        reported = None if self.stand_in else self.subsets[-1].scores[F_SCORE][0]
        self.tables += [searches.searches_table(results, reported), searches.chosen_table(results)]
        self.sentences += [searches.honesty_sentence(results), searches.phases_sentence(results)]
        # What each subset of each search scored stays in the searches' own files.
        large = ("drawn_fitness", "nested_fitness")
        self.document["searches"] = [
            {key: value for key, value in result.items() if key not in large} for result in results
        ]

    def _scores(self, step: Step) -> list[dict[str, Any]]:
        given = self.bench, self.subsets, self.seeds, self.kept["scores"]
        return scores.resumable_scores(*given, n_jobs=self.n_jobs, on_run=step)

    def _open(self, name: str) -> KeptResults:
        """Open a folder of kept results; one of another reproduction is refused."""
        identity = (
            scores.scores_identity(self.bench, self.subsets, self.seeds)
            if name == "scores"
            else searches.searches_identity(self)
        )
        return KeptResults(self.folder / name, identity, "reproduction")


def _that_occur(subset: ReportedSubset, encoding: Encoding) -> ReportedSubset:
    """Leave out categories that a part of the rows may lack."""
    known = set(encoding.names) | set(encoding.kinds)
    kept = tuple(name for name in subset.features if name in known)
    lacking = len(subset.features) - len(kept)
    if not lacking:
        return subset
    notes = [subset.note] if subset.note else []
    note = "; ".join([*notes, f"{lacking} of its categories not in these rows"])
    return replace(subset, features=kept, note=note)
