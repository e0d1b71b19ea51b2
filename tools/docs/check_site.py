"""Check the built site: public names, links, pictures, nothing fetched from outside.

``python -m tools.docs.check_site [SITE]``, after the build by Sphinx.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools.docs import reference
from tools.docs.blocks import ROOT

# Elements whose address is fetched when a page is opened; links are only followed.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}
STYLES = ("stylesheet", "preload", "prefetch", "preconnect", "modulepreload")
MADE_BY_SPHINX = ("genindex.html", "py-modindex.html", "search.html")


class Page(HTMLParser):
    """Collects what is wrong with one page, its links and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.levels: list[int] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self._in_content = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        given = {key: value or "" for key, value in attrs}
        if tag == "article":
            self._in_content = True
        self.anchors.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
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


def parsed(site: Path) -> dict[Path, Page]:
    """Return every page of the site by its file."""
    pages = {}
    for file in sorted(site.resolve().rglob("*.html")):
        if "_static" in file.parts:  # templates of the theme
            continue
        page = pages[file] = Page()
        page.feed(file.read_text(encoding="utf-8"))
        if file.name not in MADE_BY_SPHINX and page.levels.count(1) != 1:
            page.faults.append(f"{page.levels.count(1)} headings of level 1")
    return pages


def page_faults(site: Path) -> Iterator[str]:
    """Yield what is wrong with the pages."""
    pages = parsed(site)
    for file, page in pages.items():
        faults = [*page.faults, *broken_links(file, page, pages)]
        yield from (f"{file.relative_to(site.resolve())}: {fault}" for fault in faults)


def broken_links(file: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield the links of a page that lead nowhere inside the site."""
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        anchors = pages[target].anchors if target in pages else {""}
        if not target.is_file():
            yield f"links to {link}, which does not exist"
        elif parts.fragment and unquote(parts.fragment) not in anchors:
            yield f"links to {link}, which has no such anchor"


def documented(site: Path) -> set[str]:
    """Return the names that the site documents, from its inventory."""
    raw = (site / "objects.inv").read_bytes()
    packed = raw.split(b"\n", 4)[4]
    lines = zlib.decompress(packed).decode().splitlines()
    return {line.split(" ", 1)[0] for line in lines}


def missing(site: Path) -> list[str]:
    """Return public names that the site does not document."""
    names = [*reference.objects(), *reference.constants()]
    return sorted({f"{package}.{name}" for package, name in names} - documented(site))


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
        print(f"{pages} pages, {names} public names: no faults found")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
