"""Evaluation: everything that decides a subset's scores, in one object, with its identity."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nffs import memory
from nffs.fitness.blas import one_blas_thread
from nffs.fitness.columns import n_of_few_values
from nffs.fitness.elimination import ELIMINATION_STEPS, Elimination
from nffs.fitness.engines import engine_of, learned_without_labels
from nffs.fitness.evaluator import Engine, Evaluator, Shape, SplitScorer, WeighingScorer
from nffs.fitness.identity import data_identity, digest, program_identity, splits_digest
from nffs.fitness.information import feature_information
from nffs.fitness.likeness import only_compared, weighted_by_likeness
from nffs.fitness.moments import moments_of
from nffs.fitness.panel import PanelEngine
from nffs.fitness.scoring import Scoring, check_scoring, constant_guess, resolve_scoring
from nffs.fitness.self_training import SelfTraining
from nffs.fitness.splits import Split, SplitRows, final_cv, rare_classes, split_rows
from nffs.fitness.unlabelled import LIKENESS, SELF_TRAINING, Unlabelled
from nffs.randomness import derive_seed
from nffs.table.constraints import Constraints
from nffs.table.encoding import Encoding
from nffs.table.features import Features, Indices, Placement, search_order
from nffs.table.missing import Filling
from nffs.table.problem import Problem
from nffs.table.sampling import Beyond
from nffs.table.unfit import is_numbered

#: Bytes that a column takes whatever the rows: its name, its places, what masks and results hold.
_COLUMN = 2500

#: Bytes that a search takes beside the table: threads' own memory, what is loaded on the way. A
#: search that needs little takes a quarter more at most.
_BESIDE, _BESIDE_SHARE = 16 << 20, 0.25

#: What a process holds for every byte that is asked for: freed memory has gaps.
_GAPS = 1.05

#: Bytes that measuring the mutual information of a column takes in a split, where rows beyond a
#: sample count.
_COUNTING = 4096


@dataclass(frozen=True)
class Evaluation:
    """What decides a score: rows and splits, scorer, engine, seed.

    Made by `of`, masks are over all features in the table's order. `ranked` gives the evaluation
    that a search uses: the features that vary and may be selected, those that are kept together
    as one, in one order from here down to the journal, by mutual information with the target, the
    largest first.
    """

    rows: SplitRows  # the encoded rows, with the columns of `features` in their order
    features: Features  # what masks are over
    scoring: Scoring  # what is measured
    engine: Engine  # how to train and score
    seed: int  # seeds everything random
    encoding: Encoding  # how raw columns become encoded ones
    all_features: Features  # those of the table, constant ones too
    placement: Placement  # leads from the order of `features` back to the table's
    # (n_features,) mutual information of `features` with the target; empty before `ranked`
    mi: NDArray[np.float64]
    constraints: Constraints  # what may be selected; every feature that varies, to begin with
    notes: tuple[str, ...]  # what the user should know of the table, in a sentence each
    _usable: Indices  # the features that vary
    _final_splits: tuple[list[Split], str]  # other splits than those of `rows`, where there are any
    _beyond: Beyond | None  # training rows that `max_rows` left out; they count for `ranked`

    @classmethod
    def of(cls, parameters: Any, problem: Problem, seed: int) -> Evaluation:
        """Make it from a selector's parameters.

        Parameters
        ----------
        parameters : object
            With `cv`, `scoring`, `class_weight`, `engine`, `estimator`, `param_groups`, `pca` and
            `unlabelled_for`: a selector.
        problem : Problem
            What is selected from.
        seed : int
            Seeds everything random.
        """
        weight, last = parameters.class_weight, final_cv(parameters.cv, problem.target, seed)
        task, new = problem.target.task, None
        if problem.n_unlabelled:
            new = Unlabelled.of(parameters, problem, learned_without_labels(parameters, task))
        rows = split_rows(problem, parameters.cv, seed, weight, new)
        final = split_rows(problem, last, seed, weight, new, "final")
        # Rows of an eval_set do not decide what is measured on them.
        trained = problem.target.take(np.arange(problem.n_train))
        scoring = resolve_scoring(parameters.scoring, trained)
        for part in (rows, final):
            check_scoring(part, scoring)
        # Other splitters part rows by group or time: a row beyond may belong with the evaluation.
        usable_beyond = problem.n_evaluation > 0 or isinstance(parameters.cv, int)
        # Nor are there groups of categories beyond: every split learns its own, in the sample.
        usable_beyond = usable_beyond and not problem.grouped
        # Nor are there weights of rows beyond: the sample is compared with rows without a label.
        usable_beyond = usable_beyond and not (new is not None and new.used_for(LIKENESS))
        chosen = engine_of(parameters, scoring, rows, final)
        engine = chosen.engine
        if new is not None and new.used_for(SELF_TRAINING):
            engine = SelfTraining(engine, len(new.rows), seed)
        n = len(problem.features)
        rare = [] if problem.n_evaluation else rare_classes(parameters.cv, trained)
        return cls(
            rows=rows,
            features=problem.features,
            scoring=scoring,
            engine=engine,
            seed=seed,
            encoding=problem.encoding,
            all_features=problem.features,
            placement=Placement(tuple(np.arange(n)[:, None]), n),
            mi=np.empty(0),
            constraints=Constraints.none(problem.usable, n),
            notes=(*problem.notes, *rare, *chosen.notes),
            _usable=problem.usable,
            _final_splits=(list(final.splits), final.evaluated_on),
            _beyond=problem.beyond if usable_beyond else None,
        )

    @property
    def members(self) -> tuple[str, ...]:
        """The names of the panel's members, if a panel evaluates."""
        engine = self.engine.engine if isinstance(self.engine, SelfTraining) else self.engine
        return tuple(engine.members) if isinstance(engine, PanelEngine) else ()

    @property
    def n_usable(self) -> int:
        """How many features a search has, those that are kept together counted as one."""
        return len(self.constraints.parts)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Which features of the table do not vary."""
        constant = np.ones(len(self.all_features), dtype=np.bool_)
        constant[self._usable] = False
        return constant

    def within(self, parameters: Any) -> Evaluation:
        """Let a search keep to the constraints among a selector's parameters.

        Parameters
        ----------
        parameters : object
            With `include`, `exclude`, `together`, `min_features` and `max_features`: a selector.
        """
        found = Constraints.of(parameters, self.encoding, self.all_features, self._usable)
        return replace(self, constraints=found)

    def adapted(self) -> Evaluation:
        """Weigh the rows by how much they look like rows without a label, if that was asked for.

        Where these are used for nothing, they are compared and left out.
        """
        new = self.rows.unlabelled
        if new is None or (new.uses and not new.used_for(LIKENESS)):
            return self
        columns = np.concatenate(self.all_features.joined(self.constraints.parts).columns)
        compare = weighted_by_likeness if new.uses else only_compared
        return replace(self, rows=compare(self.rows, columns, self.seed))

    def ranked(self) -> Evaluation:
        """Leave out what is constant or excluded and order the others by mutual information."""
        parts, beyond = self.constraints.parts, self._beyond
        usable = self.all_features.joined(parts)
        blocks = None if beyond is None else beyond.blocks("mutual information")
        mi = feature_information(self.rows, usable.columns, blocks)
        order = search_order(self.rows.matrix, usable, mi)
        features = usable.take(order)
        columns = np.concatenate(features.columns)
        rows = self.rows.with_columns(columns)
        if beyond is not None:
            # In the search's order: where a column stands decides last bits of its products.
            fill = Filling(rows.matrix[rows.training])
            others = (np.take(found, columns, axis=1) for found, *_ in beyond.blocks("covariance"))
            rows = replace(rows, beyond=moments_of(map(fill, others), len(columns)))
        return replace(
            self,
            rows=rows,
            features=features,
            placement=Placement(tuple(parts[i] for i in order), len(self.all_features)),
            mi=mi[order],
            _beyond=None,
        )

    @cached_property
    def final(self) -> Evaluation:
        """The evaluation of a final check: the same rows in other and more folds, other seeds."""
        splits, evaluated_on = self._final_splits
        rows = replace(self.rows, splits=splits, evaluated_on=evaluated_on)
        return replace(self, rows=rows, seed=derive_seed(self.seed, "final"))

    @property
    def included(self) -> NDArray[np.bool_]:
        """Which of `features` are in every subset."""
        given = self.constraints.included
        return np.array([given[own].any() for own in self.placement.places], dtype=np.bool_)

    @property
    def weighs(self) -> bool:
        """Whether the models can tell how much a feature counts."""
        return self.engine.weighs

    @property
    def eliminator(self) -> Evaluator:
        """What eliminates the features of a mask inside every split, and scores every size.

        The groups of its scores are sizes by members, as `elimination_sizes` lists the sizes. It
        shares what `evaluator` prepared. Only where `weighs`.
        """
        return self.evaluator.with_scorers(self._elimination)

    def _elimination(self, scorer: SplitScorer) -> Elimination:
        assert isinstance(scorer, WeighingScorer)  # its engine weighs
        largest = self.constraints.largest
        return Elimination(scorer, self.features.membership, self.included, largest)

    def eliminated(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Give the features that are left at every size if all training rows eliminate.

        Only where `weighs`.
        """
        split = Split(self.rows.training, self.rows.splits[0].evaluation)
        scorer = self.engine.prepare(self.rows.filled(split), split)
        columns = mask[self.features.membership]
        seed = derive_seed(self.seed, "elimination", np.packbits(mask).tobytes())
        with one_blas_thread:
            return self._elimination(scorer).path(columns, seed)

    def n_labelled(self) -> int | None:
        """Give how many rows without a label are labelled where all training rows train.

        None if the models do not train on rows that they label themselves.
        """
        if not isinstance(self.engine, SelfTraining):
            return None
        split = Split(self.rows.training, self.rows.splits[0].evaluation)
        return int(self.engine.labelled(self.rows.filled(split), split)[1].sum())

    def numbered(self, encoded: NDArray[np.bool_]) -> list[str]:
        """Name those of some encoded columns whose numbers could be the numbers of the rows."""
        places = np.concatenate(self.features.columns)  # of the columns of the matrix
        return [
            self.encoding.columns[place].name
            for number, place in enumerate(places)
            if encoded[place]
            and self.encoding.columns[place].kind == "numeric"
            and is_numbered(self.rows.matrix[: len(self.rows.target), number])
        ]

    def constant_guess(self) -> float | None:
        """Give the score of the best guess that is the same for all rows, if there is one."""
        return constant_guess(self.rows, self.scoring)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What scores masks."""
        return Evaluator(self.rows, self.engine, self.features.membership, self.seed)

    def forget(self) -> None:
        """Let go of what `evaluator` prepared; the next use prepares it again."""
        self.__dict__.pop("evaluator", None)

    def score(self, mask: NDArray[np.bool_]) -> float:
        """Give the fitness of one subset."""
        return self.evaluator(mask[None])[0].value

    @cached_property
    def _n_binary(self) -> int:
        """How many columns of the rows are 0 or 1: booleans, categories, missing indicators."""
        columns = (self.encoding.columns[place] for own in self.features.columns for place in own)
        return sum(bool(column.members) or column.kind == "boolean" for column in columns)

    @cached_property
    def _n_few(self) -> int:
        """How many columns of the rows have few values, about."""
        return n_of_few_values(self.rows.matrix)

    def fingerprint(self) -> dict[str, str]:
        """Name the data, item by item."""
        return data_identity(self.rows, self.features)

    def identity(self) -> dict[str, str]:
        """Name everything that a subset's scores depend on, item by item, as it was resolved."""
        weight = self.rows.class_weight
        return {
            **self.fingerprint(),
            "order": digest(self.features.names),
            **({} if weight is None else {"class_weight": weight}),
            **self.engine.identity(),
            "seed": str(self.seed),
            **program_identity(),
        }

    def final_identity(self) -> str:
        """Name what else the scores of its final check depend on."""
        return splits_digest(self.final.rows)

    def elimination_identity(self) -> str:
        """Name what else the scores of its eliminations depend on."""
        included = np.packbits(self.included).tobytes().hex()
        decided = [self.final_identity(), ELIMINATION_STEPS, included, self.constraints.largest]
        return digest(decided)

    def memory(
        self,
        n_threads: int,
        n_rows: int | None = None,
        *,
        final: bool = False,
        weighing: bool = False,
        learned: int = 0,
    ) -> int:
        """Bound the bytes that a search holds at its peak, if every thread evaluates all columns.

        Whichever is most: ranking the features, with the encoded matrix there twice, the search,
        or the final check, before which the search lets go of what it prepared. Where numbers are
        missing, or categories are grouped, every split has a matrix of its own.

        Parameters
        ----------
        n_threads : int
            Subsets evaluated at a time.
        n_rows : int, optional
            For another number of rows than there are.
        final : bool, default=False
            Whether there is a final check, which has splits of its own.
        weighing : bool, default=False
            Whether the search itself weighs columns.
        learned : int, default=0
            Bytes that its method holds of what it learned.
        """
        n_all, n_columns = (int(n) for n in self.rows.matrix.shape)
        n_rows = n_all if n_rows is None else n_rows
        matrix, splits = 4 * n_rows * n_columns, self.rows.splits
        counting = 0 if self._beyond is None else len(splits) * n_columns * _COUNTING

        def evaluating(splits: Sequence[Split], weighing: bool) -> int:
            train = max(len(split.train) for split in splits) * n_rows // n_all
            evaluation = max(len(split.evaluation) for split in splits) * n_rows // n_all + 1
            shape = Shape(train + 1, evaluation, n_columns, self._n_binary, self._n_few)
            need = self.engine.memory(shape)
            subset = max(need.subset, need.weighed) if self.rows.trains_weighted else need.subset
            own = matrix * self.rows.n_copies
            held = len(splits) * (need.split + own)
            found = [held - need.split + max(need.split, need.once), held + n_threads * subset]
            if weighing:  # by all rows too, as a split of its own
                whole = self.engine.memory(replace(shape, n_train=n_rows))
                found.append(held + whole.split + own + whole.weighed)
            return max(found)

        searching = evaluating(splits, weighing and self.weighs) + learned
        found = [matrix + counting, searching]
        if final:
            found.append(evaluating(self._final_splits[0], self.weighs))
        need = _GAPS * (matrix + _COLUMN * n_columns + max(found))
        return int(need + min(_BESIDE, _BESIDE_SHARE * need))

    def check_memory(
        self, n_threads: int, *, final: bool = False, weighing: bool = False, learned: int = 0
    ) -> None:
        """Refuse a search that needs more memory than there is, and say what would fit."""
        n_rows, n_columns = self.rows.matrix.shape
        need_of = partial(self.memory, final=final, weighing=weighing, learned=learned)
        there, need = memory.available_memory() + self.rows.matrix.nbytes, need_of(n_threads)
        threads = bisect_right(range(n_threads + 1), there, key=need_of) - 1
        fitting = bisect_right(range(n_rows), there, key=lambda n: need_of(n_threads, n))
        rows = memory.rounded_down(max(0, fitting - 1))
        remedies = [f"n_jobs={threads}"] if 1 <= threads < n_threads else []
        remedies += [f"max_rows={rows}"] if rows >= 10 else []
        work = (
            f"searching {n_rows} rows and {n_columns} encoded columns, {n_threads} subset(s) at a "
            "time,"
        )
        memory.refuse_large("n_jobs", work, need, there, remedies or ["fewer columns"])
