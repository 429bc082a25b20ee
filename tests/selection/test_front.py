"""The front: what no smaller subset beats, kept in the file, and one of it picked from there."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nffs import NFFS, InputError, Selection, Selector
from nffs.selection import front, front_places

SMALL = {"param_groups": [{"n_estimators": 5}], "random_state": 0}


@pytest.fixture(scope="module")
def checked(connections):
    """A selector with a final check."""
    selector = NFFS(n_subsets=12, n_nested=8, **SMALL)
    return selector.fit(connections.data, connections.target)


@pytest.fixture(scope="module")
def genetic(connections):
    """A selector whose method has the last word."""
    selector = Selector("ga", max_evaluations=30, **SMALL)
    return selector.fit(connections.data, connections.target)


@pytest.fixture
def loaded(tmp_path):
    """Load a document from a file."""

    def load(document):
        path = tmp_path / "selection.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return Selection.load(path)

    return load


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9)), min_size=1, max_size=30))
def test_a_subset_is_on_the_front_or_one_as_small_is_as_good(subsets):
    sizes, fitness = zip(*subsets, strict=True)
    places = front_places(sizes, fitness)
    on_it = [subsets[place] for place in places]
    assert on_it == sorted(on_it)
    assert len(set(on_it)) == len({size for size, _ in on_it}) == len({f for _, f in on_it})
    for size, score in subsets:
        assert any(s <= size and f >= score for s, f in on_it)


class TestOfASearch:
    def test_its_points_are_subsets_that_were_evaluated(self, genetic):
        known = {
            mask.nonzero()[0].tobytes(): score
            for mask, score in zip(genetic.archive_masks_, genetic.archive_fitness_, strict=True)
        }
        for point in genetic.front_:
            assert known[np.array(point.features).tobytes()] == point.fitness
            assert point.check is None
        assert genetic.front_[-1].fitness == genetic.archive_fitness_.max()

    def test_the_best_of_at_most_so_many(self, genetic, connections):
        sizes = genetic.archive_masks_.sum(axis=1)
        most = int(sizes[sizes < len(genetic.selected_features_)].max())
        small = genetic.selection_.at_most(most)
        assert small.fitness == genetic.archive_fitness_[sizes <= most].max()
        assert len(small.selected_features) <= most
        assert small.transform(connections.data).columns == list(small.selected_features)
        assert small.picked == most
        assert f"(at most {most} asked for)" in repr(small)
        assert small.all_features_fitness == genetic.all_features_fitness_

    def test_a_number_of_numpys_is_one_too(self, genetic):
        n = genetic.front_[0].size
        assert '"picked": ' in genetic.selection_.at_most(np.int64(n)).to_json()

    def test_what_is_small_enough_stays(self, genetic):
        selection = genetic.selection_
        assert selection.at_most(len(selection.selected_features)) is selection

    def test_any_size_of_the_front_can_be_had(self, genetic, connections):
        small = genetic.selection_.at_most(genetic.front_[0].size)
        for point in genetic.front_:
            taken = small.of_size(point.size)
            assert (len(taken.selected_features), taken.fitness) == (point.size, point.fitness)
            assert taken.transform(connections.data).columns == list(taken.selected_features)
        assert taken.of_size(point.size) is taken

    def test_a_size_that_is_not_on_it(self, genetic):
        sizes = {point.size for point in genetic.front_}
        other = next(n for n in range(1, 50) if n not in {*sizes, len(genetic.selected_features_)})
        with pytest.raises(InputError, match=rf"n_features: no subset of {other} is on the front"):
            genetic.selection_.of_size(other)


class TestOfAFinalCheck:
    def test_its_scores_are_those_of_the_check(self, checked):
        final = checked.final_
        for point in checked.front_:
            best = max(
                f for s, f in zip(final.sizes, final.fitness, strict=True) if s == point.size
            )
            assert point.fitness == best
            assert point.check.verdict
        assert checked.front_[-1].fitness == max(final.fitness)

    def test_the_picked_one_has_a_verdict_of_its_own(self, checked):
        selection = checked.selection_
        small = selection.at_most(3)
        n = len(small.selected_features)
        assert n <= 3 < len(selection.selected_features)
        assert f"{n} of {len(checked.features_)} features" in small.final.verdict
        assert [m.all_features for m in small.final.members] == [
            m.all_features for m in selection.final.members
        ]
        assert np.mean([m.selected for m in small.final.members]) == pytest.approx(small.fitness)
        assert small.final.searched_on == selection.final.searched_on
        assert small.unseen is None

    def test_constraints_hold(self, connections):
        selector = NFFS(
            n_subsets=12, n_nested=8, include="noise_01", together=[["src_bytes", "dst_bytes"]],
            min_features=3, max_features=9, **SMALL,
        )  # fmt: skip
        selector.fit(connections.data, connections.target)
        pair = {"src_bytes", "dst_bytes"}
        for point in selector.front_:
            names = {selector.features_[i] for i in point.features}
            assert "noise_01" in names
            assert len(names & pair) in (0, 2)
            assert 3 <= point.size == len(names) <= 9


@pytest.mark.parametrize(
    "options", [{}, {"unit": "column"}, {"min_frequency": 30}, {"categories": "cluster"}]
)
def test_a_file_gives_the_same(connections, options, loaded):
    selector = Selector("ga", max_evaluations=20, **options, **SMALL)
    selection = selector.fit(connections.data, connections.target).selection_
    again = loaded(selection.to_json())
    assert again == selection
    for point in selection.front.points:
        small = again.at_most(point.size)
        assert small == selection.at_most(point.size)
        assert small.fitness == point.fitness or len(small.selected_features) < point.size
        assert small.transform(connections.data).columns == small.feature_names_out
        assert loaded(small.to_json()) == small


class TestRefused:
    @pytest.mark.parametrize("n", [0, -1, 2.5, "3", None])
    def test_what_is_no_number_of_features(self, genetic, n):
        with pytest.raises(InputError, match=f"n_features: must be at least 1, found {n!r}"):
            genetic.selection_.at_most(n)

    def test_fewer_than_any_subset_has(self, connections):
        selector = Selector("ga", max_evaluations=5, min_features=4, max_features=30, **SMALL)
        selection = selector.fit(connections.data, connections.target).selection_
        with pytest.raises(InputError, match=r"no subset of at most 3 .*\. Select again with max"):
            selection.at_most(3)

    def test_files_of_before(self, genetic, loaded):
        document = json.loads(genetic.selection_.to_json())
        for key in ("front", "learned", "picked"):
            del document[key]
        with pytest.raises(InputError, match=r"earlier version.*select again, with max_features=2"):
            loaded(document).at_most(2)

    def test_subsets_too_large_to_be_listed(self, connections, monkeypatch, loaded):
        monkeypatch.setattr(front, "MOST_LISTED", 12)
        selector = Selector("ig", max_evaluations=20, **SMALL)
        selection = selector.fit(connections.data, connections.target).selection_
        listed = [point.size for point in selection.front.points if point.features is not None]
        left_out = [point.size for point in selection.front.points if point.features is None]
        assert sum(listed) <= 12 < sum(listed) + left_out[0]
        assert loaded(selection.to_json()) == selection
        assert len(selection.at_most(listed[-1]).selected_features) == listed[-1]
        with pytest.raises(InputError, match=f"too many to be listed; ask for {left_out[0] - 1} "):
            selection.at_most(left_out[0])

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (lambda f: f["points"].clear(), "at 'front.points' where rising sizes"),
            (lambda f: f["points"].reverse(), "at 'front.points' where rising sizes"),
            (lambda f: f["columns"].clear(), "at 'front.columns' where those of all features"),
            (
                lambda f: f["points"][0]["features"].append(0),
                r"points\[0\].features' where .* diff",
            ),
            (
                lambda f: f["points"][0].update(features=[10**6] * f["points"][0]["size"]),
                r"points\[0\].features' where",
            ),
        ],
    )
    def test_a_front_that_does_not_fit(self, genetic, loaded, change, sentence):
        document = json.loads(genetic.selection_.to_json())
        change(document["front"])
        with pytest.raises(InputError, match=sentence):
            loaded(document)
