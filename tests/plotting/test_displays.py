"""The displays: they show the selector's numbers, from the selector and from its file alike."""

import subprocess
import sys
from dataclasses import replace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

from nffs import NFFS, InputError, PartialWarning, Selection, Selector
from nffs.plotting import (
    CourseDisplay,
    EffectsDisplay,
    ExpectedDisplay,
    FitnessDisplay,
    MutualInformationDisplay,
    NestedCurveDisplay,
    ShiftDisplay,
    StabilityDisplay,
    SubsetsDisplay,
    WeightsDisplay,
)
from nffs.report.palette import BLUE
from nffs.validation import selection_stability, shift

OF_ALL = (CourseDisplay, FitnessDisplay, MutualInformationDisplay, SubsetsDisplay)
OF_PHASES = (NestedCurveDisplay, WeightsDisplay)
OF_A_MODEL = (EffectsDisplay, ExpectedDisplay)
DISPLAYS = (*OF_ALL, *OF_PHASES, *OF_A_MODEL)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def selector(connections):
    selector = NFFS(estimator=GaussianNB(), n_subsets=12, n_nested=20, random_state=0)
    return selector.fit(connections.data, connections.target)


@pytest.fixture(scope="module")
def genetic(connections):
    selector = Selector("ga", estimator=GaussianNB(), max_evaluations=15, random_state=0)
    return selector.fit(connections.data, connections.target)


@pytest.fixture(scope="module")
def guided(connections):
    selector = Selector("guided", estimator=GaussianNB(), max_evaluations=30, random_state=0)
    return selector.fit(connections.data, connections.target)


@pytest.fixture
def shown_by(selector, guided):
    """Give a selector that a display can show."""
    return lambda display: guided if display in OF_A_MODEL else selector


def widths(bars):
    return [bar.get_width() for bar in bars]


def row_names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_mutual_information_largest_first(selector):
    display = MutualInformationDisplay.from_selector(selector, n_features=5)
    order = np.argsort(-selector.mi_, kind="stable")[:5]
    assert_allclose(widths(display.bars_), selector.mi_[order])
    assert row_names(display) == [selector.features_[i] for i in order]
    assert display.threshold_.get_xdata()[0] == selector.threshold_


def test_mutual_information_as_a_histogram_has_every_varying_feature(selector):
    display = MutualInformationDisplay.from_selector(selector, kind="histogram")
    assert display.bars_.get_data().values.sum() == (selector.probability_weights_ > 0).sum()


def blue(display):
    """The rows whose bars are blue."""
    rows = zip(row_names(display), display.bars_, strict=True)
    return [name for name, bar in rows if to_hex(bar.get_facecolor()) == BLUE]


def test_weights_mark_the_selected(selector):
    display = WeightsDisplay.from_selector(selector, n_features=46)
    assert sorted(blue(display)) == sorted(selector.selected_features_)
    order = np.argsort(selector.ranking_)
    assert_allclose(widths(display.bars_), selector.frequency_weights_[order])


def test_all_weights_by_rank(selector):
    display = WeightsDisplay.from_selector(selector, kind="ranks")
    heights = [bar.get_height() for bar in display.bars_]
    assert_allclose(heights, selector.frequency_weights_[np.argsort(selector.ranking_)])


def test_the_nested_curve_with_its_band_and_points(quick, connections):
    selector = quick(n_nested=20, choose="method").fit(connections.data, connections.target)
    display = NestedCurveDisplay.from_selector(selector)
    x, y = display.line_.get_data()
    assert x.tolist() == list(range(1, 21))
    assert_allclose(y, selector.nested_fitness_)
    best = int(selector.nested_fitness_.argmax())
    reach = display.standard_errors[best]
    assert reach == pytest.approx(selector.standard_error_)
    above = display.band_.get_paths()[0].vertices
    assert above[:, 1].max() >= y[best] + reach - 1e-12
    assert display.chosen_.get_xdata()[0] == len(selector.selected_features_)
    assert display.one_se_.get_xdata()[0] == len(selector.one_se_features_)
    assert selector.evaluated_on_ in display.figure_.get_suptitle().replace("\n", " ")


def test_a_choice_of_the_final_check_need_not_be_nested(selector):
    """It is marked where the final check scored it; everything else is of the search's rows."""
    display = NestedCurveDisplay.from_selector(selector)
    assert_allclose(display.line_.get_ydata(), selector.nested_fitness_)
    assert display.chosen_.get_xdata()[0] == len(selector.selected_features_)
    assert display.chosen_.get_ydata()[0] == selector.fitness_
    assert display.all_features == selector.final_.searched_all_features
    caption = display.figure_.get_suptitle().replace("\n", " ")
    assert selector.final_.searched_on in caption
    assert "the chosen subset in the final check" in caption


def test_a_choice_of_any_size_is_on_the_picture(selector):
    selection = selector.selection_
    phases = replace(
        selection.phases,
        nested_sizes=(1, 2, 3),
        nested_fitness=(0.1, 0.2, 0.3),
        nested_standard_errors=(),
    )
    for display in (NestedCurveDisplay, SubsetsDisplay):
        drawn = display.from_selection(replace(selection, phases=phases))
        (x,), (y,) = drawn.chosen_.get_data()
        assert drawn.ax_.get_xlim()[0] <= x <= drawn.ax_.get_xlim()[1]
        assert drawn.ax_.get_ylim()[0] <= y <= drawn.ax_.get_ylim()[1]


def test_the_fitness_of_both_phases(selector):
    display = FitnessDisplay.from_selector(selector)
    drawn, nested = display.bars_
    assert drawn.get_data().values.sum() == len(selector.drawn_fitness_)
    assert nested.get_data().values.sum() == len(selector.nested_fitness_)
    assert drawn.get_fill()
    assert not nested.get_fill()


def test_subsets_by_size_with_the_chosen_one(genetic):
    display = SubsetsDisplay.from_selector(genetic)
    sizes = genetic.archive_masks_.sum(axis=1)
    assert_allclose(display.points_.get_offsets(), np.c_[sizes, genetic.archive_fitness_])
    assert display.chosen_.get_xdata()[0] == len(genetic.selected_features_)
    assert display.candidates_ is None
    x, y = display.front_.get_data()
    for size, score in zip(x, y, strict=True):
        assert score == genetic.archive_fitness_[sizes <= size].max()
    assert x[-1] == sizes.max()
    assert set(x[:-1]) == {point.size for point in genetic.front_}


def test_the_front_of_a_final_check_is_that_of_its_candidates(selector):
    display = SubsetsDisplay.from_selector(selector)
    final = selector.final_
    assert_allclose(display.candidates_.get_offsets(), np.c_[final.sizes, final.fitness])
    assert display.front_.get_ydata()[-1] == max(final.fitness)
    assert len(display.points_.get_offsets()) == len(selector.archive_fitness_)


def test_a_picked_point_is_marked_on_the_front(genetic):
    point = genetic.front_[0]
    display = SubsetsDisplay.from_selection(genetic.selection_.at_most(point.size))
    (x,), (y,) = display.chosen_.get_data()
    assert (x, y) == (point.size, point.fitness)


def test_the_best_so_far(genetic, guided):
    for selector in (genetic, guided):
        display = CourseDisplay.from_selector(selector)
        assert_allclose(display.points_.get_offsets()[:, 1], selector.archive_fitness_)
        best = np.maximum.accumulate(selector.archive_fitness_)
        assert_allclose(display.best_.get_ydata(), best)
    assert CourseDisplay.from_selector(genetic).first_ is None
    assert display.first_.get_xdata()[0] == 9.5  # three in ten of thirty


def test_effects_largest_first_with_their_intervals(guided):
    display = EffectsDisplay.from_selector(guided, n_features=8)
    effects = guided.learned_.effects
    value, error = dict(zip(guided.features_, effects.value, strict=True)), effects.error
    shown = widths(display.bars_)
    assert shown == sorted(shown, reverse=True)
    assert min(map(abs, shown)) >= np.sort(np.abs(effects.value))[-9]
    assert_allclose(shown, [value[name] for name in row_names(display)])
    reach = [np.ptp(ends[:, 0]) / 2 for ends in display.intervals_.get_segments()]
    places = [guided.features_.index(name) for name in row_names(display)]
    assert_allclose(reach, 1.96 * error[places])
    selected = [name for name in row_names(display) if name in guided.selected_features_]
    assert blue(display) == selected


def test_effects_of_all_features_that_were_tried(guided):
    display = EffectsDisplay.from_selector(guided, kind="ranks")
    assert len(display.bars_) == (~guided.constant_).sum()


def test_expected_and_observed_of_what_the_model_proposed(guided):
    display = ExpectedDisplay.from_selector(guided)
    learned = guided.learned_
    asked = ~np.isnan(learned.expected)
    pairs = np.c_[learned.expected, learned.fitness][asked]
    assert_allclose(display.points_.get_offsets(), pairs)


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_displays_of_a_model_say_that_there_is_none(display, genetic):
    with pytest.raises(
        InputError, match=f"{display.__name__} .* method 'ga' has none; select with"
    ):
        display.from_selector(genetic)


@pytest.mark.parametrize("display", OF_ALL)
def test_every_method_has_displays(display, genetic):
    assert display.from_selector(genetic).ax_.has_data()


def test_mutual_information_without_a_threshold(genetic):
    for kind in ("bars", "histogram"):
        display = MutualInformationDisplay.from_selector(genetic, kind=kind)
        assert display.threshold_ is None
        assert display.ax_.get_legend() is None


@pytest.mark.parametrize("display", OF_PHASES)
def test_displays_of_phases_say_that_there_are_none(display, genetic):
    with pytest.raises(InputError, match=f"{display.__name__} shows the phases .* 'ga' has none"):
        display.from_selector(genetic)


def test_stability_of_a_repeated_selection(connections):
    found = selection_stability(SelectKBest(k=8), connections.data, connections.target, n_runs=3)
    display = StabilityDisplay.from_result(found, n_features=6)
    points = display.points_.lines[0].get_xdata()
    assert_allclose(points, np.sort(found.share)[::-1][:6])
    assert f"stability {found.stability.value:.2f}" in display.figure_.get_suptitle()
    low = [segment[0, 0] for segment in display.points_.lines[2][0].get_segments()]
    order = np.argsort(-found.share, kind="stable")[:6]
    assert_allclose(low, found.low[order], atol=1e-12)


def test_stability_of_any_selections_leaves_out_what_was_never_selected():
    display = StabilityDisplay.from_selections(np.eye(4)[[0, 0, 1]])
    assert row_names(display) == ["x0", "x1"]
    with pytest.raises(InputError, match="names: found 2 names for 4 features"):
        StabilityDisplay.from_selections(np.eye(4), names=["a", "b"])


def test_shift_shows_the_columns_that_moved():
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(300, 4)), rng.normal([0, 0, 2, 0], size=(300, 4))
    found = shift(old, new)
    display = ShiftDisplay.from_result(found, n_features=3)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [column.name for column in found.columns[:3]]
    assert names[0] == "x2"
    assert to_hex(display.bars_[0].get_facecolor()) == BLUE.lower()
    assert to_hex(display.bars_[1].get_facecolor()) != BLUE.lower()
    assert_allclose(display.bars_[0].get_width(), found.columns[0].auc - 0.5)
    assert display.together_.get_xdata()[0] == found.auc
    assert "1 of 4 columns moved" in display.figure_.get_suptitle()


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_file_draws_the_same_picture(display, shown_by, tmp_path):
    selector = shown_by(display)
    selector.selection_.save(tmp_path / "selection.json")
    pictures = []
    for drawn in (
        display.from_selector(selector),
        display.from_selection(Selection.load(tmp_path / "selection.json")),
        display.from_selection(tmp_path / "selection.json"),
    ):
        drawn.figure_.canvas.draw()
        pictures.append(np.asarray(drawn.figure_.canvas.buffer_rgba()))
    assert (pictures[0] == pictures[1]).all()
    assert (pictures[0] == pictures[2]).all()


def test_an_older_file_has_no_band(selector):
    selection = selector.selection_
    phases = replace(selection.phases, nested_standard_errors=(), one_se_features=())
    display = NestedCurveDisplay.from_selection(replace(selection, phases=phases))
    assert display.band_ is display.one_se_ is None


@pytest.mark.parametrize("display", DISPLAYS)
def test_given_axes_are_drawn_on_and_settings_stay(display, shown_by):
    before = dict(matplotlib.rcParams)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4))
    drawn = display.from_selector(shown_by(display), axes[1])
    assert drawn.ax_ is axes[1]
    assert drawn.figure_ is figure
    assert not axes[0].has_data()
    assert figure.get_suptitle() == ""
    assert dict(matplotlib.rcParams) == before
    assert drawn.plot() is drawn
    assert drawn.figure_ is not figure
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    ("width", "inches"), [("screen", 6.4), ("single", 3.4), ("double", 7.0), (5, 5.0)]
)
def test_widths(selector, width, inches):
    display = NestedCurveDisplay.from_selector(selector, width=width)
    assert display.figure_.get_size_inches()[0] == pytest.approx(inches)


@pytest.mark.parametrize("width", ["screen", "single", "double"])
@pytest.mark.parametrize("display", DISPLAYS)
def test_nothing_is_cut_off(display, width, shown_by):
    figure = display.from_selector(shown_by(display), width=width).figure_
    figure.canvas.draw()
    inner, outer = figure.get_tightbbox(), figure.get_size_inches()
    assert inner.x0 > -0.01
    assert inner.y0 > -0.01
    assert inner.x1 < outer[0] + 0.01
    assert inner.y1 < outer[1] + 0.01


def test_names_are_text_not_mathematics():
    names = ["$x$", r"\frac{a}{", "a" * 200, "<b>", "\x1b[2J\x9b"]
    display = WeightsDisplay(
        weights=[0.5, 0.4, 0.3, 0.2, 0.1], names=names, selected=[1, 0, 0, 0, 0]
    ).plot()
    display.figure_.canvas.draw()
    shown = row_names(display)
    assert shown[0] == r"\$x\$"
    assert len(shown[2]) < 30
    assert shown[4] == "\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"kind": "pie"}, "kind: must be 'bars' or 'ranks', found 'pie'"),
     ({"n_features": 0}, "n_features: must be 1 or more, found 0"),
     ({"width": "triple"}, "width: must be 'screen', 'single', 'double' or inches, found 'tri")],
)  # fmt: skip
def test_mistakes_get_a_sentence(selector, options, sentence):
    with pytest.raises(InputError, match=sentence):
        WeightsDisplay.from_selector(selector, **options)


def test_a_search_stopped_in_phase_one_has_no_weights(selector):
    selection = selector.selection_
    phases = replace(selection.phases, weight=(0.0,) * len(selection.features))
    with pytest.raises(InputError, match="stopped in phase I"):
        WeightsDisplay.from_selection(replace(selection, partial=True, phases=phases))


def test_without_matplotlib_one_sentence_tells_what_to_install(selector, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        FitnessDisplay.from_selector(selector)


def test_importing_the_displays_does_not_load_matplotlib():
    code = "import sys, nffs.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("stop_at", [5, 20])
def test_a_search_that_was_stopped_is_drawn_as_far_as_it_came(quick, connections, stop_at):
    def stop(progress):
        if progress.done == stop_at:
            raise KeyboardInterrupt

    selector = quick(n_nested=20, callbacks=[stop])
    with pytest.warns(PartialWarning):
        selector.fit(connections.data, connections.target)
    for display in (FitnessDisplay, MutualInformationDisplay):
        display.from_selector(selector)
    curve = NestedCurveDisplay.from_selector(selector)
    assert curve.sizes.tolist() == selector.nested_.sum(axis=1).tolist()
    assert curve.all_features is None
    assert "Interrupted, after " in selector._repr_html_()
