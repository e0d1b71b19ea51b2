"""HTML of results for notebooks; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

MOST_ROWS = 60  # more are not read; a note says how many there are


def html_table(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    bold: Iterable[int] = (),
    left: Iterable[int] = (0,),
) -> str:
    """Return a table; every cell is text.

    Parameters
    ----------
    head : sequence
        Names of the columns.
    rows : iterable of sequence
        Cells of each row.
    bold : iterable of int
        Places of the rows that are highlighted.
    left : iterable of int
        Columns of words; the others hold numbers.

    Examples
    --------
    >>> html_table(["a"], [["x < y"]]).count("x &lt; y")
    1
    """
    lines = [list(row) for row in rows]
    strong, words = set(bold), set(left)
    top = "".join(_cell("th", text, place in words) for place, text in enumerate(head))
    body = "".join(
        f"<tr{_weight(place in strong)}>"
        + "".join(_cell("td", text, n in words) for n, text in enumerate(line))
        + "</tr>"
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


def _cell(tag: str, text: Any, is_word: bool) -> str:  # noqa: FBT001
    side = "left" if is_word else "right"
    return f'<{tag} style="text-align:{side}">{escape(str(text))}</{tag}>'


def _weight(strong: bool) -> str:  # noqa: FBT001
    return ' style="font-weight:bold"' if strong else ""
