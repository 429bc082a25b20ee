"""`categories="cluster"`: learned from the rows that train, in every split, and from no others."""

import numpy as np
import pandas as pd
import pytest

from nffs import NFFS, InputError, ParquetTable
from nffs.errors import AdjustedWarning
from nffs.fitness.splits import Split

SMALL = {
    "n_subsets": 6, "n_nested": 2, "cv": 2, "random_state": 0, "categories": "cluster",
    "evaluator": "logistic", "choose": "method",
}  # fmt: skip

FEW = {**SMALL, "n_nested": 1}

RNG = np.random.default_rng(0)
N = 600
SHARES = {"http": 0.1, "smtp": 0.12, "ftp": 0.85, "telnet": 0.9, "dns": 0.5, None: 0.5}
SERVICE = RNG.choice(list(SHARES), N)
X = pd.DataFrame(
    {
        "service": SERVICE,
        "size": RNG.normal(size=N),
        "zone": RNG.choice(["north", "south"], N),
    }
)
Y = np.where(RNG.random(N) < [SHARES[s] for s in SERVICE], "attack", "normal")


def columns_of(evaluation, split, rows):
    return evaluation.rows.filled(split).matrix[rows]


class TestLearnedFromTheRowsThatTrain:
    evaluation = NFFS(**SMALL).evaluation(X, Y)

    @pytest.mark.parametrize("seed", range(5))
    def test_labels_of_other_rows_change_nothing(self, seed):
        rng = np.random.default_rng(seed)
        split = self.evaluation.rows.splits[0]
        before = self.evaluation.rows.filled(split).matrix
        target = self.evaluation.rows.target
        codes = target.codes.copy()
        codes[split.evaluation] = rng.integers(2, size=len(split.evaluation))
        other = self.evaluation.rows.__class__(
            **{**vars(self.evaluation.rows), "target": type(target)(codes, target.classes)}
        )
        assert other.filled(split).matrix.tobytes() == before.tobytes()

    def test_a_category_of_other_rows_only_changes_nothing_where_models_train(self):
        train, evaluation = np.arange(400), np.arange(400, 600)
        table = X.copy()
        table.loc[590:, "service"] = "gopher"
        found = []
        for label in ("attack", "normal"):
            y = Y.copy()
            y[590:] = label
            one = NFFS(**{**SMALL, "cv": [(train, evaluation)]}).evaluation(table, y)
            (split,) = one.rows.splits
            found.append(columns_of(one, split, split.train))
            # Where they evaluate, it is in the group of the unknown, whatever its label.
            groups = columns_of(one, split, split.evaluation)[190:, :-3]
            assert (groups == groups[0]).all()
        assert found[0].tobytes() == found[1].tobytes()

    def test_labels_of_an_eval_set_decide_nothing_at_all(self):
        parts = (X[:400], Y[:400])
        turned = np.where(Y[400:] == "attack", "normal", "attack")
        ways = [NFFS(**SMALL).evaluation(*parts, eval_set=(X[400:], y)) for y in (Y[400:], turned)]
        assert ways[0].encoding.names == ways[1].encoding.names
        matrices = [way.rows.filled(way.rows.splits[0]).matrix for way in ways]
        assert matrices[0].tobytes() == matrices[1].tobytes()

    def test_all_rows_together_form_the_groups_that_a_user_sees(self):
        rows, everything = self.evaluation.rows, np.arange(N)
        matrix = rows.filled(Split(everything, everything[:1])).matrix
        assert matrix.tobytes() == rows.matrix.tobytes()

    def test_mutual_information_is_that_of_the_groups_of_a_split(self):
        ranked = NFFS(**SMALL).evaluation(X, Y).ranked()
        split = ranked.rows.splits[0]
        assert ranked.rows.filled(split).matrix.shape[1] == len(ranked.features)
        assert (ranked.rows.filled(split).matrix[:, -1] == ranked.rows.matrix[:, -1]).all()

    def test_nothing_is_copied_where_nothing_is_grouped(self):
        plain = NFFS(**{**SMALL, "categories": "onehot"}).evaluation(X, Y)
        assert plain.rows.filled(plain.rows.splits[0]) is plain.rows


class TestTheFeatures:
    fitted = NFFS(**SMALL).fit(X, Y)

    def test_are_named_by_their_categories(self):
        names = [name for name in self.fitted.encoded_feature_names_ if name.startswith("service")]
        assert [set(name[12:-1].split(", ")) for name in names] == [
            {"http", "smtp"}, {"dns", "missing"}, {"ftp", "telnet"},
        ] or [set(name[12:-1].split(", ")) for name in names] == [
            {"ftp", "telnet"}, {"dns", "missing"}, {"http", "smtp"},
        ]  # fmt: skip

    def test_long_lists_are_cut_short_in_a_name(self):
        table = pd.DataFrame({"word": RNG.choice([f"category {i:02}" for i in range(30)], N)})
        y = (table["word"].str[-2:].astype(int) < 15).to_numpy()
        names = NFFS(**SMALL).evaluation(table, y).encoding.names
        assert len(names) == 2
        assert all(
            name.startswith("word in {category") and name.endswith("more}") for name in names
        )

    def test_a_column_that_tells_nothing_is_one_constant_feature_and_said_to_be(self):
        with pytest.warns(AdjustedWarning, match=r"all categories are in one group: 'zone'"):
            found = NFFS(**SMALL).fit(X, Y)
        assert "zone in {any}" in found.encoded_feature_names_
        assert not any(name.startswith("zone") for name in found.selected_features_)

    def test_categories_never_seen_and_missing_ones_have_a_group(self):
        everything = NFFS(**FEW, unit="column", include=["service"]).fit(X, Y)
        groups = [c for c in everything.get_feature_names_out() if c.startswith("service")]
        assert len(groups) == 3
        table = X[:4].assign(service=["dns", None, "never seen", "ftp"])
        found = everything.transform(table)[groups].to_numpy()
        assert (found.sum(axis=1) == 1).all()
        assert (found[:3] == found[0]).all()
        assert (found[3] != found[0]).any()

    def test_unit_column_keeps_the_groups_together(self):
        found = NFFS(**FEW, unit="column").fit(X, Y)
        assert found.features_ == ["service", "size", "zone"]

    def test_max_categories_bounds_the_groups(self):
        names = NFFS(**SMALL, max_categories=2).evaluation(X, Y).encoding.names
        assert sum(name.startswith("service") for name in names) == 2

    def test_can_be_included_and_excluded(self):
        table = X.assign(age=RNG.normal(size=N))
        found = NFFS(**FEW, exclude="service in *").fit(table, Y)
        assert not any(name.startswith("service") for name in found.selected_features_)

    def test_numbers_are_grouped_by_their_mean(self):
        y = np.array([{"http": 1.0, "smtp": 1.2}.get(s, 9.0) for s in SERVICE])
        y = y + RNG.normal(scale=0.3, size=N)
        found = NFFS(**{**SMALL, "evaluator": "ridge"}).fit(X, y)
        names = [name for name in found.encoded_feature_names_ if name.startswith("service")]
        assert "http" in names[0]  # ordered by the mean
        assert found.selection_.columns[0].groups[0].profile[0] == pytest.approx(1.1, abs=0.3)
        assert found.fitness_ > 0.9

    def test_many_classes(self):
        rng = np.random.default_rng(3)
        y = np.array([{"http": "a", "smtp": "b"}.get(s, "c") for s in SERVICE])
        y[rng.random(N) < 0.1] = "a"
        names = NFFS(**SMALL).fit(X, y).encoded_feature_names_
        assert sum(name.startswith("service") for name in names) == 3

    def test_weights_count(self):
        weights = np.where(SERVICE == "http", 0.0, 1.0)
        encoding = NFFS(**SMALL).evaluation(X, Y, sample_weight=weights).encoding
        found = encoding.groups["service"]
        at = found.categories.index("http")
        assert found.grouping.group_of[at] == found.grouping.unknown


class TestTheSearch:
    def test_threads_change_no_bit(self):
        one, two = (NFFS(**SMALL, n_jobs=n).fit(X, Y) for n in (1, 2))
        assert one.archive_fitness_.tobytes() == two.archive_fitness_.tobytes()
        assert one.selected_features_ == two.selected_features_

    def test_a_journal_continues_and_takes_no_other_encoding(self, tmp_path):
        first = NFFS(**SMALL, journal=tmp_path / "j").fit(X, Y)
        again = NFFS(**SMALL, journal=tmp_path / "j").fit(X, Y)
        assert first.archive_fitness_.tobytes() == again.archive_fitness_.tobytes()
        other = NFFS(**{**SMALL, "categories": "onehot"}, journal=tmp_path / "j")
        with pytest.raises(
            InputError, match=r"another search: .*categories was cluster .*not given"
        ):
            other.fit(X, Y)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_random_identifier_of_5000_categories_is_never_selected(self, seed):
        rng = np.random.default_rng(seed)
        size = rng.normal(size=10_000)
        users = [f"user {number}" for number in rng.integers(5000, size=10_000)]
        noise = {f"noise {i}": rng.normal(size=10_000) for i in range(3)}
        table = pd.DataFrame({"user": users, "size": size, **noise})
        y = size + rng.normal(size=10_000) > 0
        with pytest.warns(AdjustedWarning, match="all categories are in one group: 'user'"):
            found = NFFS(**SMALL).fit(table, y)
        assert len(found.encoded_feature_names_) == 5
        assert "user in {any}" not in found.selected_features_

    def test_a_sample_of_the_rows(self):
        whole, sampled = (NFFS(**SMALL, max_rows=n).fit(X, Y) for n in (None, 300))
        # The groups that a user sees are of all rows, whatever evaluates.
        assert whole.encoded_feature_names_ == sampled.encoded_feature_names_

    def test_a_file_says_the_same_as_the_table(self, tmp_path):
        X.assign(label=Y).to_parquet(tmp_path / "t.parquet")
        table = ParquetTable(tmp_path / "t.parquet", target="label")
        small = {**SMALL, "max_rows": 300}
        read, given = NFFS(**small).fit(table, table.labels()), NFFS(**small).fit(X, Y)
        assert read.encoded_feature_names_ == given.encoded_feature_names_
        assert read.archive_fitness_.tobytes() == given.archive_fitness_.tobytes()

    def test_other_engines_see_the_same_groups(self):
        scores = [
            NFFS(**{**SMALL, "engine": engine}).evaluation(X, Y).score(np.ones(6, dtype=bool))
            for engine in ("fast", "reference")
        ]
        assert scores[0] == pytest.approx(scores[1], abs=0.02)


class TestMistakes:
    def test_an_unknown_way(self):
        with pytest.raises(InputError, match=r"^categories: 'clusters' .*did you mean 'cluster'\?"):
            NFFS(**{**SMALL, "categories": "clusters"}).fit(X, Y)

    def test_a_threshold_of_the_other_way(self):
        with pytest.raises(InputError, match=r"^min_frequency: .*leave it out\.$"):
            NFFS(**SMALL, min_frequency=5).fit(X, Y)
