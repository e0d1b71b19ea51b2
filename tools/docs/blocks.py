"""The fenced blocks of a Markdown page, and what is to be done with each.

```` ```python ````
    Runs; the blocks of a page share their names, top to bottom.
```` ```python title="file.py" ````, and any other language with a title
    Is written to that file. A title that begins with ``examples/`` must be that file
    of the repository, line by line.
```` ```console ````
    Lines that begin with ``$`` run, the lines below a command are its output.
```` ```text ```` right below a python block
    Is what that block prints.

```` ```{code-cell} ````
    A cell of a notebook: runs as python; what it prints is shown by the built site.
Other names in braces
    Directives for Sphinx.

A comment right above a block changes this: ``<!-- not run: reason -->``, and
``<!-- exit 2 -->`` for a command that must fail. ``<!-- slow -->`` anywhere in a page
keeps its examples out of the default test run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"^```(\{[\w-]+\}|\w*)([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE
)
COMMENT = re.compile(r"<!--((?:(?!-->).)*)-->", flags=re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
SLOW = "<!-- slow -->"


@dataclass(frozen=True)
class Block:
    """One fenced block, and where its content lies in the page."""

    language: str
    title: str
    comment: str
    content: str
    begin: int  # of the content
    end: int
    after: int  # of the whole block
    line: int

    @property
    def reason_not_to_run(self) -> str:
        """Why it is not run; empty if it is."""
        return self.comment.partition("not run:")[2].strip()

    @property
    def status(self) -> int:
        """The exit status that its commands must have."""
        word, _, number = self.comment.partition(" ")
        return int(number) if word == "exit" else 0


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, top to bottom."""
    found = []
    comments = list(COMMENT.finditer(page))
    for match in FENCE.finditer(page):
        if any(c.start() < match.start() < c.end() for c in comments):
            continue
        above = [
            c
            for c in comments
            if c.end() <= match.start() and not page[c.end() : match.start()].strip()
        ]
        title = TITLE.search(match[2])
        found.append(
            Block(
                language=match[1],
                title=title[1] if title else "",
                comment=above[-1][1].strip() if above else "",
                content=match[3],
                begin=match.start(3),
                end=match.end(3),
                after=match.end(),
                line=page.count("\n", 0, match.start()) + 1,
            )
        )
    return found


def output_below(page: str, block: Block, below: Block | None) -> Block | None:
    """Return the ``text`` block right below a block, if there is one."""
    if below is None or below.language != "text":
        return None
    between = page[block.after : below.begin]
    return below if re.fullmatch(r"\s*```text[^\n]*\n", between) else None


def pages() -> list[Path]:
    """Return every page of the documentation, the README first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name(page: Path) -> str:
    """Return the name of a page as it is written in the repository."""
    return page.relative_to(ROOT).as_posix()
