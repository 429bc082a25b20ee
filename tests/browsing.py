"""Debian's Chromium without a screen, without a network, driven by Selenium.

Used by the report's tests and by docs/generate.py, which takes the pictures of the docs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
)


def missing() -> str:
    """Say what is missing to open a browser; nothing if all is there."""
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if programs:
        return f"{' and '.join(programs)} not found: apt-get install chromium chromium-driver"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed: pip install -e '.[dev]'"
    return ""


@contextmanager
def chromium() -> Iterator[Any]:
    """Open a browser with a fresh profile; yields Selenium's driver."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    os.environ["SE_OFFLINE"] = "true"  # Selenium's manager downloads nothing
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(
            options=options, service=Service(executable_path=shutil.which("chromedriver"))
        )
        try:
            yield driver
        finally:
            driver.quit()


def look(driver: Any, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
    """Give the window a size and the page a light or dark scheme, and let nothing glide."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    preferred = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": preferred})


def overflow(driver: Any) -> int:
    """Give by how many pixels the page is wider than the window."""
    return driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def cut_off(driver: Any) -> list[str]:
    """Give the names of the tables that scroll sideways."""
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('.scroll'))"
        ".filter(s => s.scrollWidth > s.clientWidth + 1).map(s => s.ariaLabel)"
    )


def axe(driver: Any) -> list[Any]:
    """Open everything on the page and give what axe-core finds wrong."""
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    driver.execute_script(_axe_script())
    # Without frames: one that is shut in has no script that could answer.
    found = driver.execute_async_script(
        "axe.run({iframes: false}).then(arguments[arguments.length - 1])"
    )
    assert found["passes"]
    return [
        (v["id"], v["impact"], [node["html"][:200] for node in v["nodes"][:3]])
        for v in found["violations"]
    ]


def _axe_script() -> str:
    """Give the newest axe-core that a package brings; without any the test is skipped."""
    import pytest

    for package in ("axe_playwright_python", "axe_core_python"):
        if find_spec(package) is not None:
            home = Path(next(iter(import_module(package).__path__)))
            return (home / "axe.min.js").read_text(encoding="utf-8")
    return pytest.skip("axe-core is not installed: pip install -e '.[dev]'")
