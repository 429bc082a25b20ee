"""Rows that `nffs select` sets aside, and what models score on them in the end."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nffs.cli import terminal
from nffs.cli.options import MessageOptions
from nffs.errors import InputError

if TYPE_CHECKING:
    from nffs.selection import Selection
    from nffs.selector.base import TableSelector
    from nffs.table.target import Target

#: What is set aside unless the user says otherwise, of tables with so many rows, and so many rows
#: of every label for each fold.
SHARE, LEAST_ROWS, LEAST_OF_A_LABEL = 0.2, 500, 4


@dataclass(frozen=True)
class Holdout:
    """Rows that a search may see, and those that it may not; None if it may see all."""

    seen: dict[str, Any]  # X, y and groups, as a selector takes them
    unseen: tuple[Any, Any] | None  # X and y
    target: Target | None = None  # of all rows

    @classmethod
    def part(
        cls,
        rows: dict[str, Any],
        share: float | None,
        *,
        seed: int,
        n_folds: int,
        usual: bool,
        task: str = "auto",
    ) -> Holdout:
        """Set rows aside.

        Parameters
        ----------
        rows : dict
            X, y and groups, as `TaskOptions.read` gives them.
        share : float or None
            What the user asked for; None for the default, which gives way where rows are few.
        seed : int
            Decides which rows.
        n_folds : int
            Of the search: the rows that are left must be enough for them.
        usual : bool
            Whether rows are set aside by default.
        task : str
            What the target is.
        """
        if share == 0 or (share is None and not (usual and len(rows["y"]) >= LEAST_ROWS)):
            return cls(rows, None)
        from nffs.table.target import read_target
        from nffs.validation.set_aside import set_aside

        X, y, groups = rows["X"], rows["y"], rows["groups"]
        try:
            with terminal.translated(share="--holdout", y="--target"):
                target = read_target(y, task=task)
                if share is None and target.most_folds < LEAST_OF_A_LABEL * n_folds:
                    return cls(rows, None)
                wanted = SHARE if share is None else share
                seen, unseen = set_aside(y, wanted, groups=groups, seed=seed, task=task)
        except InputError:
            if share is None:
                return cls(rows, None)
            raise
        held = None if groups is None else groups[seen]
        left = {"X": X[seen], "y": y[seen], "groups": held}
        return cls(left, (X[unseen], y[unseen]), target)

    def announce(self, selector: TableSelector, messages: MessageOptions) -> None:
        """Say what is set aside, and how to do without; the target is what it is of all rows."""
        if self.unseen is not None and self.target is not None:
            if selector.pos_label is None:
                selector.set_params(pos_label=self.target.positive_label)
            if self.target.task == "regression":
                selector.set_params(task="regression")
            n_unseen = len(self.unseen[1])
            messages.note(
                f"{n_unseen} of {n_unseen + len(self.seen['y'])} rows are held out: the search "
                "never sees them, and models are scored on them at the end. --holdout 0 turns "
                "this off."
            )

    def scored(
        self, selector: TableSelector, messages: MessageOptions, most_rows: int | None = None
    ) -> Selection:
        """Give the selection of a fitted selector, with the models' scores on unseen rows.

        They are trained on a sample of at most so many rows. Whatever goes wrong with the models,
        the selection is not lost.
        """
        selection = selector.selection_
        if self.unseen is None or selector.partial_:
            return selection
        from joblib import effective_n_jobs

        from nffs.memory import used_memory
        from nffs.validation.need import models_memory
        from nffs.validation.unseen import score_models

        X, y = self.seen["X"], self.seen["y"]
        fitted, trained = selector, ""
        if most_rows is not None and most_rows < min(len(y), selector.max_rows or len(y)):
            # The fitted one stays as it is.
            fitted = copy(selector).set_params(max_rows=most_rows)
            trained = f", trained on a sample of {most_rows} rows"
        need = models_memory(
            min(len(y), most_rows or len(y)), len(self.unseen[1]),
            (int(selector.support_.sum()), len(selector.support_)),
            len(selector.classes_) if selector.task_ == "classification" else 1,
            effective_n_jobs(selector.n_jobs),
        )  # fmt: skip
        messages.note(
            "scoring models on the held-out rows, with the selection and with all columns"
            f"{trained}, in about {(used_memory() + need) >> 20} MiB of memory"
        )
        try:
            with terminal.interruptible():
                scores = score_models(fitted, X, y, *self.unseen, n_jobs=selector.n_jobs)
        except InputError as error:
            messages.note(f"no scores on the held-out rows: {error}")
        except KeyboardInterrupt:
            messages.note("no scores on the held-out rows: interrupted")
        else:
            return selection.with_unseen(scores)
        return selection
