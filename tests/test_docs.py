"""Every Python block of README and docs runs, and the generated parts are up to date."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    )
]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "block", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_command_reference_names_every_option():
    from typer.main import get_command

    from nffs.cli.app import app

    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name, command in get_command(app).commands.items():
        assert f"## nffs {name}" in page, "run `make docs`"
        for parameter in command.params:
            for option in parameter.opts:
                assert option in page, "run `make docs`"
