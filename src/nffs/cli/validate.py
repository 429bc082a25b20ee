"""`nffs validate`: what a selection is worth on unseen rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nffs.cli import options, terminal
from nffs.cli.options import option
from nffs.cli.search import TaskOptions

if TYPE_CHECKING:
    from nffs.validation import NestedScore


def validate(
    task: TaskOptions,
    folds: int = option("Outer folds: each is unseen by the selection it scores.", 5, min=2),
) -> None:
    """Score a selection honestly: the whole selection inside every outer fold.

    The inner score is the one that chose the features, the outer score the one on unseen
    rows. The inner score minus the outer score is the optimism.

    For example:

      nffs validate train.csv --target label

      nffs validate train.csv --target label --method rfecv

      nffs validate train.csv --target label --group patient
    """
    selector, rows = task.read()
    seed = task.search.seed
    names = {**task.table.names(task.train), "cv": "--folds or --cv"}
    with task.output.counting("outer folds", folds, names) as step:
        from nffs.validation import nested_score

        cv = options.folds(folds, rows["groups"], seed)
        score = nested_score(selector, **rows, cv=cv, random_state=seed, on_fold=step)
    task.output.give(score.to_dict(), lambda: terminal.say(*_lines(score)))


def _lines(score: NestedScore) -> Iterator[str]:
    yield f"{score.scoring} over {len(score.folds)} outer folds, 95 % intervals\n"
    for name, estimate in (
        ("inner, which chose the features", score.inner),
        ("outer, on unseen rows", score.outer),
        ("optimism, inner minus outer", score.optimism),
        ("all columns, on unseen rows", score.all_features),
    ):
        yield f"  {name:<32} {estimate.mean:+.4f}  [{estimate.low:+.4f}, {estimate.high:+.4f}]"
    sizes = [len(fold.selected) for fold in score.folds]
    yield f"\n  features selected: {min(sizes)} to {max(sizes)}"
    stability = score.stability
    interval = f"{stability.value:.2f} [{stability.low:.2f}, {stability.high:.2f}]"
    yield f"  stability of the folds' selections: {interval}"
    yield terminal.rows_and_label(score.evaluated_on, score.positive)
