"""HTML of results for notebooks, and shared parts of self-contained pages.

All text is escaped. The report and ``tsmdbench view`` each write one HTML file with
everything inside: embedded data, scripts, and a content policy.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

MOST_ROWS = 60  # more are not read; a note says how many there are
# No text between tags may end them or open new ones, whatever a name holds.
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def html_table(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    bold: Iterable[int] = (),
    left: Iterable[int] = (0,),
) -> str:
    """Return a table of text with `bold` rows, and columns of words at the `left`.

    The Styler of pandas needs Jinja2, which only reports have.

    >>> html_table(["a"], [["x < y"]]).count("x &lt; y")
    1
    """
    lines = [list(row) for row in rows]
    strong, words = set(bold), set(left)

    def cells(tag: str, texts: Sequence[Any]) -> str:
        sides = ("left" if n in words else "right" for n in range(len(texts)))
        return "".join(
            f'<{tag} style="text-align:{side}">{escape(str(text))}</{tag}>'
            for side, text in zip(sides, texts, strict=True)
        )

    top = cells("th", head)
    weight = ' style="font-weight:bold"'
    body = "".join(
        f"<tr{weight if place in strong else ''}>{cells('td', line)}</tr>"
        for place, line in enumerate(lines[:MOST_ROWS])
    )
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    more = len(lines) - MOST_ROWS
    return table + (html_lines([f"... and {more} more rows"]) if more > 0 else "")


def html_lines(lines: Iterable[Any]) -> str:
    """Return lines of text as small paragraphs.

    >>> html_lines(["1 < 2"])
    '<p style="margin:0.2em 0">1 &lt; 2</p>'
    """
    return "".join(
        f'<p style="margin:0.2em 0">{escape(str(line))}</p>' for line in lines
    )


def html_facts(title: Any, facts: Mapping[str, Any]) -> str:
    """Return a heading, and names with their values below it.

    >>> html_facts("<x>", {"samples": 3}).count("&lt;x&gt;")
    1
    """
    rows = ([name, value] for name, value in facts.items())
    heading = f"<p><b>{escape(str(title))}</b></p>"
    return heading + html_table(["", ""], rows, left=(0, 1))


def html_frame(frame: Any, digits: int = 3) -> str:
    """Return a pandas data frame or series as a table, numbers rounded."""
    table = frame.to_frame() if hasattr(frame, "to_frame") else frame
    text: str = table.to_html(
        escape=True,
        border=0,
        max_rows=MOST_ROWS,
        float_format=lambda number: f"{number:.{digits}f}",
    )
    return text


def html_block(*parts: str) -> str:
    """Join HTML fragments into one block."""
    return f"<div>{''.join(parts)}</div>"


def json_block(value: Any) -> str:
    r"""Return JSON for a script element; NaN and infinities become null.

    >>> json_block({"name": "</script>", "mean": float("nan")})
    '{"name":"\\u003c/script\\u003e","mean":null}'
    """
    text = compact_json(value)
    for character, escaped in UNSAFE.items():
        text = text.replace(character, escaped)
    return text


def packed(value: Any) -> str:
    """Return JSON, compressed, as base64: a quarter of its size, letters only."""
    return base64.b64encode(zlib.compress(compact_json(value).encode(), 9)).decode()


def compact_json(value: Any) -> str:
    """Return JSON without blanks, in ASCII."""

    def finite(value: Any) -> Any:
        """Replace numbers that JSON does not know."""
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, dict):
            return {key: finite(entry) for key, entry in value.items()}
        return [*map(finite, value)] if isinstance(value, list | tuple) else value

    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:  # rare, and the walk costs more than the rest
        return json.dumps(finite(value), separators=(",", ":"), allow_nan=False)


def fragment(*parts: Any) -> str:
    """Return the address of a view: parts that may hold anything, separated by ``/``.

    >>> fragment("explore", "a/b", "<i>")
    '#explore/a%2Fb/%3Ci%3E'
    """
    return "#" + "/".join(quote(str(part), safe="") for part in parts)


def page_asset(folder: str, name: str) -> str:
    """Return the text of a file of the package that goes into a page."""
    return (files("tsmdbench") / folder / name).read_text(encoding="utf-8")


def joined_scripts(parts: Iterable[str]) -> str:
    """Join scripts into one with a scope of its own."""
    joined = "\n".join(parts)
    return f'(() => {{\n"use strict";\n{joined}\n}})();\n'


def content_policy(script: str, style: str, *, connect: bool = False) -> str:
    """Return a content security policy for one script and one style.

    `connect` allows requests to the server that the page came from.
    """
    digests = (hashlib.sha256(text.encode()).digest() for text in (script, style))
    of_script, of_style = (base64.b64encode(digest).decode() for digest in digests)
    allowed = "connect-src 'self'; " if connect else ""
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; "
        f"style-src 'sha256-{of_style}'; {allowed}"
        "base-uri 'none'; form-action 'none'"
    )
