"""What the site does beyond MkDocs: the front page, and sections that may be there.

The front page is the README. The reference, and pages on results, analysis and report,
take their place in the navigation as soon as there are any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # the extension of griffe is found here

OPTIONAL = {
    "Results": "results",
    "Analysis": "analysis",
    "Report": "report",
    "Reference": "reference",
}
# Files of the repository that the site has under another name.
MOVED = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CITATION.cff": "cite.md",
    "LICENSE": "cite.md#licence",
}
LINK = re.compile(r"(?<=\]\()([^)#:]+)(?=[)#])")


def on_config(config: Any) -> Any:
    """Fill the sections of the navigation that depend on which pages there are."""
    docs = Path(config["docs_dir"])
    config["nav"] = [_filled(entry, docs) for entry in config["nav"]]
    config["nav"] = [entry for entry in config["nav"] if entry]
    return config


def _filled(entry: Any, docs: Path) -> Any:
    if not isinstance(entry, dict):
        return entry
    (title, pages), *_ = entry.items()
    if title not in OPTIONAL or pages:
        return entry
    folder = docs / OPTIONAL[title]
    found = sorted(folder.glob("*.md"), key=lambda file: (file.stem != "index", file))
    names = [file.relative_to(docs).as_posix() for file in found]
    if title == "Reference":
        first = found[0].read_text()  # its links are in the order of use
        names[1:] = sorted(names[1:], key=lambda name: first.find(Path(name).name))
        return {title: [names[0], *({Path(name).stem: name} for name in names[1:])]}
    return {title: names} if names else None


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Put the README on the front page, and mend links that leave the documentation."""
    if page.file.src_uri == "index.md":
        return LINK.sub(_moved, (ROOT / "README.md").read_text())
    if page.file.src_uri in ("contributing.md", "changelog.md"):
        return LINK.sub(_moved, markdown)
    return markdown


def _moved(match: re.Match[str]) -> str:
    target = match[1]
    return MOVED.get(target, target.removeprefix("docs/"))
