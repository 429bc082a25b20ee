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
from nffs.selector.base import TableSelector
from nffs.selector.shared import SHARED

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
        How many times phase I is run, each time with `n_subsets` new subsets; the normalized
        frequencies of all runs are averaged. More runs give a more stable selection and take more
        evaluations.
    threshold : float or 'auto', default='auto'
        Mutual information, in nats, above which a feature is drawn with a probability of more than
        one half. 'auto' finds it from the histogram of all features.
    unit : {'category', 'column'}, default='category'
        What is kept or dropped: single encoded columns, as in the paper, or a raw column's
        categories together.
    include, exclude : str, int or list of them, default=None
        Features that are in every subset, and features that are in none: names, patterns as in a
        shell (``"flag_*"``), or positions of raw columns, counted from 0. The name of a raw column
        stands for all its encoded columns, the name of an encoded column for itself. Features that
        are constant in the training rows are left out, included ones with a warning.
    together : list of lists, default=None
        Groups of features that are selected as a whole or not at all, each a list of such names:
        ``[["latitude", "longitude"], ["flag_*"]]``. If one of a group is included, all are.
    min_features, max_features : int, default=1, None
        The smallest and the largest number of features to select. Every feature of a group counts;
        with ``unit='column'`` raw columns are counted. A subset with too many or too few features
        is repaired before it is evaluated. The set of all features is evaluated for comparison, but
        not selected if it is too large.
    evaluator : str or list of str, default='panel'
        Which models score a subset; its fitness is the mean over them. 'panel' is 'forest' (random
        forests on the columns themselves) and 'logistic' (logistic regression on the standardised
        columns), for regression 'forest' and 'ridge'; 'boosting' is gradient boosting, for those
        who deploy LightGBM, XGBoost or scikit-learn's; 'paper' is forests on principal components,
        as in the paper. A list makes a panel of your own, of 'forest', 'boosting', 'logistic' or
        'ridge', and 'components'.
    engine : {'auto', 'fast', 'gpu', 'reference'}, default='auto'
        What computes these models: compiled kernels of this package, a GPU, or scikit-learn, which
        is slower. A GPU computes forests of two classes without weights, the CPU what is left, and
        a warning says so. 'auto' takes a GPU if there is one and the table is large, and is fast
        otherwise, unless `estimator` is given.
    estimator : classifier or regressor, default=None
        Evaluates subsets in place of the evaluator, on the standardised columns, or on principal
        components with ``evaluator='paper'``: any scikit-learn classifier, or for regression any
        regressor, at its own speed. Choose the one that you will deploy.
    param_groups : list of dict, default=None
        Parameters of the forests, or of `estimator`; the score of a subset is the mean over the
        groups. By default forests of 30 trees of unlimited depth, the paper's of depths 2, 4, 8 and
        unlimited, and the given estimator as it is.
    pca : float, 'auto' or None, default='auto'
        For ``evaluator='paper'``: the share of the variance that the components explain, 0.93 by
        default; None uses the standardised columns themselves.
    scoring : str, callable or None, default=None
        Any scikit-learn scorer. By default the F-score, its macro average for more than two
        classes, average precision if fewer than one in ten training rows are positive, and R2 for
        regression.
    class_weight : 'balanced' or None, default=None
        'balanced': all classes weigh the same for the models that score subsets, however few rows
        they have; each split weighs them by its own training rows. It multiplies `sample_weight`,
        and changes neither mutual information nor what an evaluation row counts. An `estimator`
        must take weights of rows.
    pos_label : label, default=None
        The positive one of two classes, which precision, recall and the F-score refer to. By
        default the rarer one among all training rows, counted without weights; of two equally
        frequent ones, the second in sorted order.
    task : {'auto', 'classification', 'regression'}, default='auto'
        Whether `y` holds classes or numbers. 'auto' means regression if `y` holds numbers with
        fractions or more than 30 distinct whole numbers, and classification otherwise.
    choose : {'auto', 'best', 'one_se', 'all', 'method'}, default='auto'
        How the selection is chosen. In a final check, the last candidates and all features are
        evaluated again, on ten other folds (five if there are many rows). 'best' keeps the best of
        them: part of a subset's lead over all features is attributed to luck, the more the fewer
        features it has, and of candidates within 0.4 % the smallest is kept. 'one_se' keeps the
        smallest within one standard error of the best. 'all' keeps all features, if `max_features`
        allows, unless a subset is better by more than a standard error. 'method' keeps the method's
        own choice, without a check: for NFFS the best nested subset, as in the paper. 'auto' is
        'best', and 'method' for ``evaluator='paper'``.
    cv : int or splitter, default=3
        How training rows are split into rows that train and rows that evaluate, unless `fit` is
        given an `eval_set`. An integer means shuffled folds, stratified by class.
    unlabelled_for : {'components', 'self-training', 'likeness'}, several or None, default=None
        What rows without labels are used for, if `fit` is given some. None: nothing; they are only
        compared with the others. 'components': means, scales and principal components come from
        them too. 'self-training': in every split, models of all features label the rows that they
        are sure of, and every subset trains on these as well. 'likeness': rows with labels weigh
        more, in training and in scores, the more they look like those without.
    categories : {'onehot', 'cluster'}, default='onehot'
        How categories become features. 'onehot' makes one of each. 'cluster' groups those that say
        the same about `y` and makes one of each group, ``service in {ftp, telnet}``. How many
        groups a column has is decided by cross-validation on the rows of `fit`; which category is
        in which group, every split learns from its own training rows.
    min_frequency, max_categories : default=None, 'auto'
        Passed to scikit-learn's `OneHotEncoder`, to merge rare categories. 'auto' merges, with a
        warning, those of columns with more than 200 categories, unless `min_frequency` is given:
        all but the 199 most frequent, and any in fewer than 10 rows or one row in a thousand. None
        merges nothing. With ``categories='cluster'``, `max_categories` is the most groups of a
        column (by default 24), and `min_frequency` cannot be set.
    max_rows : int, default=None
        Evaluate on a stratified sample of this many training rows if there are more. The encoding
        and, with folds or an `eval_set`, mutual information and covariance still use all training
        rows. `fit` then also accepts a :class:`nffs.ParquetTable` that is larger than memory.
    missing : {'indicate', 'error'}, default='indicate'
        How missing numbers are treated. 'indicate' replaces them by the mean of the observed
        training rows and adds a feature that marks them, ``age_missing``. An `estimator` that
        accepts missing values gets them as they are. 'error' raises an error. A missing category is
        a category of its own in both cases.
    keep_all : bool, default=False
        Text columns that look like identifiers or free text, copies of other columns, and
        indicators of columns that are missing in the same rows as others are left out, with a
        warning that names them. True keeps them; a text column whose values are all different is
        then an error.
    journal : path, default=None
        A file to which every evaluation is written as soon as it is done. The same search with the
        same file continues where it stopped and gives the same result; a larger search reuses what
        was evaluated before. Several processes may share the file.
    callbacks : list of callable, default=None
        Each is called with a :class:`nffs.Progress` after every evaluation, in the order of the
        subsets. It may end a phase or the search, as `nffs.EarlyStopping` and
        `nffs.TimeBudget` do. None shows a progress bar in a terminal and in a notebook, and nothing
        elsewhere; an empty list never does.
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
        The fitness of the selected subset on the rows that `evaluated_on_` names: those of the
        final check, if there was one.
    final_ : Final or None
        The result of the final check: a verdict in words, and the scores of every model of the
        panel with the selection and with all features.
    front_ : tuple of Point
        The best score for each number of features: subsets of the final check, or else of the
        search, that beat every subset of the same size or smaller. ``selection_.at_most(10)`` picks
        one.
    all_features_fitness_ : float
        The fitness of the set of all features that are not excluded, on the same rows.
    excluded_ : (n_encoded,) bool
        Which encoded columns are excluded.
    evaluated_on_ : str
        Which rows evaluated the subsets.
    features_ : list of str
        The names of the features in the order of the table. The vectors and masks below have one
        entry for each.
    mi_ : (n_features,) float
        Mutual information of each feature with the label, in nats. Features of a group have that of
        the whole group, excluded ones 0.
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
        The classes, sorted; of two classes the positive one comes second.
    positive_ : label or None
        The positive one of two classes.
    left_out_ : dict of str to str
        The raw columns that cannot be features, and why: 'identifier', 'free text', 'dates as
        text', 'numbers as text' or 'copy'.
    encoding_ : Encoding
        How raw columns become encoded ones.
    seed_ : int
        The seed used.
    fingerprint_ : dict of str to str
        Digests of the table, the target and the splits: the same for the same data.
    partial_ : bool
        Whether an interrupt stopped the search. Then the best subset so far is kept, a drawn one if
        phase I was not finished.
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
        The index among them of the subset that the method chose.
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
