r"""A table that is written as Markdown, LaTeX and CSV, whatever its names contain.

Conventions
-----------
* Names are other people's texts: in Markdown and LaTeX every character that means
  something there is escaped, and line breaks become spaces. CSV has them as they are,
  quoted where needed, so that a program reads back what was stored.
* Markdown and LaTeX are for reading: numbers are rounded, a missing one is a dash, the
  best of a row is bold (all that look best when rounded), a cell with failed runs has a
  dagger. CSV has the numbers in full, and nothing where one is missing.
* LaTeX needs the package ``booktabs``; a table that does not fit on a page also
  ``longtable``.
* The same table is written as the same bytes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import zip_longest
from typing import Any, Literal

import pandas as pd

from tsmdbench.html_text import html_block, html_lines, html_table

Interval = tuple[Sequence[float], Sequence[float]]  # low and high ends, row by row
DECIMALS = 3
DASH = "\N{EN DASH}"
DAGGER = "\N{DAGGER}"
PAGE = 40  # rows of a table that fits on a page
WIDEST = 60  # characters of a column that is not broken into lines
WRAPPED = r"p{0.5\linewidth}"
FAILED = "runs failed; failed runs score 0"
MARKDOWN = {
    **{letter: f"\\{letter}" for letter in "\\`*_{}[]"},
    # A backslash does not help everywhere: '$' begins a formula on GitHub all the same.
    **{letter: f"&#{ord(letter)};" for letter in "$~^|="},
    **{"&": "&amp;", "<": "&lt;", ">": "&gt;"},
}
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # A row that begins with one of these would be read as an option of the row before.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": "-{}",  # two of them would become a dash
    DASH: "--",
    **{letter: f"\\{letter}" for letter in "{}$&%#_"},
}


@dataclass(frozen=True, eq=False)
class Table:
    r"""A named table.

    Parameters
    ----------
    name : str
        Of its files, and of the LaTeX label.
    caption : str
        What it shows, as plain text.
    frame : pandas.DataFrame
        The cells; the index is not written.
    compared : sequence of str
        Columns whose cells compete within a row: the best are bold.
    best : {"highest", "lowest"}
        Which is best.
    failed : pandas.DataFrame, optional
        Number of failed runs behind the cells of some columns, row by row.
    written : mapping of str to callable, optional
        How the numbers of a column are written; by default with three decimals.
    along : {"row", "column"}
        Where the compared cells compete: within a row, or within a column.
    lowest : sequence of str
        Columns, or texts in the first column, of which the lowest is best.
    intervals : mapping, optional
        Column to the low and the high ends of its cells, written behind them; in CSV
        they have columns of their own.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dataset": ["a_b"], "x": [0.25], "y": [0.5]})
    >>> table = Table("means", "Mean F1.", frame, compared=("x", "y"))
    >>> print(table.markdown())
    Mean F1.
    <BLANKLINE>
    | dataset | x | y |
    |:---|---:|---:|
    | a\_b | 0.250 | **0.500** |
    <BLANKLINE>
    >>> print(table.latex().splitlines()[8])
    a\_b & 0.250 & \textbf{0.500} \\
    >>> table.csv()
    'dataset,x,y\na_b,0.25,0.5\n'
    """

    name: str
    caption: str
    frame: pd.DataFrame
    compared: Sequence[str] = ()
    best: Literal["highest", "lowest"] = "highest"
    failed: pd.DataFrame | None = None
    written: Mapping[str, Callable[[float], str]] = field(default_factory=dict)
    along: Literal["row", "column"] = "row"
    lowest: Sequence[str] = ()
    intervals: Mapping[str, Interval] = field(default_factory=dict)

    # The Styler of pandas writes no Markdown and repeats the caption of a long table.
    def markdown(self) -> str:
        """Return the table as Markdown."""
        rows = [
            [markdown_text(name) for name in self.frame.columns],
            *self._rows(markdown_text, "**{}**".format, DAGGER),
        ]
        head, *body = ["| " + " | ".join(row) + " |" for row in rows]
        rule = "|".join("---:" if right else ":---" for right in self.numeric())
        caption = markdown_text(self._caption())
        return "\n".join([caption, "", head, f"|{rule}|", *body]) + "\n"

    def latex(self) -> str:
        """Return the table for ``booktabs``; a long one goes over pages."""
        bold, dagger = r"\textbf{{{}}}".format, r"\textsuperscript{\dag}"
        rows = [
            [latex_text(name) for name in self.frame.columns],
            *self._rows(latex_text, bold, dagger, "~"),
        ]
        head, *body = [" & ".join(row) + r" \\" for row in rows]
        plain = self._rows(str, str, DAGGER)
        wide = [max(map(len, column)) > WIDEST for column in zip(*plain, strict=True)]
        columns = "".join(
            "r" if right else WRAPPED if broken else "l"
            for right, broken in zip_longest(self.numeric(), wide, fillvalue=False)
        )
        label = re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-")
        caption = latex_text(f"{self._caption()} tsmdbench {version('tsmdbench')}.")
        titled = rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}"
        above = r"\toprule", head, r"\midrule"
        if len(body) > PAGE:
            lines = [
                rf"\begin{{longtable}}{{{columns}}}",
                titled[0] + titled[1] + r" \\",
                *(*above, r"\endfirsthead", *above, r"\endhead"),
                *(r"\bottomrule", r"\endfoot", *body, r"\end{longtable}"),
            ]
        else:
            lines = [
                *(r"\begin{table}", r"\centering", *titled),
                rf"\begin{{tabular}}{{{columns}}}",
                *(*above, *body, r"\bottomrule", r"\end{tabular}", r"\end{table}"),
            ]
        return "\n".join([*lines, ""])

    def csv(self) -> str:
        """Return the table as CSV with full numbers, lines ended by a line feed."""
        whole = self.frame.rename(columns=str).reset_index(drop=True)
        for name, (low, high) in self.intervals.items():
            whole[f"{name} low"], whole[f"{name} high"] = list(low), list(high)
        text: str = whole.to_csv(index=False, lineterminator="\n")
        return text

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        words = [place for place, right in enumerate(self.numeric()) if not right]
        rows = self._rows(str, str, DAGGER)
        table = html_table(list(self.frame.columns), rows, left=words)
        return html_block(html_lines([self._caption()]), table)

    def _caption(self) -> str:
        if self.failed is None or not (self.failed.to_numpy() > 0).any():
            return self.caption
        return f"{self.caption} {DAGGER}: {FAILED}."

    def _values(self) -> list[tuple[Any, ...]]:
        """Return the rows as plain Python values, None where one is missing."""
        rows = self.frame.itertuples(index=False, name=None)
        return [tuple(map(_plain, row)) for row in rows]

    def cells(self) -> list[list[tuple[Any, str]]]:
        """Return the rows with the value and the text of each cell, for a page."""
        return [
            list(zip(values, texts, strict=True))
            for values, texts in zip(
                self._values(), self._rows(str, str, DAGGER), strict=True
            )
        ]

    def numeric(self) -> list[bool]:
        """Return which columns hold numbers."""
        return [
            all(value is None or _number(value) for value in column)
            for column in zip(*self._values(), strict=True)
        ] or [False] * len(self.frame.columns)

    def _rows(
        self,
        escape: Callable[[Any], str],
        bold: Callable[[str], str],
        dagger: str,
        gap: str = " ",
    ) -> list[list[str]]:
        """Return the cells as texts of a syntax."""
        names, values = [str(name) for name in self.frame.columns], self._values()
        texts = [
            [self._text(name, value) for name, value in zip(names, row, strict=True)]
            for row in values
        ]
        # The compared cells that read like the best of their row or column are bold.
        columns = [place for place, name in enumerate(names) if name in self.compared]
        groups = [
            (str(row[0]), [(place, column) for column in columns])
            for place, row in enumerate(values)
        ]
        if self.along == "column":
            every = range(len(values))
            groups = [(names[c], [(row, c) for row in every]) for c in columns]
        winners: set[tuple[int, int]] = set()
        for key, cells in groups:
            rivals = [(row, c) for row, c in cells if _number(values[row][c])]
            if len(rivals) > 1:
                lowest = self.best == "lowest" or key in self.lowest
                choose = min if lowest else max
                row, column = choose(rivals, key=lambda cell: values[cell[0]][cell[1]])
                best = texts[row][column]
                winners |= {(row, c) for row, c in rivals if texts[row][c] == best}
        rows = []
        for row, line in enumerate(texts):
            made: list[str] = []
            for column, (name, text) in enumerate(zip(names, line, strict=True)):
                cell = escape(text)
                if (row, column) in winners:
                    cell = bold(cell)
                if self.failed is not None and name in self.failed:
                    cell += dagger * bool(self.failed[name].iloc[row] > 0)
                ends = [_plain(end[row]) for end in self.intervals.get(name, ())]
                if ends and None not in ends:
                    low, high = (f"{end:.{DECIMALS}f}" for end in ends)
                    cell += gap + escape(f"[{low}, {high}]")
                made.append(cell)
            rows.append(made)
        return rows

    def _text(self, name: str, value: Any) -> str:
        if value is None:
            return DASH
        if isinstance(value, bool):
            return "yes" if value else "no"
        if _number(value) and name in self.written:
            return self.written[name](float(value))
        return f"{value:.{DECIMALS}f}" if isinstance(value, float) else str(value)


def markdown_text(text: Any) -> str:
    r"""Escape everything that Markdown, or HTML in it, would read as its own.

    >>> print(markdown_text("<script> $x_1$ a|b 5% & 1.5"))
    &lt;script&gt; &#36;x\_1&#36; a&#124;b 5% &amp; 1.5
    """
    escaped = "".join(MARKDOWN.get(letter, letter) for letter in _one_line(text))
    # At the beginning these would make a heading or a list.
    return re.sub(r"^(\d*)([#+.)\-])(?=[\s#]|$)", r"\1\\\2", escaped)


def latex_text(text: Any) -> str:
    r"""Escape everything that TeX would read as its own.

    >>> print(latex_text("$x_1$ 5% a\\b ~ [1]"))
    \$x\_1\$ 5\% a\textbackslash{}b \textasciitilde{} {[}1{]}
    """
    return "".join(LATEX.get(letter, letter) for letter in _one_line(text))


def metric_name(metric: str) -> str:
    """Return the file name of a metric.

    >>> metric_name("prom_f1"), metric_name("./mine.py:share")
    ('f1', 'mine_py_share')
    """
    return re.sub(r"\W+", "_", metric.removeprefix("prom_")).strip("_")


def _one_line(text: Any) -> str:
    """Make every kind of white space one space and drop control characters."""
    plain = " ".join(str(text).split())
    return "".join(c for c in plain if unicodedata.category(c) not in ("Cc", "Cf"))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Return a NumPy value as a Python one, and None for what is missing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
