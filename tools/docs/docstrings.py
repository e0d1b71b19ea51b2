"""Docstrings as Markdown: numpydoc and a little reStructuredText in, Markdown out.

What differs between the two, and is changed: definition lists, literal blocks,
formulas, numbered references, DOIs and arXiv numbers (which become links), and names
of our own in backticks (which stay as they are).
"""

from __future__ import annotations

import inspect
import re

from tools.docs.mathml import mathml

HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}\n", flags=re.MULTILINE)
TERM = re.compile(
    r"^(?P<term>\S[^\n]*)\n(?P<text>(?:[ ]{4,}\S[^\n]*(?:\n|\Z))+)", flags=re.MULTILINE
)
LIST_ITEM = re.compile(r"(?:[*-]|\d+\.)\s|\.\. |>>>|\||```")
MATH_BLOCK = re.compile(
    r"^( *)\.\. math:: *((?:[^\n]+)(?:\n(?:\1 +[^\n]+))*)", flags=re.MULTILINE
)
MATH_ROLE = re.compile(r":math:`([^`]+)`")
LITERAL = re.compile(r"::\n\n((?:[ ]{4}[^\n]*\n|\n)+)")
CITED = re.compile(r"^\.\. \[(\d+)\] ", flags=re.MULTILINE)
TABLE = re.compile(r"^(=+ +=+)\n(.*?)^=+ +=+\n", flags=re.DOTALL | re.MULTILINE)
# A formula inside an item of a list, with the empty lines around it.
AROUND = re.compile(r'\n\s*\n( +)(<span><math display="block">[^\n]*)\n(?:\s*\n(?= ))?')
MENTION = re.compile(r"\[(\d+)\]_")
DOI = re.compile(r"(?<!/)\bdoi:(10\.\d+/[^\s,;]*[^\s,;.])")
BARE = re.compile(r"(?<![(<\[])(https://(?:doi\.org|arxiv\.org)/[^\s,;]*[^\s,;.])")
ARXIV = re.compile(r"\barXiv:(\d{4}\.\d{5})")


def sections(docstring: str) -> dict[str, str]:
    """Cut a docstring at its headings; the text before the first one is ``""``."""
    text = inspect.cleandoc(docstring)
    pieces = HEADING.split(text)
    names = ["", *pieces[1::2]]
    return {
        name: body.strip("\n") for name, body in zip(names, pieces[::2], strict=True)
    }


def markdown(text: str) -> str:
    """Return one section's text as Markdown."""
    text = LITERAL.sub(_literal, text if text.endswith("\n") else f"{text}\n")
    text = AROUND.sub(r"\n\1\2\n", MATH_BLOCK.sub(_formula, text))
    text = MATH_ROLE.sub(lambda match: _inline(mathml(_joined(match[1]))), text)
    text = TABLE.sub(_rows, TERM.sub(_definition, text))
    return linked(MENTION.sub(r"[\1]", CITED.sub(r"\1. ", text))).rstrip("\n")


def _rows(match: re.Match[str]) -> str:
    """Turn a simple table into one of Markdown; it has no head."""
    width = match[1].index(" ")
    cells = [
        (row[:width].strip(), row[width:].strip()) for row in match[2].splitlines()
    ]
    return "|  |  |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in cells)


def _joined(text: str) -> str:
    return " ".join(text.split())


def _formula(match: re.Match[str]) -> str:
    return f"\n{match[1]}{_inline(mathml(_joined(match[2]), block=True))}\n"


def _inline(formula: str) -> str:
    """Wrap a formula: a line that began with ``<math>`` would end a list."""
    return f"<span>{formula}</span>"


def _literal(match: re.Match[str]) -> str:
    body = inspect.cleandoc(match[1])
    return f":\n\n```\n{body}\n```\n\n"


def _definition(match: re.Match[str]) -> str:
    """Turn a term with an indented text below into a list item."""
    term, text = match["term"], match["text"]
    if LIST_ITEM.match(term) or term.endswith((".", ",", ";")):
        return match[0]
    lines = [line.strip() for line in text.splitlines()]
    shown = term if term.startswith("`") else f"*{term}*"
    return f"\n* {shown}: {lines[0]}\n" + "".join(f"  {line}\n" for line in lines[1:])


def linked(text: str) -> str:
    """Make links of DOIs and of arXiv's numbers."""
    text = BARE.sub(r"<\1>", text)
    text = DOI.sub(r"[doi:\1](https://doi.org/\1)", text)
    return ARXIV.sub(r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


CODE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", flags=re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"^\w[\w, ]* : [^\n]*`[^\n]*$", flags=re.MULTILINE)
NUMPYDOC = (
    "Parameters",
    "Returns",
    "Raises",
    "Yields",
    "Attributes",
    "Examples",
    "See Also",
    "Other Parameters",
)


def markdown_inside(docstring: str) -> str:
    """Return a docstring whose free text is Markdown; what numpydoc knows stays."""
    parts = []
    for name, body in sections(docstring).items():
        if name:
            parts.append(f"{name}\n{'-' * len(name)}")
        parts.append(_known(body) if name in NUMPYDOC else markdown(_fenced(body)))
    return "\n".join(part for part in parts if part)


def _known(body: str) -> str:
    """Return a section that numpydoc knows: only literal blocks and types change."""
    body = LITERAL.sub(_literal, f"{body}\n").rstrip("\n")
    return TYPE.sub(lambda match: match[0].replace("`", ""), body)


def _fenced(text: str) -> str:
    """Put examples that stand in the running text into blocks of their own."""
    return CODE.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
