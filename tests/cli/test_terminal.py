"""What a person sees: `nffs` in a terminal of 80 columns, and what a file gets instead."""

import os
import re
import subprocess
import sys

import pytest

from nffs.report.sparklines import ASCII, BLOCKS

if os.name == "nt":
    pytest.skip("terminals as on POSIX", allow_module_level=True)

# Without the final check, whose number of subsets depends on what the search found.
SELECT = (
    "--target", "label", "--subsets", "20", "--nested", "12", "--cv", "2", "--choose", "method"
)  # fmt: skip
QUICK = ("--target", "label", "--cv", "2", "--method", "kbest", "--budget", "6")
BAR = re.compile(r"^(drawn|nested) subsets .* \d+/33 best 0\.\d{4} [\d.]+/s \d+:\d\d left$", re.M)
COLOUR = re.compile(r"\x1b\[[\d;]*\b(3[0-79]|9[0-7]|4[0-79]|[34]8;5;\d+)[\d;]*m")


def command(table, *options):
    return [sys.executable, "-m", "nffs", "select", str(table), *SELECT, *options]


@pytest.fixture(scope="module")
def seen(watch, table):
    return watch(command(table))


def test_the_bar_tells_phase_count_best_pace_and_time_left(seen):
    assert any(BAR.search(frame) for frame in seen.frames)
    assert COLOUR.search(seen.raw)


def test_the_bar_goes_and_the_result_stays(seen):
    assert seen.code == 0
    assert not BAR.search(seen.last)
    assert not seen.cursor_hidden
    assert "of 46 features score f1 0." in seen.last
    assert "evaluated on: 2-fold stratified cross-validation of the training rows" in seen.last
    assert seen.last.count("evaluated 33 subsets in") == 1


def test_the_nested_curve_with_the_kept_subset_below(seen):
    curve, mark = re.search(r"features, .* to .*:\n(.+)\n(.+)\n", seen.last).groups()
    assert set(curve) <= set(BLOCKS)
    assert list(curve) == sorted(curve), "a front never falls"
    assert re.fullmatch(r" *\^ \d+ kept", mark)
    assert mark.index("^") < len(curve)


def test_no_line_is_wider_than_the_terminal(seen):
    assert max(len(line) for frame in seen.frames for line in frame.splitlines()) <= 80


def test_the_final_check_and_the_models_fit_the_terminal(watch, table):
    options = ("--choose", "best", "--holdout", "0.25")
    seen = watch(command(table, *options))
    assert seen.code == 0
    assert any(re.search(r"^final check .* best 0\.", frame, re.M) for frame in seen.frames)
    assert seen.last.startswith("nffs: 100 of 400 rows are held out")
    assert re.search(r"^  logistic +0\.\d{4} +0\.\d{4} +[+-]0\.\d{4}$", seen.last, re.M)
    assert "On 100 rows that the search never saw" in seen.last
    assert max(len(line) for frame in seen.frames for line in frame.splitlines()) <= 80


def test_quiet_shows_the_result_alone(watch, table):
    seen = watch(command(table, "--quiet"))
    assert not any("subsets" in frame and "best" in frame.splitlines()[-1] for frame in seen.frames)
    assert "nffs:" not in seen.last
    assert "features score f1 0." in seen.last


@pytest.mark.parametrize(("option", "bar"), [((), True), (("--quiet",), False)])
def test_a_counting_bar_and_none_when_quiet(watch, table, option, bar):
    counted = ["--features", "duration,protocol", "--target", "label", "--seeds", "1,2"]
    seen = watch([sys.executable, "-m", "nffs", "evaluate", table, table, *counted, *option])
    assert seen.code == 0
    assert any(re.search(r"^runs .*%", frame, re.M) for frame in seen.frames) == bar
    assert "best parameters" in seen.last


def test_verbose_logs_above_the_bar(watch, table):
    seen = watch(command(table, "--verbose"))
    assert any(BAR.search(frame) for frame in seen.frames)
    logged = r"nffs\.report\.progress:\s+\w+\s+(?:subsets|features)\s+\d+/33:\s+size"
    assert len(re.findall(logged, seen.last)) == 33
    assert "nffs.selector: searching" in seen.last
    assert max(len(line) for line in seen.last.splitlines()) <= 80


def test_a_narrow_terminal_without_colour(watch, table):
    seen = watch(command(table), columns=66, NO_COLOR="1")
    assert max(len(line) for frame in seen.frames for line in frame.splitlines()) <= 66
    assert any(BAR.search(frame) for frame in seen.frames)
    assert not COLOUR.search(seen.raw)


def test_a_mistake_is_one_sentence_without_a_bar(watch, table):
    seen = watch([*command(table), "--scoring", "nonsense"])
    assert seen.code == 2
    assert seen.last.startswith("nffs: ")
    assert "\nnffs: " not in seen.last
    assert not seen.cursor_hidden


def piped(*arguments, **environment):
    steering = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in steering}
    return subprocess.run(
        [str(a) for a in arguments], capture_output=True, check=False, env={**kept, **environment}
    )


@pytest.mark.parametrize("options", [("--verbose",), ("--json",)])
def test_a_file_gets_no_control_characters(table, options):
    result = piped(*command(table, *options))
    assert result.returncode == 0
    written = (result.stdout + result.stderr).decode()
    assert re.findall(r"[^\n\x20-\x7e─▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]", written) == []
    assert ("nffs.report.progress: " in written) == ("--verbose" in options)


def test_terminals_without_blocks_get_ascii(table):
    result = piped(*command(table, "--quiet"), PYTHONIOENCODING="ascii")
    curve = re.search(r"features, .* to .*:\n(.+)\n", result.stdout.decode("ascii")).group(1)
    assert set(curve) <= set(ASCII)
    assert len(curve) > 5


def test_names_that_the_terminal_cannot_show_are_escaped(connections, tmp_path):
    path = tmp_path / "odd.csv"
    frame = connections.frame().rename({"error_rate": "größe"})
    frame.select("größe", "label").write_csv(path)
    arguments = ("select", path, "--target", "label", "--subsets", "3", "--cv", "2", "-q")
    result = piped(sys.executable, "-m", "nffs", *arguments, PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr
    assert rb"gr\xf6\xdfe" in result.stdout


def test_quiet_and_verbose_exclude_each_other(nffs, table):
    result = nffs("select", table, *SELECT, "-q", "-v")
    assert result.exit_code == 2
    assert "--quiet, --verbose: cannot be used together" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [("validate", "--folds", "2"), ("stability", "--runs", "2", "--over", "subsamples")],
)
def test_other_results_fit_80_columns(nffs, table, arguments):
    name, *options = arguments
    result = nffs(name, table, *QUICK, *options)
    assert result.exit_code == 0, result.stderr
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_verbose_logs_the_evaluations_of_every_fold(nffs, table):
    result = nffs("validate", table, *SELECT, "--folds", "2", "--verbose")
    assert result.stderr.count("drawn subsets 20/33") == 2
    assert nffs("validate", table, *SELECT, "--folds", "2").stderr.count("drawn") == 0


def test_wide_names_fold(nffs, connections, tmp_path):
    path = tmp_path / "wide.csv"
    connections.frame().rename({"error_rate": "e" * 150}).select("e" * 150, "label").write_csv(path)
    result = nffs("select", path, "--target", "label", "--subsets", "3", "--cv", "2")
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    assert result.stdout.count("e") > 150


SCRIPT = """
from nffs import NFFS, ProgressBar, make_connections
table = make_connections(300)
bar = ProgressBar(pause=0)
selector = NFFS(n_subsets=20, n_nested=12, choose="method", callbacks=[bar], random_state=0)
for _ in range(2):
    selector.fit(table.data, table.target)
print("and on")
"""


def test_the_bar_of_a_script(watch):
    seen = watch([sys.executable, "-c", SCRIPT])
    assert any(BAR.search(frame) for frame in seen.frames)
    assert not seen.cursor_hidden
    assert seen.last.count("subsets") == 0  # painted over
    first, second, after = seen.last.splitlines()
    assert re.match(r"all features .* 33/33 best 0\.", first)
    assert re.match(r"all features .* 33/33 best 0\.", second)
    assert after == "and on"
    assert max(len(line) for frame in seen.frames for line in frame.splitlines()) <= 80


def test_the_bar_of_a_script_is_silent_in_a_file():
    result = piped(sys.executable, "-c", SCRIPT)
    assert result.stdout == b"and on\n"
    assert result.stderr == b""


DEFAULT = """
import sys, warnings
from nffs import NFFS, make_connections
warnings.simplefilter("error")
table = make_connections(300)
given = {"callbacks": []} if "silent" in sys.argv else {}
selector = NFFS(n_subsets=20, n_nested=12, choose="method", random_state=0, **given)
selector.fit(table.data, table.target)
print("and on")
"""


def test_a_fit_shows_a_bar_by_default_and_takes_it_away(watch):
    seen = watch([sys.executable, "-c", DEFAULT])
    assert any(BAR.search(frame) for frame in seen.frames)
    assert seen.frames[1].startswith("encoding ")  # from the start
    assert seen.last == "and on"
    assert not seen.cursor_hidden
    assert max(len(line) for frame in seen.frames for line in frame.splitlines()) <= 80


def test_a_fit_is_silent_where_callbacks_say_so_and_in_a_file(watch):
    assert watch([sys.executable, "-c", DEFAULT, "silent"]).frames == ["", "and on"]
    result = piped(sys.executable, "-c", DEFAULT)
    assert (result.stdout, result.stderr) == (b"and on\n", b"")


IN_WORKERS = """
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from nffs import NFFS, make_connections
table = make_connections(300)
selector = NFFS(estimator=GaussianNB(), n_subsets=6, n_nested=4, random_state=0)
model = make_pipeline(selector, LogisticRegression(max_iter=5000))
cross_val_score(model, table.data.to_pandas(), table.target, cv=2, n_jobs=2)
print("and on")
"""


def test_fits_in_workers_do_not_fight_over_the_terminal(watch):
    seen = watch([sys.executable, "-W", "ignore", "-c", IN_WORKERS], PYTHONWARNINGS="ignore")
    assert seen.frames == ["", "and on"]
