"""Write the pages, and the parts of pages, that come from the code.

``python -m tools.docs.generate`` writes them; a test fails where they are out of date.
A part is between two comments, ``<!-- generated: name -->`` and
``<!-- end: name -->``, in a page that is otherwise written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.docs import command_page, method_pages, standings, tables
from tools.docs.blocks import ROOT, name

from tsmdbench import METHODS

DOCS = ROOT / "docs"
PART = re.compile(
    r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end: \2 -->)", flags=re.DOTALL
)
PARTS: dict[str, Callable[[], str]] = {
    "methods": method_pages.table,
    "gallery": method_pages.gallery_table,
    "metrics-use": tables.use_table,
    "metrics-properties": tables.properties_table,
    "datasets": tables.dataset_table,
    "leaderboard": standings.leaderboard_table,
    "which-method": standings.data_table,
    "corrections": tables.corrections_table,
}


def whole_pages() -> Iterator[tuple[Path, str]]:
    """Yield every page that is written as a whole."""
    yield DOCS / "cli" / "index.md", command_page.page()
    for method in METHODS:
        yield DOCS / "methods" / f"{method}.md", method_pages.page(method)


def filled(page: str, *, below: bool = False) -> str:
    """Return a page with its generated parts as they should be.

    Parameters
    ----------
    page : str
    below : bool, default False
        Whether the page is in a folder of ``docs``, from which links go up.
    """

    def part(match: re.Match[str]) -> str:
        text = PARTS[match[2]]()
        if below:
            text = text.replace("](methods/", "](../methods/")
        return f"{match[1]}\n{text}\n\n{match[3]}"

    return PART.sub(part, page)


def outdated() -> Iterator[tuple[Path, str]]:
    """Yield the pages that are not as they should be, with how they should be."""
    made = dict(whole_pages())
    for file, text in made.items():
        if not file.is_file() or file.read_text() != text:
            yield file, text
    for file in sorted(DOCS.rglob("*.md")):
        if file not in made:
            text = filled(file.read_text(), below=file.parent != DOCS)
            if text != file.read_text():
                yield file, text


def main() -> None:
    """Write what is out of date."""
    for file, text in list(outdated()):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        print(f"written: {name(file)}")


if __name__ == "__main__":
    main()
