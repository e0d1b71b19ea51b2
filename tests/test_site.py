"""The documentation builds strictly, and the built site works from a folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.docs.blocks import ROOT
from tools.docs.check_site import Page, missing, page_faults

pytestmark = pytest.mark.slow
WIDTHS = {"phone": 390, "desktop": 1280}


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    if given := os.environ.get("TSMDBENCH_SITE"):  # it was built already
        return Path(given).resolve()
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_pages_are_in_order(site):
    assert list(page_faults(site)) == []


def test_every_public_name_is_documented(site):
    assert missing(site) == []


def test_front_page_is_the_readme(site):
    page = (site / "index.html").read_text()
    assert "Three ways on" in page
    assert 'href="experiments/your-method.html"' in page


def test_faults_are_noticed():
    page = Page()
    page.feed(
        '<article><h1>A</h1><h3>B</h3><img src="a.svg">'
        '<script src="https://example.org/x.js"></script></article>'
    )
    assert len(page.faults) == 3


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_pages_fit_the_screen_and_fetch_nothing(site, browser, width):
    asked = []
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    for file in sorted(site.rglob("*.html")):
        if file.name == "404.html" or file.parent.name == "reference":
            continue
        page.goto(file.as_uri())
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, file.name
        broken = page.evaluate(
            "[...document.images].filter(i => i.complete && !i.naturalWidth).length"
        )
        assert broken == 0, file.name
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    page.close()


def test_search_works_from_a_folder(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((site / "start.html").as_uri())
    page.click(".md-search__input")
    page.type(".md-search__input", "off-target")
    page.wait_for_selector(".md-search-result__item", timeout=60_000)
    assert "PROM" in page.inner_text(".md-search-result__list")
    page.close()
