"""The verdict, the models' scores and unseen rows: on the page, in notebooks and terminals."""

import io
from dataclasses import replace

import pytest
from documents import FINAL, checked, made_up
from rich.console import Console

from nffs.report import render_report, summarize
from nffs.report.notebook import render_notebook
from nffs.report.templating import scores_together
from nffs.report.terminal import print_selection
from nffs.selection import MemberScore


def printed(selection):
    console = Console(file=io.StringIO(), width=80)
    print_selection(selection, console)
    return console.file.getvalue()


def section(page, name):
    return page[page.index(f'<h2 id="{name}">') :].partition("</section>")[0]


def test_the_score_is_the_mean_and_all_features_are_compared_by_the_best_model_of_each():
    score = summarize(checked())["score"]
    assert score["value"] == 0.8654
    assert score["mean_of"] == "mean of forest 0.8543 and logistic 0.8765"
    assert score["best"] == {"name": "logistic", "score": 0.8765}
    # Not logistic regression, which all features hurt, nor the mean with it.
    assert score["best_with_all"] == {"name": "forest", "score": 0.8432}
    assert score["all_features"] is None
    assert (score["gain"], score["gain_error"]) == (0.0333, 0.0044)


def test_one_model_has_no_name():
    alone = replace(FINAL, members=(MemberScore("group 1", 0.8654, 0.7272),))
    score = summarize(replace(checked(), final=alone))["score"]
    assert (score["value"], score["mean_of"], score["best"]) == (0.8654, None, None)
    assert score["all_features"] == 0.7272


class TestTerminal:
    def test_the_verdict_comes_first(self):
        text = " ".join(printed(checked()).split())
        assert text.startswith(f"{FINAL.verdict} Averaged over the models, they score f1 0.865 on")
        assert "evaluated on: ten other folds" in text

    def test_a_row_for_every_model_of_the_panel(self):
        lines = printed(checked()).splitlines()
        place = lines.index("  model             with the selection  with all features  difference")
        assert lines[place + 1 : place + 5] == [
            "  forest                        0.8543             0.8432     +0.0111",
            "  logistic                      0.8765             0.6112     +0.2653",
            "  mean                          0.8654             0.7272     +0.1382",
            "  the best of each              0.8765             0.8432     +0.0333",
        ]

    def test_unseen_rows(self):
        lines = printed(checked()).splitlines()
        place = next(i for i, line in enumerate(lines) if line.startswith("On 1,234 rows that the"))
        text = " ".join(" ".join(lines[place:]).split())
        assert text.startswith(
            "On 1,234 rows that the search never saw: f1 of models trained on 4,321 others "
            "model with the selection with all features difference forest 0.8811 0.8822 -0.0011"
        )

    def test_a_choice_that_is_not_nested_is_not_the_first_so_many(self):
        selection = checked(40)
        swapped = {11: False, 20: True}  # another one in place of the twelfth
        features = tuple(
            replace(f, selected=swapped.get(i, f.selected))
            for i, f in enumerate(selection.features)
        )
        names = tuple(f.name for f in features if f.selected)
        other = replace(selection, features=features, selected_features=names)
        assert summarize(other)["curve"]["chosen"] is None
        assert summarize(selection)["curve"]["chosen"]["size"] == 12

    def test_without_a_check_nothing_is_said(self):
        text = printed(made_up(30))
        assert "with the selection" not in text
        assert "never saw" not in text


class TestPage:
    @pytest.fixture(scope="class")
    def page(self):
        return render_report(checked())

    def test_the_verdict_is_on_the_first_screen(self, page):
        first = page.partition("<main")[0]
        assert f"<h1>{scores_together(FINAL.verdict)}</h1>" in first
        assert (
            '<p class="lede">Averaged over the models, they score f1 0.865 on the rows used'
            in first
        )
        facts = page[page.index('<dl class="facts') :].partition("</dl>")[0]
        assert '<dd class="value">0.8654</dd>' in facts
        assert "mean of forest 0.8543 and logistic 0.8765; " in facts
        assert '<dd class="value">+0.0333</dd>' in facts
        assert (
            "±&nbsp;0.0044; the best model of each: logistic 0.8765 with the selection, forest "
            "0.8432 with all features" in facts
        )
        assert "0.6112" not in facts
        assert "0.7272" not in facts

    def test_the_final_check(self, page):
        part = section(page, "check")
        for words in ("ten other folds", "0.5012", "<td>0.6112</td>", "+0.2653", "mean"):
            assert words in part
        assert "pass the one that you will deploy as <code>estimator=</code>" in part
        assert page.count('href="#check"') == 1

    def test_unseen_rows(self, page):
        part = section(page, "unseen")
        for words in (
            "1,234 rows",
            "4,321 others",
            "with the selection",
            "with all features",
            "+0.0033",
        ):
            assert words in part
        assert 'href="#unseen"' in page.partition("<main")[0]

    def test_charts_are_about_the_search(self, page):
        assert "three folds of the search" in page
        assert "chosen in the final check: 12 features, 0.8654" in page
        assert "all features: 0.7111" in page

    @pytest.mark.parametrize("method", ["nffs", "ga"])
    def test_a_choice_beside_all_evaluated_subsets_is_within_the_picture(self, method):
        """The final check may choose a subset that the search never evaluated."""
        selection = checked(200, method=method, n_selected=150, n_nested=199)
        sizes = (1, 2, 3)
        few = replace(selection, subset_sizes=sizes, subset_fitness=(0.1, 0.2, 0.3), fitness=0.99)
        if method == "nffs":
            phases = replace(
                few.phases, nested_sizes=sizes, nested_fitness=(0.1, 0.2, 0.3),
                nested_standard_errors=(),
            )  # fmt: skip
            few = replace(few, phases=phases)
        page = render_report(few)
        assert "Chosen: 150 features, 0.9900." in page
        mark = page[page.index('<circle class="chosen" cx="') :]
        x, y = (float(mark.split(f'{axis}="')[1].split('"')[0]) for axis in ("cx", "cy"))
        assert 0 < x < 480
        assert 0 < y < 268

    def test_names_of_models_are_text(self):
        evil = MemberScore("<b>x</b>", 0.9, 0.8)
        final = replace(FINAL, members=(evil, *FINAL.members), verdict="<i>so</i>")
        page = render_report(replace(checked(), final=final))
        assert "<b>x</b>" not in page
        assert "&lt;b&gt;x&lt;/b&gt;" in page
        assert "&lt;i&gt;so&lt;/i&gt;" in page


def test_in_a_notebook():
    shown = render_notebook(checked(), "NFFS()")
    assert f"<b>{FINAL.verdict}</b>" in shown
    assert "<b>0.8654</b>, mean of forest 0.8543 and logistic 0.8765</dd>" in shown
    assert "+0.0333, the best model of each: logistic 0.8765 and forest 0.8432</dd>" in shown
