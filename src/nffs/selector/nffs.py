"""NFFS, the estimator: the paper's method with the paper's parameters."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import compress
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

from nffs._sklearn import Interval, StrOptions
from nffs.fitness import Evaluation
from nffs.methods.choosing import standard_error
from nffs.methods.nffs import NormalizedFrequencies, TwoPhases
from nffs.methods.sizes import Size, search_sizes
from nffs.methods.weights import rank_features
from nffs.search.allowed import Allowed
from nffs.search.final import Choose
from nffs.search.loop import Outcome
from nffs.search.method import Method
from nffs.selector.base import SHARED, TableSelector

_SIZE = [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})]


@dataclass(kw_only=True, eq=False, repr=False)
class NFFS(TableSelector):
    """Select features via normalized frequencies.

    Phase I scores every encoded column by mutual information with the label, turns the scores into
    selection probabilities and evaluates subsets drawn by them. Phase II counts each feature in the
    best and the worst of those subsets, subtracts the two count vectors, each normalised to unit
    length, ranks the features by the difference, and keeps the best of the nested subsets of the
    first 1, 2, 3, ... features.

    Parameters
    ----------
    n_subsets : int or 'auto', default='auto'
        Subsets drawn in phase I (the paper's L). 'auto' is 180, fewer for tables of fewer
        than 8 features.
    n_top, n_bottom : int or 'auto', default='auto'
        Best and worst subsets that are counted (M, N). 'auto' is a quarter of `n_subsets` each.
        Together they must be fewer than `n_subsets`.
    n_nested : int or 'auto', default='auto'
        Nested subsets of phase II (O), fewer than the features. 'auto' is 70, or the number of
        features minus one.
    n_searches : int, default=1
        Phases I that are pooled: so many times `n_subsets` are drawn and evaluated, and the
        normalized frequencies of each phase are averaged. It buys stability for evaluations.
    threshold : float or 'auto', default='auto'
        Mutual information, in nats, above which a feature is drawn with more than even
        probability. 'auto' finds it from the histogram of all scores.
    unit : {'category', 'column'}, default='category'
        What is kept or dropped: single encoded columns, as in the paper, or a raw column's
        categories together.
    include, exclude : str, int or list of them, default=None
        Features that are in every subset, and features that are in none: names, patterns as in a
        shell (``"flag_*"``), or places of raw columns, counted from 0. The name of a raw column
        stands for all its encoded columns, the name of an encoded column for itself. Features that
        are constant in the training rows are left out, included ones with a warning.
    together : list of lists, default=None
        Groups of features that are selected as a whole or not at all, each a list of such names:
        ``[["latitude", "longitude"], ["flag_*"]]``. If one of a group is included, all are.
    min_features, max_features : int, default=1, None
        The fewest and the most features that may be selected, each of a group counted; with
        ``unit='column'`` raw columns. A subset of too many or too few is repaired before it is
        evaluated. All features together are evaluated for comparison, but not selected if they
        are too many.
    evaluator : str or list of str, default='panel'
        Which models score a subset; its fitness is the mean over them. 'panel' is 'forest' (random
        forests on the columns themselves) and 'logistic' (logistic regression on the standardised
        columns), for numbers 'forest' and 'ridge'; 'boosting' is gradient boosting, for those who
        deploy LightGBM, XGBoost or scikit-learn's; 'paper' is forests on principal components, as
        in the paper. A list makes a panel of your own, of 'forest', 'boosting', 'logistic' or
        'ridge', and 'components'.
    engine : {'auto', 'fast', 'reference'}, default='auto'
        What computes these models: kernels of this package, or scikit-learn itself, which is slow
        and should say the same. 'auto' is fast unless `estimator` is given.
    estimator : classifier or regressor, default=None
        Scores the subsets instead, on the standardised columns, or on principal components with
        ``evaluator='paper'``: any scikit-learn classifier, for numbers any regressor, at its own
        speed. Choose the one that you will deploy.
    param_groups : list of dict, default=None
        Parameters of the forests, or of `estimator`; the score of a subset is the mean over the
        groups. By default forests of 30 trees of unlimited depth, the paper's of depths 2, 4, 8 and
        unlimited, and the given estimator as it is.
    pca : float, 'auto' or None, default='auto'
        Of ``evaluator='paper'``: the share of the variance that components explain, 0.93 by
        default; None leaves the standardised columns as they are.
    scoring : str, callable or None, default=None
        Any scikit-learn scorer. By default the F-score; for more than two classes its macro mean,
        for numbers R2.
    pos_label : label, default=None
        Of two classes the positive one, which precision, recall and the F-score are about. By
        default the rarer one among all training rows, counted without their weights; of two that
        are equally frequent the second in sorted order.
    task : {'auto', 'classification', 'regression'}, default='auto'
        What `y` holds: classes or numbers. By default numbers with fractions, and more than 30
        distinct whole numbers, are numbers; everything else is classes.
    choose : {'auto', 'best', 'one_se', 'all', 'method'}, default='auto'
        What decides in the end. The last candidates, all features among them, are evaluated once
        more, on ten other folds (five for many rows). 'best' keeps the best of them: a part of a
        subset's lead over all features is put down to luck, more the more it drops, and of those
        that are as good but for 0.4 % the smallest is kept; 'one_se' keeps the smallest within one
        standard error of the best; 'all' keeps all features, if `max_features` allows, unless a
        subset is better by more than a standard error. 'method' leaves it to the method, without a
        check: of NFFS that is the best nested subset, as in the paper. 'auto' is 'best', and
        'method' for ``evaluator='paper'``.
    cv : int or splitter, default=3
        How training rows are split into rows that train and rows that evaluate, unless `fit` is
        given an `eval_set`. An integer means shuffled folds, stratified by class.
    min_frequency, max_categories : default=None, 'auto'
        Passed to scikit-learn's `OneHotEncoder`, to fold rare categories together. 'auto', unless
        `min_frequency` is given, folds those of columns of more than 200 categories, with a
        warning: all but the 199 most frequent, and any that fewer than 10 rows have, or one row in
        a thousand. None folds nothing.
    max_rows : int, default=None
        Evaluate by a stratified sample of so many training rows if there are more. The encoding
        and, with folds or an `eval_set`, mutual information and covariance still come from all
        training rows. With it `fit` takes a :class:`nffs.ParquetTable` that is larger than
        memory.
    missing : {'indicate', 'error'}, default='indicate'
        What becomes of missing numbers. 'indicate': such a number counts as the mean of what is
        observed in the rows that train, and that it is missing is a feature of its own,
        ``age_missing``. An `estimator` that takes missing numbers is given them as they are.
        'error' refuses them. A missing category is a category either way.
    keep_all : bool, default=False
        Columns of strings that are nearly all different, as identifiers and free text are, and
        copies of other columns are left out, with a warning that names them. With True they stay,
        and strings that are all different are refused.
    journal : path, default=None
        A file that keeps every evaluation the moment it is done. The same search given the same
        file goes on where it was stopped, whatever stopped it, and ends with the same result; a
        larger one finds what was evaluated before. Several processes may share it.
    callbacks : list of callable, default=None
        Each is called with a :class:`nffs.Progress` after every evaluation, in the order of the
        subsets. It may end a phase or the search, as `nffs.EarlyStopping` and
        `nffs.TimeBudget` do.
    n_jobs : int, default=None
        Subsets evaluated at a time, in threads. It never changes the result.
    random_state : int, RandomState or None, default=None
        Seeds everything random. The same number gives the same result.

    Attributes
    ----------
    support_ : (n_encoded,) bool
        Which encoded columns are selected.
    selected_features_ : list of str
        The selected features by name: encoded columns, or raw columns for ``unit='column'``.
    encoded_feature_names_ : list of str
        All encoded columns, ``column`` or ``column_category``.
    fitness_ : float
        The selected subset's fitness on the rows that `evaluated_on_` names: those of the final
        check where there was one.
    final_ : Final or None
        What the final check found: a verdict in words, the scores of every model of the panel with
        the selection and with all features, their difference.
    front_ : tuple of Point
        Size against score: the subsets that no subset of as few features beats, of those that the
        final check evaluated or else the search; ``selection_.at_most(10)`` picks one.
    all_features_fitness_ : float
        The fitness of all features together that are not excluded, on the same rows.
    excluded_ : (n_encoded,) bool
        Which encoded columns are excluded.
    evaluated_on_ : str
        Which rows evaluated the subsets.
    features_ : list of str
        What the vectors and masks below are over: the names of the features in the table's order.
    mi_ : (n_features,) float
        Mutual information of each feature with the label, in nats; of features that are kept
        together that of the whole group, 0 for excluded ones.
    threshold_ : float
        The threshold used.
    probability_weights_ : (n_features,) float
        Probability of being drawn (WV1); 0 for constant and excluded features.
    drawn_ : (n_searches * n_subsets, n_features) bool
        The subsets of phase I (AFS1).
    drawn_fitness_ : (n_searches * n_subsets,) float
        Their fitness.
    top_counts_, bottom_counts_ : (n_features,) int
        How often each feature occurs in the best and in the worst of them.
    frequency_weights_ : (n_features,) float
        The normalized frequencies of phase II (WV2); 0 for constant features.
    ranking_ : (n_features,) int
        Rank by that weight, from 1; included features come first, constant and excluded ones last.
    nested_ : (n_nested, n_features) bool
        The nested subsets (AFS2); fewer if `max_features` allows fewer sizes.
    nested_fitness_ : (n_nested,) float
        Their fitness.
    standard_error_ : float
        Standard error of the best nested subset's fitness, from folds and parameter groups.
    one_se_features_ : list of str
        The smallest nested subset within one standard error of the best, whatever was chosen.
    drawn_scores_, nested_scores_ : (n, n_splits, n_groups) float
        The scores behind those means.
    task_ : {'classification', 'regression'}
        What was predicted.
    classes_ : ndarray
        The classes, sorted, but of two the positive one is the second.
    positive_ : label or None
        Of two classes the positive one.
    left_out_ : dict of str to str
        The raw columns that are no features, and why: 'identifier', 'free text' or 'copy'.
    encoding_ : Encoding
        How raw columns become encoded ones.
    seed_ : int
        The seed used.
    fingerprint_ : dict of str to str
        Digests of the table, the target and the splits: the same for the same data.
    partial_ : bool
        Whether an interrupt stopped the search: the best subset so far is kept then, a drawn one if
        phase I was not done.
    n_evaluations_ : int
        Distinct subsets evaluated, all features among them.
    failures_ : list of str
        Why some subsets could not be evaluated, after three tries each; they were left out.
        More than one in twenty end the search with an :class:`nffs.errors.EvaluationError`.
    seconds_ : float
        How long `fit` took.
    archive_masks_, archive_fitness_ : (n, n_features) bool, (n,) float
        Every distinct subset of both phases, in the order of evaluation, and its fitness.
    chosen_ : int
        The place among them of the subset that the method chose.
    method_ : Method
        The method with its sizes.
    selection_ : Selection
        All of this as plain data: ``selection_.save("selection.json")``.
    n_features_in_ : int
        Raw columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, if they are all strings.

    Examples
    --------
    >>> from nffs import NFFS, make_connections
    >>> table = make_connections(400)
    >>> selector = NFFS(n_subsets=12, n_nested=8, random_state=0).fit(table.data, table.target)
    >>> selector.transform(table.data).columns == selector.selected_features_
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_subsets": [Interval(Integral, 3, None, closed="left"), StrOptions({"auto"})],
        "n_top": _SIZE,
        "n_bottom": _SIZE,
        "n_nested": _SIZE,
        "n_searches": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        **SHARED,
    }

    n_subsets: Size = "auto"
    n_top: Size = "auto"
    n_bottom: Size = "auto"
    n_nested: Size = "auto"
    n_searches: int = 1
    threshold: float | str = "auto"

    def _method(self, n_features: int) -> tuple[Method, int]:
        sizes = search_sizes(n_features, self.n_subsets, self.n_top, self.n_bottom, self.n_nested)
        method = NormalizedFrequencies(
            **asdict(sizes),
            n_searches=self.n_searches,
            threshold=self.threshold,
        )
        self.sizes_ = sizes
        return method, self.n_searches * sizes.n_subsets + sizes.n_nested

    def _choose(self) -> Choose | Literal["method"]:
        """Give the rule for the last candidates: by default the best, or what the paper chooses."""
        if self.choose != "auto":
            return self.choose
        return "method" if self.evaluator == "paper" else "best"

    def _keep(self, evaluation: Evaluation, outcome: Outcome) -> None:
        super()._keep(evaluation, outcome)
        placed, found = evaluation.placement, outcome.details
        if not isinstance(found, TwoPhases):  # interrupted while the method itself was computing
            raise KeyboardInterrupt
        self.threshold_ = found.threshold
        self.probability_weights_ = placed.spread(found.probabilities)
        self.drawn_ = placed.spread(found.drawn.masks)
        self.drawn_fitness_ = found.drawn.fitness
        self.drawn_scores_ = found.drawn.scores
        self.top_counts_ = placed.spread(found.frequencies.top)
        self.bottom_counts_ = placed.spread(found.frequencies.bottom)
        self.frequency_weights_ = placed.spread(found.frequencies.weights)
        ranked, _ = Allowed.of(evaluation).leading(rank_features(found.frequencies.weights))
        self.ranking_ = placed.ranks(ranked, self.features_)
        self.nested_ = placed.spread(found.nested.masks)
        self.nested_fitness_ = found.nested.fitness
        self.nested_scores_ = found.nested.scores
        if outcome.final is None:
            self.standard_error_ = standard_error(found.nested.scores, found.best)
        self.one_se_features_ = list(compress(self.features_, self.nested_[found.one_se]))
