"""One browser and a few pages for all tests of the page."""

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.report.page.making import (
    HOSTILE_DATASET,
    HOSTILE_LABEL,
    HOSTILE_METHOD,
    HOSTILE_PROBLEM,
    make_problem,
    make_store,
    write_problems,
)
from tsmdbench.analysis.scores import score_store
from tsmdbench.html_text import fragment
from tsmdbench.report.page import page


@contextmanager
def working_in(folder):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Made:
    """A page with what it was made from."""

    def __init__(self, folder, datasets, methods, fails=(), **options):
        with working_in(folder):
            write_problems(folder, datasets)
            self.store = make_store(folder / "store", datasets, methods, fails)
            self.scores = score_store(self.store)
            self.html = page(self.scores, self.store, **options)
        self.problems = datasets
        self.file = folder / "index.html"
        self.file.write_text(self.html, encoding="utf-8")

    def address(self, *parts):
        return self.file.as_uri() + (fragment(*parts) if parts else "")


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Three datasets, four methods, one of which the package does not know."""
    rng = np.random.default_rng(0)
    datasets = {
        name: [make_problem(rng, f"{name}/test/{k:03d}", channels) for k in range(8)]
        for name, channels in (("alpha", 1), ("beta", 3), ("gamma", 9))
    }
    methods = ("locomotif", "emma", "gv_repair", "mine")
    folder = tmp_path_factory.mktemp("page")
    return Made(folder, datasets, methods, fails={(2, 1), (3, 0)}, title="Trial")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Names that want to be markup."""
    rng, labels = np.random.default_rng(0), (HOSTILE_LABEL, "it's")
    problems = [make_problem(rng, f"{HOSTILE_PROBLEM}{k}", 1, labels) for k in range(2)]
    return Made(
        tmp_path_factory.mktemp("hostile"),
        {HOSTILE_DATASET: problems},
        (HOSTILE_METHOD, "emma"),
        fails={(0, 1)},
        title="</title><script>window.hacked=1</script>",
    )


@pytest.fixture(scope="session")
def lengthy(tmp_path_factory):
    """Names of 200 characters, which cannot be broken at a space."""
    rng, long = np.random.default_rng(0), 195 * "n"
    labels = (f"a{long}", f"b{long}")
    problems = {
        f"data{long}": [make_problem(rng, f"{k}{long}", 1, labels) for k in range(2)]
    }
    folder, methods = tmp_path_factory.mktemp("lengthy"), (f"my{long}", f"your{long}")
    return Made(folder, problems, (*methods, "emma"), fails={(0, 1)}, title=f"T{long}")


class View:
    """A browser page that keeps what must not happen."""

    def __init__(self, tab):
        self.tab = tab
        self.wrong = []
        tab.on("console", lambda message: self.wrong.append(message.text))
        tab.on("pageerror", lambda error: self.wrong.append(str(error)))
        tab.on("dialog", lambda dialog: (self.wrong.append("dialog"), dialog.dismiss()))
        tab.on("request", self._request)

    def _request(self, request):
        if not request.url.startswith("file:"):
            self.wrong.append(request.url)

    def open(self, address):
        self.tab.goto(address)
        self.tab.wait_for_selector("#explore[data-ready]")
        return self.tab


@pytest.fixture
def look(browser):
    """Open pages; afterwards nothing was logged, thrown or requested by them."""
    views = []

    def open_page(address, **options):
        options = {"viewport": {"width": 1280, "height": 900}} | options
        view = View(browser.new_page(**options))
        views.append(view)
        return view.open(address)

    yield open_page
    for view in views:
        view.tab.close()
        assert view.wrong == []
