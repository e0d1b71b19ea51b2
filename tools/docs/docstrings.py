"""Docstrings on pages: cut into sections, and shown by Sphinx as reStructuredText."""

from __future__ import annotations

import inspect
import re

HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}\n", flags=re.MULTILINE)
CITED = re.compile(r"^\.\. \[(\d+)\] ", flags=re.MULTILINE)
MENTION = re.compile(r"\[(\d+)\]_")
DOI = re.compile(r"(?<!/)\bdoi:(10\.\d+/[^\s,;]*[^\s,;.])")
ARXIV = re.compile(r"\barXiv:(\d{4}\.\d{5})")


def sections(docstring: str) -> dict[str, str]:
    """Cut a docstring at its headings; the text before the first one is ``""``."""
    text = inspect.cleandoc(docstring)
    pieces = HEADING.split(text)
    names = ["", *pieces[1::2]]
    return {
        name: body.strip("\n") for name, body in zip(names, pieces[::2], strict=True)
    }


def shown(text: str) -> str:
    """Return a block of a page that shows one section of a docstring.

    Sections are parsed apart, so a numbered reference becomes an item of a list.
    """
    text = MENTION.sub(r"[\1]", CITED.sub(r"\1. ", text))
    text = DOI.sub(r"`doi:\1 <https://doi.org/\1>`__", text)
    text = ARXIV.sub(r"`arXiv:\1 <https://arxiv.org/abs/\1>`__", text)
    return f"```{{eval-rst}}\n{text.rstrip()}\n```"


def linked(text: str) -> str:
    """Make links of DOIs and of arXiv's numbers in Markdown."""
    text = DOI.sub(r"[doi:\1](https://doi.org/\1)", text)
    return ARXIV.sub(r"[arXiv:\1](https://arxiv.org/abs/\1)", text)
