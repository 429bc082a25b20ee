"""What a comparison says first: the verdict, and the chart that shows it."""

import re

import numpy as np
from documents import compared
from scipy.stats import t

from nffs.validation.comparison.report import render_comparison
from nffs.validation.comparison.verdict import alike, verdict


class TestVerdict:
    """Who is first, who cannot be told apart from it, and the brackets around those."""

    ORDER = ("guided", "ga", "ig", "random")

    def document(self, margins, seeds=8):
        made = compared(dict(zip(self.ORDER, margins, strict=False)), seeds)
        return made, render_comparison(made)

    def test_the_first_and_what_cannot_be_told_from_it(self):
        made, page = self.document([0.05, 0.04, -0.05, -0.1])
        row = made["methods"][0]
        score, gain = row["transfer"]["mean"], row["gain"]["mean"]
        said = (
            f"guided is first ({score:.3f} with 10 of 46 columns, {score - gain:.3f} with all); "
            "it cannot be told apart from ga"
        )
        assert verdict(made) == said
        assert f"<h1>{said}</h1>" in page
        assert alike(made) == [[0, 1], [1, 2], [2, 3]]
        wide = page.partition('class="on-wide">')[2].partition("</svg>")[0]
        assert wide.count('class="bracket"') == 3
        assert re.findall(r'class="point (\w*)"', wide) == ["first", "first", "", ""]

    def test_methods_that_do_not_differ_are_in_one_bracket(self):
        made, _ = self.document([0.0, 0.0, 0.0], seeds=2)
        assert " with all); no method can be told apart from another" in verdict(made)
        assert alike(made) == [[0, 1, 2]]

    def test_without_a_test_it_says_so(self):
        for margins, seeds in (([0.1, 0.0], 8), ([0.1, 0.05, 0.0], 1)):
            made, page = self.document(margins, seeds)
            assert "is not tested" in verdict(made)
            assert alike(made) == []
            assert 'class="bracket" d' not in page

    def test_intervals_are_those_of_the_mean_over_seeds(self):
        made, page = self.document([0.05, 0.04, -0.05])
        scores = [run["transfer"] for run in made["methods"][0]["runs"]]
        low, high = t.interval(0.95, 7, np.mean(scores), np.std(scores, ddof=1) / np.sqrt(8))
        assert f"guided: {np.mean(scores):.4f}, 95 % interval {low:.4f} to {high:.4f};" in page

    def test_all_columns_may_be_first(self):
        made = compared({"all": 0.1, "ga": 0.0, "ig": -0.1, "random": -0.2}, 12)
        assert verdict(made).startswith("all columns are first (0.")
        assert verdict(made).endswith("); they cannot be told apart from ga")
