"""The final check: the last candidates and all features on other folds, and what is kept."""

from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, PartialWarning, StopPhase, StopSearch
from nffs.errors import FailedWarning
from nffs.search import search
from nffs.search.final import FINAL_CHECK, final_phases
from nffs.search.journal.file import FINAL, SEARCH
from nffs.search.stopping import TimeBudget

ALL, LEFT, RIGHT = (True, True), (True, False), (False, True)


def in_check(at, raised):
    """Make a callback that raises something at a subset of the final check."""
    seen = []

    def callback(progress):
        if progress.phase == FINAL_CHECK:
            seen.append(progress)
            if len(seen) == at:
                raise raised

    return callback


@pytest.fixture
def count(monkeypatch):
    """Count the subsets that are really evaluated: those of the search, those of the check."""
    from nffs.search import workers

    done = {SEARCH: [], FINAL: []}
    real = workers.evaluate

    def counted(evaluator, masks, record):
        stage = SEARCH if len(evaluator._scorers) == 3 else FINAL
        done[stage].extend(mask.tobytes() for mask in masks)
        return real(evaluator, masks, record)

    monkeypatch.setattr(workers, "evaluate", counted)
    return done


def timeless(selector):
    return replace(selector.selection_, seconds=0.0)


class TestOfASearch:
    def test_what_is_kept_is_the_checks_choice(self, quick, connections):
        selector = quick().fit(connections.data, connections.target)
        final = selector.final_
        place = final.fitness.index(selector.fitness_)
        assert len(selector.selected_features_) == final.sizes[place]
        assert selector.all_features_fitness_ == final.fitness[0]
        assert final.sizes[0] == (~selector.constant_).sum() == max(final.sizes)
        assert final.choose == "best"
        assert selector.support_.sum() == selector.transform(connections.data).shape[1]
        assert selector.selection_.final == final

    def test_the_score_is_that_of_the_selection_on_the_checks_folds(self, quick, connections):
        selector = quick().fit(connections.data, connections.target)
        ranked = quick().evaluation(connections.data, connections.target).ranked()
        mask = np.isin(ranked.features.names, selector.selected_features_)
        assert ranked.final.score(mask) == selector.fitness_
        assert len(ranked.final.rows.splits) == 10
        assert ranked.final.rows.evaluated_on == selector.evaluated_on_

    def test_whatever_the_method_chose_is_told(self, quick, connections):
        by_check, by_method = (
            quick(choose=choose).fit(connections.data, connections.target)
            for choose in ("best", "method")
        )
        assert by_method.final_ is None
        assert by_check.chosen_ == by_method.chosen_
        assert np.array_equal(by_check.archive_masks_, by_method.archive_masks_)
        assert by_method.fitness_ == by_method.archive_fitness_[by_method.chosen_]

    @pytest.mark.parametrize("choose", ["one_se", "all"])
    def test_other_rules(self, quick, connections, choose):
        selector = quick(choose=choose).fit(connections.data, connections.target)
        best = quick().fit(connections.data, connections.target)
        assert selector.final_.choose == choose
        if choose == "one_se":
            assert len(selector.selected_features_) <= len(best.selected_features_)

    def test_other_methods_may_ask_for_it(self, connections):
        from nffs import Selector

        given = {"max_evaluations": 10, "estimator": GaussianNB(), "random_state": 0}
        plain = Selector("mrmr", **given).fit(connections.data, connections.target)
        checked = Selector("mrmr", choose="best", **given).fit(connections.data, connections.target)
        assert plain.final_ is None
        assert checked.final_.sizes[0] == (~checked.constant_).sum()
        assert checked.archive_fitness_.tolist() == plain.archive_fitness_.tolist()

    def test_by_default_the_paper_has_none(self, connections):
        small = {"n_subsets": 6, "n_nested": 3, "param_groups": [{"n_estimators": 2}]}
        by_panel = NFFS(**small, random_state=0)
        by_paper = NFFS(**small, evaluator="paper", random_state=0)
        assert by_panel.fit(connections.data, connections.target).final_ is not None
        assert by_paper.fit(connections.data, connections.target).final_ is None

    @pytest.mark.parametrize("evaluator", ["panel", "logistic"])
    def test_the_scores_of_every_model(self, connections, evaluator):
        selector = NFFS(n_subsets=6, n_nested=3, evaluator=evaluator, random_state=0)
        selector.fit(connections.data, connections.target)
        final = selector.final_
        assert np.mean([m.selected for m in final.members]) == pytest.approx(selector.fitness_)
        assert np.mean([m.all_features for m in final.members]) == pytest.approx(final.fitness[0])
        if evaluator == "panel":
            assert [m.name for m in final.members] == ["forest", "logistic"]

    def test_workers_do_not_change_a_bit(self, connections):
        small = {"n_subsets": 8, "n_nested": 4, "param_groups": [{"n_estimators": 3}]}

        def fit(n_jobs):
            return timeless(
                NFFS(**small, n_jobs=n_jobs, random_state=0).fit(
                    connections.data, connections.target
                )
            )

        alone = fit(1)
        assert alone.final is not None
        assert fit(2) == alone
        with joblib.parallel_config(backend="loky"):
            assert fit(2) == alone

    def test_a_scorer_that_takes_no_guess(self, quick, connections):
        """One that looks at the estimator itself, or at the rows, cannot score a constant guess."""

        def scorer(estimator, X, y):
            assert estimator.theta_.shape[1] == X.shape[1]
            return float((estimator.predict(X) == y).mean())

        selector = quick(scoring=scorer).fit(connections.data, connections.target)
        assert selector.final_.guess is None
        assert "guess" not in selector.final_.verdict
        assert '"guess": null' in selector.selection_.to_json()


class TestStopped:
    @pytest.mark.parametrize("signal", [StopSearch, StopPhase])
    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_in_the_middle_the_candidates_so_far_count(self, quick, connections, signal, n_jobs):
        whole = quick().fit(connections.data, connections.target)
        stop = in_check(7, signal)
        selector = quick(callbacks=[stop], n_jobs=n_jobs).fit(connections.data, connections.target)
        assert not selector.partial_
        assert selector.final_.sizes == whole.final_.sizes[:7]
        assert selector.final_.fitness == whole.final_.fitness[:7]
        assert selector.fitness_ in selector.final_.fitness
        assert selector.n_evaluations_ == whole.n_evaluations_ - len(whole.final_.sizes) + 7

    def test_at_once_the_method_has_the_last_word(self, quick, connections):
        stop = in_check(1, StopSearch)
        selector = quick(callbacks=[stop]).fit(connections.data, connections.target)
        by_method = quick(choose="method").fit(connections.data, connections.target)
        assert selector.final_ is None
        assert selector.selected_features_ == by_method.selected_features_
        assert selector.fitness_ == by_method.fitness_
        assert selector.all_features_fitness_ == by_method.all_features_fitness_
        assert selector.evaluated_on_ == by_method.evaluated_on_

    def test_an_interrupt(self, quick, connections, tmp_path):
        stop = in_check(5, KeyboardInterrupt)
        total = 12 + 6 + 1 + final_phases(weighs=False)[FINAL_CHECK]
        with pytest.warns(PartialWarning, match=rf"of {total} subsets; the best"):
            selector = quick(callbacks=[stop]).fit(connections.data, connections.target)
        assert selector.partial_
        assert len(selector.final_.sizes) == 5
        selector.selection_.save(tmp_path / "s.json")

    @pytest.mark.parametrize("what", ["run_final_check", "FinalCheck"])
    def test_an_interrupt_while_nothing_is_evaluated(self, quick, connections, monkeypatch, what):
        def stop(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(search, what, stop)
        with pytest.warns(PartialWarning):
            selector = quick().fit(connections.data, connections.target)
        assert selector.partial_
        assert selector.final_ is None
        assert selector.fitness_ == selector.nested_fitness_.max()

    def test_a_time_budget_ends_it(self, quick, connections):
        budget, seen = TimeBudget(10), []

        def clock(progress):
            seen.append(progress.phase)
            in_it = seen.count(FINAL_CHECK)
            budget(replace(progress, elapsed=10.0 if in_it == 4 else 0.0))

        selector = quick(callbacks=[clock]).fit(connections.data, connections.target)
        assert seen.count(FINAL_CHECK) == len(selector.final_.sizes) == 4
        assert not selector.partial_

    def test_a_time_budget_leaves_time_for_it(self, quick, connections):
        """The phases before it end when their shares are over, not when all time is."""
        budget, seen = TimeBudget(10), []

        def clock(progress):
            seen.append(progress.phase)
            budget(replace(progress, elapsed=len(seen) * 0.25))

        quick(n_subsets=200, callbacks=[clock]).fit(connections.data, connections.target)
        phases = ["drawn subsets", "nested subsets", "all features", FINAL_CHECK]
        assert list(dict.fromkeys(seen)) == phases
        assert seen.count(FINAL_CHECK) > 5
        assert len(seen) <= 40


class TestJournal:
    def fit(self, quick, connections, path, **parameters):
        return quick(journal=path, **parameters).fit(connections.data, connections.target)

    def test_nothing_is_evaluated_twice(self, quick, connections, tmp_path, count):
        first = self.fit(quick, connections, tmp_path / "j")
        evaluated = {stage: list(done) for stage, done in count.items()}
        assert len(evaluated[FINAL]) == len(set(evaluated[FINAL])) == len(first.final_.sizes)
        again = self.fit(quick, connections, tmp_path / "j", n_jobs=2)
        assert count == evaluated
        assert timeless(again) == timeless(first)

    def test_a_check_that_was_stopped_goes_on(self, quick, connections, tmp_path, count):
        class CrashError(Exception):
            pass

        with pytest.raises(CrashError):
            self.fit(quick, connections, tmp_path / "j", callbacks=[in_check(6, CrashError)])
        assert len(count[FINAL]) >= 6
        resumed = self.fit(quick, connections, tmp_path / "j")
        assert len(count[FINAL]) == len(set(count[FINAL])) == len(resumed.final_.sizes)
        assert len(count[SEARCH]) == len(set(count[SEARCH]))
        assert timeless(resumed) == timeless(quick().fit(connections.data, connections.target))

    def test_another_rule_finds_what_was_evaluated(self, quick, connections, tmp_path, count):
        self.fit(quick, connections, tmp_path / "j")
        del count[FINAL][:]
        self.fit(quick, connections, tmp_path / "j", choose="one_se")
        assert not count[FINAL]


class TestFolds:
    """Other folds where there are any; else the same ones again."""

    def splits(self, evaluation):
        return [(s.train.tolist(), s.evaluation.tolist()) for s in evaluation.rows.splits]

    def both(self, X, y, fit=None, **parameters):
        evaluation = NFFS(estimator=GaussianNB(), random_state=0, **parameters).evaluation(
            X, y, **(fit or {})
        )
        return self.splits(evaluation), self.splits(evaluation.final), evaluation.final

    def test_ten_other_folds(self, connections):
        search, final, _ = self.both(connections.data, connections.target)
        assert (len(search), len(final)) == (3, 10)
        assert sorted(row for _, rows in final for row in rows) == list(range(400))
        search, final, _ = self.both(connections.data, connections.target, cv=10)
        assert all(fold not in final for fold in search)

    def test_five_of_many_rows(self):
        X = np.random.default_rng(0).normal(size=(20_000, 2))
        assert len(self.both(X, X[:, 0] > 0)[1]) == 5
        assert len(self.both(X[:-1], X[:-1, 0] > 0)[1]) == 10
        assert len(self.both(X, X[:, 0] > 0, cv=8)[1]) == 8

    @pytest.mark.parametrize(("rare", "folds"), [(3, 3), (4, 4), (9, 9), (11, 10)])
    def test_no_more_than_the_rows_of_a_class(self, quick, rare, folds):
        X = np.random.default_rng(0).normal(size=(120, 4))
        y = np.arange(120) < rare
        X[:, 1] += y
        selector = quick(n_nested=3).fit(X, y)
        assert selector.evaluated_on_.startswith(f"{folds}-fold stratified")
        assert all(y[rows].any() for _, rows in self.both(X, y)[1])

    def test_an_eval_set_evaluates_again(self, quick, connections):
        X, y = connections.data, connections.target
        selector = quick().fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
        assert selector.evaluated_on_ == "eval_set (100 rows given to fit)"
        # nothing random in it: the method's choice, which comes second, has the score it had
        assert selector.final_.fitness[1] == selector.archive_fitness_[selector.chosen_]
        search, final, _ = self.both(X[:300], y[:300], {"eval_set": (X[300:], y[300:])})
        assert search == final

    def test_groups_stay_together(self, quick, connections):
        X, y, groups = connections.data, connections.target, np.arange(400) // 8
        search, final, _ = self.both(X, y, {"groups": groups}, cv=GroupKFold(4))
        assert search == final
        for train, evaluation in final:
            assert not set(groups[train]) & set(groups[evaluation])
        selector = quick(cv=GroupKFold(4)).fit(X, y, groups=groups)
        assert "GroupKFold" in selector.evaluated_on_
        assert selector.final_ is not None

    def test_a_splitter_that_shuffles_shuffles_anew(self, connections):
        X, y = connections.data, connections.target
        for cv in (
            ShuffleSplit(4, random_state=3),
            StratifiedKFold(4, shuffle=True, random_state=3),
            StratifiedKFold(4, shuffle=True, random_state=np.int64(3)),
        ):
            search, final, _ = self.both(X, y, cv=cv)
            assert len(search) == len(final) == 4
            assert all(split not in final for split in search)
            assert cv.random_state == 3
            assert final == self.both(X, y, cv=cv)[1]

    def test_given_splits_are_used_again(self, quick, connections):
        rows = np.random.default_rng(0).permutation(400)
        given = [(rows[:300], rows[300:]), (rows[100:], rows[:100])]
        search, final, _ = self.both(connections.data, connections.target, cv=given)
        assert search == final
        selector = quick(cv=given).fit(connections.data, connections.target)
        assert selector.final_.fitness[1] == selector.archive_fitness_[selector.chosen_]

    def test_other_seeds(self, connections):
        evaluation = NFFS(random_state=0).evaluation(connections.data, connections.target)
        assert evaluation.final.seed != evaluation.seed
        again = NFFS(random_state=0).evaluation(connections.data, connections.target)
        assert evaluation.final.seed == again.final.seed


class Picky(GaussianNB):
    """Refuses some numbers of columns, where more than so many rows train."""

    def __init__(self, columns=(), rows=0):
        super().__init__()
        self.columns = columns
        self.rows = rows

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] in self.columns and len(X) > self.rows:
            raise MemoryError("not this one")
        return super().fit(X, y, sample_weight)


class TestFailures:
    """Of 400 rows 267 train in a search, 360 in its final check."""

    def test_a_candidate_that_fails_is_left_out(self, quick, connections):
        whole = quick().fit(connections.data, connections.target)
        size = next(s for s in whole.final_.sizes if whole.final_.sizes.count(s) == 1 and s < 40)
        with pytest.warns(FailedWarning, match="MemoryError: not this one"):
            selector = quick(estimator=Picky((size,), 300)).fit(
                connections.data, connections.target
            )
        assert size not in selector.final_.sizes
        assert len(selector.final_.sizes) >= 5
        assert len(selector.failures_) >= 1
        assert selector.fitness_ in selector.final_.fitness
        assert selector.nested_fitness_.tolist() == whole.nested_fitness_.tolist()

    def test_all_features_fail_and_the_method_has_the_last_word(self, quick, connections):
        by_method = quick(choose="method").fit(connections.data, connections.target)
        everything = int((~by_method.constant_).sum())
        with pytest.warns(FailedWarning, match="MemoryError: not this one"):
            selector = quick(estimator=Picky((everything,), 300)).fit(
                connections.data, connections.target
            )
        assert selector.final_ is None
        assert selector.selected_features_ == by_method.selected_features_
        assert selector.fitness_ == by_method.fitness_
        assert selector.all_features_fitness_ == by_method.all_features_fitness_
