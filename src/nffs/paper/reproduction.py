"""The whole reproduction for NSL-KDD, part by part."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs.evaluation import F_SCORE, PAPER_SEEDS, SEARCH_SEEDS, TestBench
from nffs.paper import description, figures, scores, searches
from nffs.paper.page import write_page
from nffs.paper.reported import NSL_KDD, ReportedSubset
from nffs.paper.tables import Table

#: The paper's protocol; it does not give its parameter groups.
PAPER_SIZES = {"n_subsets": 180, "n_top": 45, "n_bottom": 45, "n_nested": 70}

PARTS = ("tables", "figures", "search")

Step = Callable[[], object]


@dataclass
class Reproduction:
    """Reproduces the paper's experiment on a training and a test table.

    Attributes
    ----------
    X, y, X_test, y_test : tables and labels
        The data, columns named as in the paper.
    folder : Path
        Where everything goes; what is there already is not computed again.
    subsets : sequence of ReportedSubset
        The rows of tables 4 and 5, the paper's own last.
    parameters : dict
        Of the searches.
    seeds : sequence of int
        Of the runs of table 5, and of those that score a search's result.
    n_searches : int
        Searches under each protocol.
    n_jobs : int or None
        Threads.
    """

    X: Any
    y: NDArray[np.int8]
    X_test: Any
    y_test: NDArray[np.int8]
    folder: Path
    subsets: Sequence[ReportedSubset] = NSL_KDD
    parameters: dict[str, Any] = field(default_factory=lambda: dict(PAPER_SIZES))
    seeds: Sequence[int] = PAPER_SEEDS
    n_searches: int = 30
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.bench = TestBench(self.X, self.y, self.X_test, self.y_test)
        self.tables: list[Table] = []
        self.sentences: list[str] = []
        self.drawn: list[str] = []
        self.document: dict[str, Any] = {"seeds": list(self.seeds)}

    def steps(self, parts: Sequence[str]) -> int:
        """Count the steps that the parts will tell, for a progress bar."""
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
        for part in parts:
            getattr(self, f"run_{part}")(step)
        for table in self.tables:
            table.write(self.folder)
        self.document["sentences"] = self.sentences
        self.document["tables"] = [asdict(table) for table in self.tables]
        text = json.dumps(self.document, indent=1)
        (self.folder / "reproduction.json").write_text(text + "\n", encoding="utf-8")
        return write_page(self.folder, "NFFS on NSL-KDD", self.tables, self.sentences, self.drawn)

    def run_tables(self, step: Step) -> None:
        """Tables of features, classes, subsets and scores."""
        results = self._scores(step)
        self.tables += [
            description.types_table(self.X, self.X_test),
            description.classes_table(self.y, self.y_test),
            description.subsets_table(self.subsets, self.bench.encoding),
            scores.scores_table(self.subsets, results),
            scores.ordering_table(results),
        ]
        for which in ("matching", "best"):
            near = [
                scores.agreement(subset, result, which)
                for subset, result in zip(self.subsets, results, strict=True)
            ]
            self.sentences.append(
                f"With the {which} parameters {sum(row[F_SCORE] for row in near)} of {len(near)} "
                f"rows agree with the paper in F-score and {sum(all(row) for row in near)} in all "
                "five indicators (two of the paper's standard deviations, or 0.01)."
            )
        self.document["scores"] = results

    def run_figures(self, step: Step) -> None:
        """Figures 1, 4, 5, 6 and 7, and what figures 5 and 6 claim."""
        experiment = self._experiment()
        searched = experiment.fit("test", 0, step)
        plain = experiment.fit("test", 0, step, pca=None, n_nested=1)
        drawn, nested = searched.drawn_fitness_, searched.nested_fitness_
        fitness = "fitness on the test file"
        made = {
            "figure-1": figures.encodings(),
            "figure-4": figures.mi_figure(searched.mi_, searched.threshold_),
            "figure-5": figures.two_histograms(
                plain.drawn_fitness_, drawn, ("without PCA", "with PCA"), fitness
            ),
            "figure-6": figures.two_histograms(
                drawn, nested, ("drawn (phase I)", "nested (phase II)"), fitness
            ),
            "figure-7": figures.bars(self._scores(step)),
        }
        for name, figure in made.items():
            figures.save(figure, self.folder, name)
        self.drawn += list(made)
        self.sentences += [
            figures.pca_sentence(plain.drawn_fitness_, drawn),
            figures.phases_sentence(drawn, nested),
        ]

    def run_search(self, step: Step) -> None:
        """Run the searches under both protocols."""
        results = searches.resumable_searches(
            self._experiment(), self.bench, range(self.n_searches), self.folder / "searches", step
        )
        reported = self.subsets[-1].scores[F_SCORE][0]
        self.tables += [
            searches.searches_table(results, reported),
            searches.chosen_table(results),
        ]
        self.document["searches"] = results

    def _experiment(self) -> searches.Experiment:
        return searches.Experiment(
            self.X, self.y, self.X_test, self.y_test, self.parameters, self.seeds, self.n_jobs
        )

    def _scores(self, step: Step) -> list[dict[str, Any]]:
        return scores.resumable_scores(
            self.bench,
            self.subsets,
            self.folder / "scores",
            seeds=self.seeds,
            n_jobs=self.n_jobs,
            on_run=step,
        )
