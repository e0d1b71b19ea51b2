"""Check the built site: every public name, every picture, nothing fetched from outside.

``python -m tools.docs.check_site [SITE]``, after ``mkdocs build --strict``, which has
checked links and anchors.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from tools.docs import reference
from tools.docs.blocks import ROOT

# Elements whose address is fetched when a page is opened; links are only followed.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}
STYLES = ("stylesheet", "preload", "prefetch", "preconnect", "modulepreload")


class Page(HTMLParser):
    """Collects what is wrong with one page."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.levels: list[int] = []
        self._in_content = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        given = {key: value or "" for key, value in attrs}
        if tag == "article":
            self._in_content = True
        address = given.get(FETCHED.get(tag, ""), "")
        if tag == "link" and given.get("rel") in STYLES:
            address = given.get("href", "")
        if address.startswith(("http:", "https:", "//")):
            self.faults.append(f"fetches {address}")
        if tag == "img" and not given.get("alt"):
            self.faults.append(f"{given.get('src')} has no alternative text")
        if self._in_content and len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self._heading(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        """Notice where the content ends."""
        if tag == "article":
            self._in_content = False

    def _heading(self, level: int) -> None:
        if level > (self.levels[-1] if self.levels else 0) + 1:
            self.faults.append(f"a heading of level {level} after {self.levels[-1:]}")
        self.levels.append(level)


def page_faults(site: Path) -> Iterator[str]:
    """Yield what is wrong with the pages."""
    for file in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(file.read_text())
        if file.name != "404.html" and page.levels.count(1) != 1:
            page.faults.append(f"{page.levels.count(1)} headings of level 1")
        yield from (f"{file.relative_to(site)}: {fault}" for fault in page.faults)


def documented(site: Path) -> set[str]:
    """Return the names that the site documents, from its inventory."""
    raw = (site / "objects.inv").read_bytes()
    packed = raw.split(b"\n", 4)[4]
    lines = zlib.decompress(packed).decode().splitlines()
    return {line.split(" ", 1)[0] for line in lines}


def missing(site: Path) -> list[str]:
    """Return public names that the site tells nothing of."""
    known = documented(site)
    return sorted(reference.paths() - known)


def main() -> int:
    """Print what is wrong; return 1 if anything is."""
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    faults = list(page_faults(site))
    faults += [f"not documented: {name}" for name in missing(site)]
    for fault in faults:
        print(fault)
    if not faults:
        pages = len(list(site.rglob("*.html")))
        names = len(reference.documented())
        print(f"{pages} pages, {names} public names: nothing is wrong")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
