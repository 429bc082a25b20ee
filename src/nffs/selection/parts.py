"""What a selection is made of."""

from __future__ import annotations

from dataclasses import dataclass

from nffs.table.reading import Kind


@dataclass(frozen=True)
class Column:
    """A raw column of the table, its kind, and how many encoded columns it became."""

    name: str
    kind: Kind
    encoded: int


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
        What it says, in a sentence.
    members : tuple of MemberScore
        The scores of every model of the panel.
    gain, gain_error : float
        The score with the selection minus that with all features, each by the model of the panel
        that likes it best, and the standard error of this difference.
    guess : float or None
        The score of the best guess that is the same for all rows; None if the scorer takes none.
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
class Unseen:
    """Scores on rows that had no part in the search: what to expect of new ones.

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
class Phases:
    """What only the paper's method has: its two phases.

    The last five hold a value for each of `Selection.features`, in their order. They are columns,
    not records: plots and tables take them as arrays, and a file of 20,000 features does not
    repeat five names 20,000 times.

    Attributes
    ----------
    threshold : float
        Mutual information above which a feature was drawn with more than even probability.
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
