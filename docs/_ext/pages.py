"""What the pages need beyond Sphinx and MyST.

* A fenced block with a title (``python title="naive.py"``) shows it as a caption.
* Links of files outside ``docs/`` that pages include lead to pages of the site.
* A name in single backticks is a link if it is documented, and code if it is not.
* Fields of a named tuple are not listed twice.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from tools.docs import reference

TITLED = re.compile(r'^```(\w+) title="([^"]+)"$', flags=re.MULTILINE)
# Files of the repository that the site has under another name.
INCLUDED = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CITATION.cff": "cite.md",
    "LICENSE": "cite.md",
}
LINK = re.compile(r"(?<=\]\()([^)#:]+)(?=[)#])")


def _moved(match: re.Match[str]) -> str:
    target = match[1]
    return INCLUDED.get(target, target.removeprefix("docs/"))


def _captions(_: Sphinx, __: str, content: list[str]) -> None:
    content[0] = TITLED.sub(r"```{code-block} \1\n:caption: \2\n", content[0])


def _links(_: Sphinx, __: Any, docname: str, content: list[str]) -> None:
    if docname in ("changelog", "contributing"):
        content[0] = LINK.sub(_moved, content[0])


def _plain_name(app: Sphinx, env: Any, node: Any, content: nodes.Element) -> Any:
    """Return a link to a class of any package, or the text as it is."""
    if node.get("reftype") != "obj" or node.get("refexplicit"):
        return None
    full = reference.classes().get(node["reftarget"])
    if full is None:
        return content
    return env.get_domain("py").resolve_xref(
        env, node["refdoc"], app.builder, "obj", full, node, content
    )


def _skip(_: Sphinx, __: str, ___: str, member: Any, *____: Any) -> bool | None:
    documented = str(getattr(member, "__doc__", ""))
    return True if documented.startswith("Alias for field number") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect what is above."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", _captions)
    app.connect("include-read", _links)
    app.connect("missing-reference", _plain_name, priority=900)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
