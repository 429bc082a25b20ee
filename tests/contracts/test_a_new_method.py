"""A new method is one class: everything else comes with it."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from nffs import Selection, Selector
from nffs.cli.app import app
from nffs.methods import Choice, Method
from nffs.search import workers
from nffs.validation import nested_score, selection_stability

QUICK = {"max_evaluations": 20, "param_groups": [{"n_estimators": 3}], "random_state": 0}


@dataclass(frozen=True)
class HillClimber(Method):
    """Flip a few features of the best subset so far, again and again."""

    flips: int = 2

    name: ClassVar[str] = "climber"
    description: ClassVar[str] = "hill climbing by random flips"
    source: ClassVar[str] = "a test"

    def propose(self, space, rng, budget):
        """Propose neighbours of the best subset."""
        best, record = rng.random(space.n_features) < 0.5, -np.inf
        for _ in range(budget // 5):
            tried = np.repeat(best[None], 5, axis=0)
            for mask in tried:
                mask[rng.integers(space.n_features, size=self.flips)] ^= True
            found = yield self.round(tried)
            if found.fitness.max() > record:
                best, record = found.masks[found.fitness.argmax()], found.fitness.max()
        return Choice(best)


PATH = f"{__name__}:HillClimber"


@pytest.fixture
def fitted(connections):
    return Selector(HillClimber(), **QUICK).fit(connections.data, connections.target)


def test_json_and_transform(fitted, connections, tmp_path):
    fitted.selection_.save(tmp_path / "s.json")
    read = Selection.load(tmp_path / "s.json")
    assert read.method == "climber"
    assert list(read.selected_features) == fitted.selected_features_
    assert list(read.transform(connections.data).columns) == list(fitted.get_feature_names_out())


def test_report_and_notebook(fitted, tmp_path):
    fitted.write_report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert fitted.selected_features_[0] in page
    assert "climber" in page
    assert f"{len(fitted.selected_features_)} of" in fitted._repr_html_()


def test_journal_and_resume(fitted, connections, tmp_path, monkeypatch):
    def fit():
        selector = Selector(HillClimber(), **QUICK, journal=tmp_path / "j.db")
        return selector.fit(connections.data, connections.target)

    first = fit()
    monkeypatch.setattr(workers.JoblibWorkers, "run", None)  # nothing is left to evaluate
    again = fit()
    for selector in (first, again):
        assert selector.archive_fitness_.tolist() == fitted.archive_fitness_.tolist()


def test_validation_and_stability(connections):
    selector = Selector(HillClimber(), **{**QUICK, "max_evaluations": 10})
    X, y = connections.data, connections.target
    score = nested_score(selector, X, y, cv=3)
    assert len(score.folds) == 3
    assert selection_stability(selector, X, y, n_runs=2).selections.shape[0] == 2


def test_the_command_line(connections, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    connections.frame().write_csv("t.csv")
    (tmp_path / "mine.py").write_text(
        f"from {__name__} import HillClimber\n"
        if "." not in __name__
        else "import sys\nHillClimber = sys.modules[" + repr(__name__) + "].HillClimber\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    arguments = ["select", "t.csv", "--target", "label", "--method", "mine:HillClimber"]
    done = CliRunner().invoke(app, [*arguments, "--budget", "10", "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["method"] == "climber"
