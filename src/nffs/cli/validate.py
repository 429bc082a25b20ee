"""`nffs validate`: what a selection is worth on unseen rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nffs.cli import options, terminal
from nffs.cli.options import option, output_option
from nffs.cli.search import TaskOptions

if TYPE_CHECKING:
    from nffs.validation import NestedScore

_REPORT = output_option(
    "Select from all rows as well, and write the HTML report of that selection with these scores "
    "to this file."
)


def validate(
    task: TaskOptions,
    folds: int = option("Outer folds; each scores a selection that never saw it.", 5, min=2),
    models: str = options.MODELS,
    report: Path | None = _REPORT,
) -> None:
    """Score a selection honestly: the whole selection inside every outer fold.

    The inner score is from the rows used to choose the features, the outer score from unseen
    rows. The inner score minus the outer score is the optimism.

    You may deploy another model, so a random forest, gradient boosting and logistic regression
    (ridge regression for numbers) are also scored on the same unseen rows, with the selected
    columns and with all columns.

    For example:

      nffs validate train.csv --target label

      nffs validate train.csv --target label --method rfecv --models boosting

      nffs validate train.csv --target label --group patient --report page.html
    """
    task.output.check(task.train, report=report)
    selector, rows = task.read()
    seed = task.search.seed
    names = {**task.table.names(task.train), "cv": "--folds or --cv"}
    total = folds + (report is not None)
    with task.output.counting("outer folds", total, names) as step:
        from nffs.validation import nested_score
        from nffs.validation.whole import fit_whole

        cv = options.folds(folds, rows["groups"], seed)
        asked = options.models_named(models)
        score = nested_score(selector, **rows, cv=cv, models=asked, random_state=seed, on_fold=step)
        if report is not None:
            fit_whole(selector, **rows)
            step()

    def page() -> str:
        from nffs.report import render_report

        return render_report(selector.selection_, nested=score)

    task.output.give(score.to_dict(), lambda: _show(score), report, page)


def _show(score: NestedScore) -> None:
    from nffs.report.validated import nested_facts

    facts = nested_facts(score)
    assert facts is not None
    terminal.answer(facts["verdict"], facts["optimism_verdict"])
    terminal.say(*_lines(score))


def _lines(score: NestedScore) -> Iterator[str]:
    yield f"\n{score.scoring} over {len(score.folds)} outer folds, 95 % intervals\n"
    for name, estimate in (
        ("inner, on rows used to choose", score.inner),
        ("outer, on unseen rows", score.outer),
        ("optimism, inner minus outer", score.optimism),
        ("all columns, on unseen rows", score.all_features),
    ):
        sign = "+" if estimate is score.optimism else ""  # the others are no differences
        mean, low, high = (
            f"{value:{sign}z.4f}" for value in (estimate.mean, estimate.low, estimate.high)
        )
        yield f"  {name:<32} {mean:>7}  [{low}, {high}]"
    sizes = [len(fold.selected) for fold in score.folds]
    yield f"\n  features selected: {min(sizes)} to {max(sizes)}"
    stability = score.stability
    interval = f"{stability.value:.2f} [{stability.low:.2f}, {stability.high:.2f}]"
    yield f"  stability of the folds' selections: {interval}"
    yield terminal.rows_and_label(score.evaluated_on, score.positive)
    if score.models:
        yield from _model_lines(score)


def _model_lines(score: NestedScore) -> Iterator[str]:
    from nffs.report.templating import mean_count
    from nffs.report.validated import nested_facts

    facts = nested_facts(score)
    assert facts is not None
    first = facts["models"][0]
    n_selected, n_columns = mean_count(first["n_selected"]), mean_count(first["n_columns"])
    yield (
        f"\nModels on rows that the selection never saw: {score.scoring} with the selected columns "
        f"({n_selected} on average), with all {n_columns}, and the difference\n"
    )
    yield f"  {'model':<10} {'selected':>9} {'all':>9}  {'difference, 95 % interval':<27}  verdict"
    for model in facts["models"]:
        low, high = model["difference"]["low"], model["difference"]["high"]
        yield (
            f"  {model['name']:<10} {model['selected']['mean']:>9.4f} "
            f"{model['all_features']['mean']:>9.4f}  {model['difference']['mean']:+z.4f}  "
            f"[{low:+z.4f}, {high:+z.4f}]  {model['verdict']}"
        )
    yield (
        "\nA model gains or loses if the whole interval lies above or below 0; otherwise it does "
        "as well, as far as these folds can tell."
    )
