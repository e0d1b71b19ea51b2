"""Shared fixtures, and caches inside the repository."""

import importlib.util
import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
LONGEST = {"test_locomotif", "test_pages", "test_record", "test_code_hash"}
LONGEST |= {"test_bad_input", "test_board", "test_auto", "test_suite", "test_write"}
LONG = 1000  # tests; compiling everything takes a minute of processor time
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ROOT = Path(__file__).parents[1]

# No test has a time limit: it would fail on a busy machine.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")

# A shell lets what it starts in the background ignore interrupts, children included.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiled kernels and parsed archive data must not end up in the user's caches.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))
os.environ.setdefault("TSMDBENCH_CACHE", str(ROOT / ".cache" / "archive"))


if os.environ.get("TSMDBENCH_DATA"):  # tests that change folder must still find it
    os.environ["TSMDBENCH_DATA"] = str(Path(os.environ["TSMDBENCH_DATA"]).resolve())


def pytest_collection_modifyitems(items):
    """Begin with the files that take longest, so that all processes end together."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


def pytest_collection_finish(session):
    """Compile the kernels at the start of a long run in several processes.

    Each process compiles a part of them, so that none is compiled twice. The tests
    begin when all processes have collected theirs.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or len(session.items) < LONG:
        return
    from tsmdbench.cli.methods import groups_of
    from tsmdbench.methods import METHODS
    from tsmdbench.methods.warmup import warmup

    number = int(worker["workerid"].removeprefix("gw"))
    for group in groups_of(METHODS.added())[number :: worker["workercount"]]:
        list(warmup(group))


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
