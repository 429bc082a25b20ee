"""The comparison study as Markdown: which runs there are, what they show, and folded tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from _common import table
from _runs import Covered
from _study import (
    OURS,
    AtBudget,
    gain,
    gain_of,
    models_score,
    unseen_score,
)

#: Tables that somebody had looked at when a default was chosen: what for, and which.
CHOSEN_ON: dict[str, tuple[str, ...]] = {
    "defaults of NFFS, such as how it divides a small budget,": ("connections", "nsl-kdd"),
    "numbers of boosting rounds": (
        "german", "biodeg", "sick", "clean1", "connections", "vehicle", "waveform_40",
    ),
}  # fmt: skip

#: What counts as clear.
_LEVEL = 0.05


def looked_at() -> set[str]:
    """Give the tables on which any default was chosen."""
    return set().union(*CHOSEN_ON.values())


def what_is_there(
    covered: Sequence[Covered],
    other_code: Mapping[str, int],
    study: Sequence[AtBudget],
    failed: Sequence[str],
    away: Sequence[str],
) -> str:
    """Say which runs there are, and which are missing."""
    lines = []
    budgets = {at.budget: at for at in study}
    for budget in dict.fromkeys(one.budget for one in covered):
        seeds = [one for one in covered if one.budget == budget]
        made, planned = sum(one.runs for one in seeds), sum(one.planned for one in seeds)
        line = f"- **{budget} evaluations: {made:,} of {planned:,} runs are made.**"
        begun = [
            f"seed {one.seed} on {one.tables} of {one.planned_tables} tables"
            for one in seeds
            if one.runs
        ]
        if begun:
            line += f" All methods have run with {_joined(begun)}."
        if budget in budgets:
            line += _counted(budgets[budget])
        lines.append(line)
    if other_code:
        told = ", ".join(f"{n} of `{method}`" for method, n in sorted(other_code.items()))
        lines.append(
            f"- Not counted, because today's code may give other results: {told} "
            f"({sum(other_code.values())} runs)."
        )
    if away:
        lines.append(f"- Tables without any run: {', '.join(away)}.")
    lines += [f"- Failed: {line}" for line in failed]
    for what, names in CHOSEN_ON.items():
        lines.append(f"- The {what} were chosen with scores of these tables: {', '.join(names)}.")
    return "\n".join(lines)


def _counted(at: AtBudget) -> str:
    """Say what is ranked of the runs with one budget."""
    least, most = at.n_seeds
    seeds = f"{most}" if least == most else f"{least} to {most}"
    said = (
        f" Ranked here: {len(at.methods)} methods on {len(at.tables)} tables, "
        f"{seeds} seed{'s' if most > 1 else ''}"
    )
    for what, names in at.left_out.items():
        if names:
            said += f"; incomplete {what}, not ranked: {', '.join(names)}"
    return said + "."


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def in_short(study: Sequence[AtBudget]) -> str:
    """Say at every budget where our method stands, and what its selections cost."""
    lines = []
    for at in study:
        if OURS not in at.methods:
            continue
        place = at.methods.index(OURS)
        losses = ", ".join(
            f"{at.means(lambda run, m=model: gain_of(run, m))[:, place].mean():+.4f} {model}"
            for model in at.models
        )
        lines.append(
            f"- **{at.budget} evaluations**: `{OURS}` is {_ordinal(place + 1)} of "
            f"{len(at.methods)} in mean rank. {_against(at)} It keeps "
            f"{_percent(at.shares()[:, place].mean())} of the columns. Scores of models with these "
            f"columns minus their scores with all columns: {losses}."
        )
    return "\n".join([*lines, *_fewer_evaluations(study)])


def _against(at: AtBudget) -> str:
    """Name the rivals that it is better than, those that it is not, and those it is worse than."""
    margins = at.margins(models_score)
    clear = [r for r, m in margins.items() if m.adjusted < _LEVEL]
    better = [r for r in clear if margins[r].mean > 0]
    worse = [r for r in clear if margins[r].mean <= 0]
    open_ = [r for r in margins if r not in clear]
    said = f"It beats {len(better)} of {len(margins)} rivals (p < {_LEVEL}, corrected by Holm)"
    if better and len(better) < len(margins):
        said += f": {_listed(better)}"
    if worse:
        said += f"; it is worse than {_listed(worse)}"
    if open_ and better:
        said += f"; it cannot be told apart from {_listed(open_)}"
    return said + "."


def _listed(names: Sequence[str]) -> str:
    """List methods, marked as names: one of them is called 'all'."""
    return ", ".join(f"`{name}`" for name in names)


def _fewer_evaluations(study: Sequence[AtBudget]) -> list[str]:
    """Set ours with the fewest evaluations beside all others with the next budget."""
    if len(study) < 2 or any(OURS not in at.methods for at in study[:2]):
        return []
    few, many = study[:2]
    tables = [name for name in few.tables if name in many.tables]
    if not tables:
        return []
    ours, theirs = (
        at.means(models_score)[[at.tables.index(name) for name in tables]].mean(axis=0)
        for at in (few, many)
    )
    mine = ours[few.methods.index(OURS)]
    above = {n: s - mine for n, s in zip(many.methods, theirs, strict=True) if n != OURS}
    ahead = [f"`{name}` ({by:+.4f})" for name, by in above.items() if by > 0]
    said = f"these score higher: {', '.join(ahead)}" if ahead else "none scores higher"
    return [
        f"- With {few.budget} evaluations, `{OURS}` scores {mine:.4f} on average over "
        f"{len(tables)} tables. Of the other methods with {many.budget} evaluations, {said}."
    ]


def ranks_text(at: AtBudget) -> str:
    """Say what Friedman's test says."""
    ranks = at.ranks
    if ranks.pvalue is None or ranks.critical_difference is None:
        return "Too few methods or tables for a test of ranks."
    return (
        f"Mean ranks over {len(at.tables)} tables. Friedman's test of whether all methods "
        f"are equal gives p = {ranks.pvalue:.2g}. A bar joins methods whose ranks differ by less "
        f"than the critical difference (Nemenyi, {_percent(ranks.alpha)}): these tables cannot "
        "tell them apart."
    )


def rivals_table(at: AtBudget) -> str:
    """Set ours against every rival, by the deployed models and by the evaluator's own score."""
    deployed, own = at.margins(models_score), at.margins(unseen_score)
    fresh = AtBudget(
        at.budget,
        {name: runs for name, runs in at.by_table.items() if name not in looked_at()},
        at.sizes,
    )
    rows = []
    for rival, margin in deployed.items():
        by_table = at.differences(models_score, rival)
        lost = min(by_table, key=lambda name: by_table[name])
        others = list(fresh.differences(models_score, rival).values())
        rows.append(
            [
                rival,
                f"{margin.mean:+.4f}",
                f"{margin.better}:{margin.worse}",
                f"{margin.pvalue:.2g}",
                f"{margin.adjusted:.2g}",
                f"{np.mean(others):+.4f}" if others else "-",
                f"{own[rival].mean:+.4f}",
                f"{own[rival].better}:{own[rival].worse}",
                f"{own[rival].adjusted:.2g}",
                f"{lost} {by_table[lost]:+.4f}" if by_table[lost] < 0 else "none",
            ]
        )
    header = [
        f"{OURS} minus", "models", "tables", "p", "Holm", "other tables", "own unseen", "tables",
        "Holm", "loses most on",
    ]  # fmt: skip
    return table(header, rows)


def methods_table(at: AtBudget) -> str:
    """List all methods from best to worst, with all that was measured, in the mean over tables."""
    mean = {
        "models": at.means(models_score).mean(axis=0),
        "gain": at.means(gain).mean(axis=0),
        "unseen": at.means(unseen_score).mean(axis=0),
        "believed": at.means(lambda run: run["score"]).mean(axis=0),
        "optimism": at.means(lambda run: run["optimism"]).mean(axis=0),
        "columns": at.means(lambda run: run["n_features"]).mean(axis=0),
        "evaluations": at.means(lambda run: run["evaluations"]).mean(axis=0),
        "seconds": at.means(lambda run: run["seconds"]).mean(axis=0),
    }
    of_model = [at.means(lambda run, m=m: gain_of(run, m)).mean(axis=0) for m in at.models]
    shares, stability = at.shares().mean(axis=0), at.stability()
    known = ~np.isnan(stability).all(axis=1)
    rows = [
        [
            method,
            f"{at.ranks.mean[i]:.2f}",
            f"{mean['models'][i]:.4f}",
            f"{mean['gain'][i]:+.4f}",
            *(f"{values[i]:+.4f}" for values in of_model),
            f"{mean['believed'][i]:.4f}",
            f"{mean['unseen'][i]:.4f}",
            f"{mean['optimism'][i]:+.4f}",
            f"{mean['columns'][i]:.0f}",
            f"{shares[i]:.0%}",
            f"{np.nanmean(stability[known, i]):.2f}" if known.any() else "-",
            f"{mean['evaluations'][i]:.0f}",
            f"{mean['seconds'][i]:.1f}",
        ]
        for i, method in enumerate(at.methods)
    ]
    header = [
        "method", "rank", "models", "minus all", *at.models, "believed", "own unseen", "optimism",
        "columns", "share", "stability", "evals", "s",
    ]  # fmt: skip
    return table(header, rows)


def tables_table(at: AtBudget) -> str:
    """List the deployed models' mean score of every method on every table."""
    scores = at.means(models_score)
    rows = [
        [name, at.sizes[name], *(f"{score:.3f}" for score in scores[place])]
        for place, name in enumerate(at.tables)
    ]
    return table(["table", "columns", *at.methods], rows)


def folded(title: str, text: str) -> str:
    """Fold a table away; it opens on a click."""
    return f"<details>\n<summary>{title}</summary>\n\n```text\n{text}\n```\n\n</details>"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
