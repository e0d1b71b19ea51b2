"""Shared fixtures, and caches inside the repository."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ROOT = Path(__file__).parents[1]

# Compiled kernels and parsed archive data must not end up in the user's caches.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))
os.environ.setdefault("TSMDBENCH_CACHE", str(ROOT / ".cache" / "archive"))


if os.environ.get("TSMDBENCH_DATA"):  # tests that change folder must still find it
    os.environ["TSMDBENCH_DATA"] = str(Path(os.environ["TSMDBENCH_DATA"]).resolve())


def pytest_runtest_setup(item):
    """Skip what needs aeon where it is not installed, as on the newest versions."""
    needs_aeon = item.get_closest_marker("archive") and not (
        item.get_closest_marker("data")  # has datasets of its own
    )
    if needs_aeon and not importlib.util.find_spec("aeon"):
        pytest.skip("the extra 'archive' is not installed")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of real archive datasets, or a skip that says how to have one."""
    folder = os.environ.get("TSMDBENCH_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("TSMDBENCH_DATA does not name a folder of archive datasets")
    return Path(folder)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the page is tested with playwright"
    )
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("there is no Chromium: install the system package 'chromium'")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()
