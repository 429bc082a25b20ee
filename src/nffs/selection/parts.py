"""What a selection is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nffs.search.events import Cut
from nffs.table.encoding import EncodedColumn
from nffs.table.reading import Kind


@dataclass(frozen=True)
class CategoryGroup:
    """A group of a column's categories.

    Attributes
    ----------
    name : str
        The encoded column that indicates it.
    categories : tuple of str or None
        The categories in it, the most frequent first; None is a missing value.
    rows : float
        Training rows in it, or what they weigh.
    profile : tuple of float
        What they say about the target: the shares of the classes, in the order of
        `Selection.classes`, or the mean.
    unseen : bool
        Whether categories that no training row has belong to it.
    """

    name: str
    categories: tuple[str | None, ...]
    rows: float
    profile: tuple[float, ...]
    unseen: bool = False


@dataclass(frozen=True)
class Column:
    """A raw column of the table, its kind, and how many encoded columns it became.

    If its categories were grouped, `groups` are its groups.
    """

    name: str
    kind: Kind
    encoded: int
    groups: tuple[CategoryGroup, ...] = ()


@dataclass(frozen=True)
class Feature:
    """What can be kept or dropped: an encoded column, or a raw one with all its categories.

    Attributes
    ----------
    name, column : str
        Its name, and the raw column it comes from.
    category : str or None
        The category it indicates, if it is one.
    mi : float
        Mutual information with the target, in nats.
    constant : bool
        Whether it has one value only in the training rows; such a feature is never selected.
    selected : bool
        Whether it was selected.
    subsets : int
        How many of the subsets in `Selection.subset_sizes` have it.
    excluded : bool
        Whether the user excluded it.
    """

    name: str
    column: str
    category: str | None
    mi: float
    constant: bool
    selected: bool
    subsets: int
    excluded: bool = False


@dataclass(frozen=True)
class MemberScore:
    """What a model, or a parameter group, scores with the selection and with all features."""

    name: str
    selected: float
    all_features: float

    @property
    def difference(self) -> float:
        """The score with the selection minus the score with all features."""
        return self.selected - self.all_features


@dataclass(frozen=True)
class Final:
    """The final check: the last candidates on folds that the search did not use.

    Attributes
    ----------
    choose : str
        The rule that chose among them: best, one_se or all.
    verdict : str
        The result of the check in one sentence.
    members : tuple of MemberScore
        The scores of every model of the panel.
    gain, gain_error : float
        The score with the selection minus that with all features, each by the model of the panel
        that suits it best, and the standard error of this difference.
    guess : float or None
        The score of the best guess that is the same for all rows; None if the scorer cannot score a
        guess.
    sizes, fitness : tuple of int, tuple of float
        Sizes and scores of the candidates, all features first.
    searched_on, searched_all_features : str, float or None
        Which rows evaluated the subsets of the search before, and the score of all features there.
    """

    choose: str
    verdict: str
    members: tuple[MemberScore, ...]
    gain: float
    gain_error: float
    guess: float | None
    sizes: tuple[int, ...]
    fitness: tuple[float, ...]
    searched_on: str
    searched_all_features: float | None

    @property
    def best(self) -> MemberScore:
        """The model of the panel that scores best with the selection."""
        return max(self.members, key=lambda member: member.selected)

    @property
    def best_with_all(self) -> MemberScore:
        """The model of the panel that scores best with all features."""
        return max(self.members, key=lambda member: member.all_features)


@dataclass(frozen=True)
class Check:
    """What the final check says of one subset; `Final` has the same of the one that was chosen."""

    verdict: str
    members: tuple[MemberScore, ...]
    gain: float
    gain_error: float


@dataclass(frozen=True)
class Point:
    """A subset on the front.

    Attributes
    ----------
    size, fitness, standard_error : int, float, float
        How many features it has, its score and the standard error of that.
    features : tuple of int or None
        Their indices in `Selection.features`; None if they are too many to be listed.
    check : Check or None
        What the final check says of it, if there was one.
    """

    size: int
    fitness: float
    standard_error: float
    features: tuple[int, ...] | None
    check: Check | None = None


@dataclass(frozen=True)
class Front:
    """Size against score: the evaluated subsets that no subset of the same size or smaller beats.

    All scores come from the same rows. After a final check, these are the subsets that it evaluated
    and might have chosen, with its scores; otherwise those of the search.

    Attributes
    ----------
    points : tuple of Point
        The subsets, the smallest first: each has more features than the one before, and a higher
        score.
    columns : tuple of EncodedColumn
        The columns that their features stand for, in the table's order.
    """

    points: tuple[Point, ...]
    columns: tuple[EncodedColumn, ...]


@dataclass(frozen=True)
class Unseen:
    """Scores on rows that took no part in the search: what to expect on new rows.

    Attributes
    ----------
    n_rows, n_train : int
        How many such rows there are, and how many rows trained the models.
    scoring : str
        What the scores measure.
    n_selected, n_columns : int
        Encoded columns that were selected, and all that vary in the training rows and are not
        excluded.
    models : tuple of MemberScore
        What every model scores, trained with the selected columns and with all of them.
    """

    n_rows: int
    n_train: int
    scoring: str
    n_selected: int
    n_columns: int
    models: tuple[MemberScore, ...]


@dataclass(frozen=True)
class UnlabelledRows:
    """Rows without a label, and what the search used them for.

    Attributes
    ----------
    n_rows, n_given : int
        How many were used, and how many there were.
    n_old : int
        Training rows with a label.
    standardised : str or None
        'components' or 'standardisation', if means, scales and components come from them too.
    labelled : int or None
        How many of them the models label with confidence where all training rows train, if the
        models train on those as well.
    weighted : bool
        Whether training rows are weighted by how much they look like these.
    auc, effective_rows : float or None
        If training rows are weighted so, or if these rows are used for nothing: how well a
        classifier tells the two apart, and how many training rows of equal weight would say as much
        as the weighted ones. The latter is None if the two cannot be told apart; nothing is
        weighted then.
    """

    n_rows: int
    n_given: int
    n_old: int
    standardised: str | None
    labelled: int | None
    weighted: bool
    auc: float | None
    effective_rows: float | None

    @property
    def told(self) -> str:
        """Say in one line what they were used for."""
        of = f" of {self.n_given:,}" if self.n_given > self.n_rows else ""
        rows = f"{self.n_rows:,}{of} unlabelled rows"
        found = []
        if self.standardised is not None:
            found.append(f"{self.standardised} from {rows}")
        if self.labelled is not None:
            found.append(f"self-training with {self.labelled:,} of {rows}")
        if self.auc is not None:
            found.append(self._compared(rows))
        return "; ".join(found)

    def _compared(self, rows: str) -> str:
        """Say what came of telling the training rows from these."""
        what = f"compared with {rows}, which are used for nothing"
        if self.effective_rows is None and self.weighted:
            return (
                f"training rows not weighted, because they cannot be told from {rows} (AUC "
                f"{self.auc:.3f})"
            )
        if self.effective_rows is None:
            return f"{what} (cannot be told apart: AUC {self.auc:.3f})"
        old, left = f"{self.n_old:,} rows", f"{self.effective_rows:,.0f}"
        if self.weighted:
            return (
                f"training rows weighted to look like {rows} (told apart with AUC {self.auc:.3f}; "
                f"{old} count as {left})"
            )
        return (
            f"{what} (told apart with AUC {self.auc:.3f}; weighted to look like them, {old} would "
            f"count as {left})"
        )


@dataclass(frozen=True)
class Extent:
    """How far a search came.

    Attributes
    ----------
    planned : int
        Subsets that it would have evaluated at most.
    cut : tuple of Cut
        Phases that were cut short or left out: by an interrupt, a time limit or a callback.
    failed : int
        Subsets that could not be evaluated.
    failure : str or None
        Why the first of them could not.
    """

    planned: int
    cut: tuple[Cut, ...]
    failed: int = 0
    failure: str | None = None


@dataclass(frozen=True)
class Evidence:
    """The results of repeating the whole selection, as `nffs select --check` does.

    Attributes
    ----------
    nested : dict or None
        What `nested_score(...).to_dict()` gives: scores on rows that no selection saw.
    stability : dict or None
        What `selection_stability(...).to_dict()` gives: how often features are selected again.
    missing : str or None
        Why one or both of them are missing.
    """

    nested: dict[str, Any] | None
    stability: dict[str, Any] | None
    missing: str | None = None


@dataclass(frozen=True)
class Phases:
    """What only the paper's method has: its two phases.

    The last five hold a value for each of `Selection.features`, in their order. They are columns,
    not records: plots and tables take them as arrays, and a file of 20,000 features does not
    repeat five names 20,000 times.

    Attributes
    ----------
    threshold : float
        Mutual information above which a feature was drawn with a probability of more than one half.
    one_se_features : tuple of str
        The smallest nested subset within one standard error of the best; empty in old files.
    drawn_fitness : tuple of float
        Scores of the subsets of phase I, repeated ones included.
    nested_sizes, nested_fitness : tuple of int, tuple of float
        Sizes and scores of the subsets of phase II.
    nested_standard_errors : tuple of float
        Standard errors of those scores; empty in old files.
    probability : tuple of float
        Probability of being drawn (WV1); 0 for constant features.
    top, bottom : tuple of int
        In how many of the best and of the worst drawn subsets the feature is.
    weight : tuple of float
        Normalized frequency (WV2).
    rank : tuple of int
        Rank by that weight, from 1.
    """

    threshold: float
    one_se_features: tuple[str, ...]
    drawn_fitness: tuple[float, ...]
    nested_sizes: tuple[int, ...]
    nested_fitness: tuple[float, ...]
    nested_standard_errors: tuple[float, ...]
    probability: tuple[float, ...]
    top: tuple[int, ...]
    bottom: tuple[int, ...]
    weight: tuple[float, ...]
    rank: tuple[int, ...]


@dataclass(frozen=True)
class Learned:
    """What only the guided search has: what its model learned.

    Attributes
    ----------
    effect, effect_error : tuple of float
        For each of `Selection.features`, in their order: what it adds to the score of the subsets
        it is in, and the standard error of that; of features that are kept together the effect of
        the whole group. 0 for features that no subset could have.
    fitness : tuple of float
        Scores of the subsets, in the order of evaluation.
    expected : tuple of float or None
        What the model expected of each of them before it was evaluated; None for the first ones,
        which the model did not propose.
    """

    effect: tuple[float, ...]
    effect_error: tuple[float, ...]
    fitness: tuple[float, ...]
    expected: tuple[float | None, ...]
