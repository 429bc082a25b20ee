"""Every Python block and command of README and docs runs, links and names lead somewhere."""

import importlib.util
import pkgutil
import re
import shlex
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from typer import Exit
from typer.main import get_command
from typer.testing import CliRunner

from nffs import make_connections
from nffs.cli.app import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "api").glob("*.md")),
]
COMMAND = get_command(app)
IDS = [str(page.relative_to(ROOT)) for page in PAGES]

_spec = importlib.util.spec_from_file_location("blocks", DOCS / "blocks.py")
blocks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(blocks)


def with_python():
    for page, name in zip(PAGES, IDS, strict=True):
        if "\n```python\n" in page.read_text(encoding="utf-8"):
            yield pytest.param(page, id=name)


def commands():
    """Give every `nffs ...` of the pages' shell blocks, with its page and line."""
    for page, name in zip(PAGES, IDS, strict=True):
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^```sh\n(.*?)^```", text, re.M | re.S):
            for line in block[1].replace("\\\n", " ").splitlines():
                if line.startswith("nffs "):
                    yield pytest.param(line, id=f"{name}-{line.split('#')[0].strip()}")


def parse(words):
    """Read a command's words as the command line does, down to the last subcommand."""
    command, context = COMMAND, None
    while hasattr(command, "resolve_command"):
        context = command.make_context(command.name, list(words), parent=context)
        _, command, words = command.resolve_command(context, words)
    command.make_context(command.name, list(words), parent=context)


def shape_of(printed):
    """What must stay when names and numbers differ, as they may on another processor."""
    return [re.sub(r"[\w./-]*\d[\w./%-]*", "0", line.split(":")[0]) for line in printed.split("\n")]


#: Real files that a page reads, by what it says.
REAL = {
    "fetch_nsl_kdd()": ("nsl-kdd", "KDDTrain+.txt"),
    "sick.parquet": ("suite", "sick.parquet"),
    "golub.parquet": ("suite", "golub.parquet"),
    "reg_ames.parquet": ("suite", "reg_ames.parquet"),
}


@pytest.mark.parametrize("page", list(with_python()))
def test_python_blocks_run(page, tmp_path, monkeypatch, request):
    needed = [parts for call, parts in REAL.items() if call in page.read_text(encoding="utf-8")]
    if needed:
        find = request.getfixturevalue("real_file")
        monkeypatch.setenv("NFFS_DATA", str(find(*needed[0]).parents[1]))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    for block, printed in blocks.run_blocks(page):
        if block["output"] is not None:
            hint = "run `python docs/generate.py examples tutorials`"
            assert shape_of(block["output"].strip()) == shape_of(printed.strip()), hint


@pytest.mark.parametrize("line", list(commands()))
def test_commands_can_be_given(line, tmp_path, monkeypatch):
    """Names, options and values are read as the command reads them, and nothing is run."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line, comments=True)[1:]
    ends = [i for i, word in enumerate(words) if word in (">", "|")]
    words = words[: ends[0]] if ends else words
    for word in words:
        if re.fullmatch(r"[\w.-]+\.(csv|parquet|json|db)", word):
            (tmp_path / word).touch()

    with suppress(Exit):  # of an option that prints something and is done
        parse(words)


#: Commands that need a data set, a cluster or a GPU; tests of their own run them.
ELSEWHERE = re.compile(r"nffs reproduce|nffs datasets|--scheduler|--engine gpu")
#: What is run less often than a reader would.
FEWER = {
    "nffs compare train": " --runs 1 --budget 5 --methods nffs,ig,ga,random",
    "nffs stability": " --runs 2",
    "nffs evaluate": " --seeds 7,8",
}


def test_commands_run(tmp_path, monkeypatch):
    """The commands of all pages, one after the other in one folder, as a reader would."""
    monkeypatch.chdir(tmp_path)
    frame = make_connections(240).frame().with_row_index("id")
    frame[:160].write_csv("train.csv")
    frame[160:].write_csv("test.csv")
    frame[160:].drop("label").write_csv("new.csv")
    frame[:160].write_parquet("large.parquet")
    frame[:160].write_parquet("january.parquet")
    frame[160:].write_parquet("june.parquet")
    for line in dict.fromkeys(one.values[0].split("#")[0].strip() for one in commands()):
        if ELSEWHERE.search(line):
            continue
        fewer = next((more for start, more in FEWER.items() if line.startswith(start)), "")
        given, _, file = line.partition(">")
        done = CliRunner().invoke(app, shlex.split(given + fewer)[1:])
        assert done.exit_code == 0, f"{line}: {done.stderr}"
        if file:
            Path(file.strip()).write_text(done.stdout, encoding="utf-8")
        for written in re.findall(r"--(?:out|report) (\S+)", line):
            assert Path(written).stat().st_size > 0, line


def test_a_command_that_cannot_be_given_is_noticed():
    for words in (["select", "--no-such-option"], ["select", "--unit", "row"], ["no-such"]):
        with pytest.raises(Exception, match=r"No such|row"):
            parse(words)


def test_there_are_commands_and_blocks():
    assert len(list(commands())) > 20
    assert len(list(with_python())) > 10


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_command_reference_names_every_option():
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    for name, command in COMMAND.commands.items():
        assert f"## nffs {name}" in page, "run `make generate`"
        for parameter in command.params:
            for option in parameter.opts:
                assert option in page, "run `make generate`"


#: Pages that say where things are in the code, for those who want to change it.
INSIDE = ["docs/architecture.md", "docs/glossary.md"]


@pytest.mark.parametrize("page", INSIDE)
def test_names_and_files_of_the_code_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    names = re.findall(r"`(nffs(?:\.\w+)+)`", text)
    assert len(names) > 20
    for name in names:
        assert pkgutil.resolve_name(name) is not None
    for path in re.findall(r"`((?:src|tests|benchmarks)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path


def test_the_drawing_shows_steps_of_the_walk():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(r"`(nffs(?:\.\w+)+)`", page)
    drawing = (DOCS / "images" / "walk-of-a-mask.svg").read_text(encoding="utf-8")
    drawn = re.findall(r'class="name"[^>]*>([^<]+)<', drawing)
    assert len(drawn) > 20
    for name in drawn:
        assert any(step.endswith(f".{name}") for step in steps), name
    assert not re.search(r"(href|src|url)\s*[=(]\s*[\"']?(https?:)?//", drawing)


def test_the_layers_are_those_that_the_linter_checks():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    layers = [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Nine layers")[2].partition("\n\nBelow")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == layers
    foundation = page.partition("\n\nBelow")[2].partition("\n\n")[0]
    for name in set(contract["exhaustive_ignores"]) - {"_version"}:
        assert f"`{name}`" in foundation


def test_the_badges_say_what_the_package_says():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    badges = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "badges").iterdir()}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"docs/badges/{name}.svg" in readme for name in badges)
    oldest = project["project"]["requires-python"].removeprefix(">=")
    assert f">{oldest} or newer<" in badges["python"]
    assert f">{project['project']['license']}<" in badges["licence"]
    assert project["tool"]["mypy"]["strict"]
    assert (ROOT / "src" / "nffs" / "py.typed").exists()


def test_the_readme_quotes_what_was_measured():
    """The table of alternatives has the figures of the pages that it links to."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| instead of")[2].partition("\n\n")[0]
    truth = (DOCS / "transfer.md").read_text(encoding="utf-8")

    def found(name, selector, kind):
        """How many signals were found, or how many noise columns kept, of how many."""
        cells = rf"^{re.escape(name)} +{selector} +\d+ +([\d.]+) of (\d+) +([\d.]+) of (\d+)"
        signals, n_signals, noise, n_noise = re.search(cells, truth, re.MULTILINE).groups()
        return (
            (float(signals), int(n_signals)) if kind == "signals" else (float(noise), int(n_noise))
        )

    wide, demo, both = "wide 120 x 1500", "connections", "xor 600 x 20"
    (rfecv, n), (ours, _) = found(wide, "RFECV", "noise"), found(wide, "NFFS", "noise")
    assert f"kept {rfecv:.0f} of {n:,} noise columns" in table
    (rfecv, n), (none, _) = found(demo, "RFECV", "noise"), found(demo, "NFFS", "noise")
    assert f"{rfecv} of {n} of the demo's table; `nffs` kept {ours} and none" in table
    assert none == 0
    assert found(both, "Boruta", "signals") == (1.7, 2)
    assert found(both, "NFFS", "signals") == (2.0, 2)
    kept, n = found(wide, "SelectFromModel", "noise")
    assert f"kept {kept:.0f} of the {n:,} noise columns" in table
    study = (DOCS / "comparison-study.md").read_text(encoding="utf-8").partition("### 250")[0]
    for method in ("ga", "guided"):
        lost = re.search(rf"^{method} +[\d.]+ +[\d.]+ +-([\d.]+)", study, re.MULTILINE)[1]
        assert f"{float(lost):.3f} less" in table
    chance = re.search(r"^ga +\S+ +\d+:\d+ +\S+ +(\S+)", study, re.MULTILINE)[1]
    assert f"p = {chance})" in table
