"""How a table of text is laid out: separator, decimal sign, header, kinds of columns.

It is decided by the first lines, by these rules:

* The separator is the one that a line ``sep=;`` at the top names, as Excel writes it;
  else a tab, a semicolon, a bar or a comma, the first of these that stands equally
  often in every line; else white space, if every line has several words.
* A comma is the decimal sign if cells such as ``1,5`` occur between separators.
* The first line is a header if a cell of it is neither a number, nor missing, nor time.
  A line of units below it, which has no number, is read as such.
* Lines at the top that begin with ``#`` are comments.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import not_decodable
from tsmdbench.io.time_column import unit_of
from tsmdbench.io.timebase import STAMP, parse_clock, parse_stamp

SAMPLE_BYTES = 2**17
SAMPLE_LINES = 200
SEPARATORS = ("\t", ";", "|", ",")
# What stands for a missing value, as in pandas and pyarrow.
NULLS = (
    "",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "NaN",
    "nan",
    "-nan",
    "-NaN",
    "NULL",
    "null",
    "-",
)
WITH_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
# 1,234.5 or 1.234.567 or 1'234,5: groups of three digits.
GROUPED = re.compile(r"[-+]?\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
SEP_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")
MOST_ABOVE = 100  # lines of a preamble that are found
LONG_INTEGER = re.compile(r"\d{16,19}")  # more digits than a float can hold


@dataclass(frozen=True)
class Layout:
    """How a table of text is laid out; `separator` None stands for white space."""

    separator: str | None
    decimal: str
    names: tuple[str, ...]
    named: bool
    skip: int  # lines before the first sample
    kinds: tuple[str, ...]  # "number", "integer", "stamp", "zoned", "date", "clock"
    thousands: str | None = None
    units: tuple[str, ...] = ()  # those of a line below the header

    def with_kinds(self, kinds: tuple[str, ...]) -> Layout:
        """Return the same layout with other kinds of columns."""
        return replace(self, kinds=kinds)


def is_number(cell: str, decimal: str = ".", thousands: str | None = None) -> bool:
    """Whether a cell holds a number."""
    text = cell.strip().replace(thousands, "") if thousands else cell.strip()
    if decimal == ",":
        text = text.replace(",", ".")
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a missing value."""
    return cell.strip() in NULLS


def sniff(file: Path, options: SeriesOptions) -> Layout:
    """Return the layout of a file, decided by its first lines."""
    lines = _first_lines(file, options)
    skip, separator = options.skip_rows, options.separator
    while skip < len(lines) and _is_idle(lines[skip]):
        skip += 1
    stated = SEP_LINE.fullmatch(lines[skip].strip()) if skip < len(lines) else None
    if stated:
        separator, skip = separator or stated[1], skip + 1
    body = [line for line in lines[skip:] if line.strip()]
    if not body:
        raise InputError(f"{file} holds no samples")
    if separator is None:
        _check_preamble(file, lines, skip)
    separator = separator or find_separator(body)
    rows = [split(line, separator) for line in body]
    thousands = options.thousands
    decimal = options.decimal or _find_decimal(file, rows, thousands)
    header = options.header
    if header is None:
        header = _has_header(rows, decimal, thousands)
    width = len(rows[0])
    units: tuple[str, ...] = ()
    if header:
        names = tuple(name.strip() or unnamed(i) for i, name in enumerate(rows[0]))
        names = ("", *names[1:]) if not rows[0][0].strip() else names
        skip += lines[skip:].index(body[0]) + 1
        if _are_units(rows[1:3], width, decimal, thousands):
            units = tuple(cell.strip().strip("[]()") for cell in rows[1])
            skip += lines[skip:].index(body[1]) + 1
    else:
        names = ("value",) if width == 1 else tuple(str(i) for i in range(width))
    data = rows[1 + bool(units) :] if header else rows
    if not data:
        raise InputError(f"{file} holds no samples")
    dated = options.day_first is not None
    kinds = tuple(
        _kind([row[i] for row in data if i < len(row)], names[i], decimal, dated=dated)
        for i in range(width)
    )
    return Layout(separator, decimal, names, header, skip, kinds, thousands, units)


def _check_preamble(file: Path, lines: list[str], skip: int) -> None:
    """Refuse lines of text above the table, and say how many they are."""
    filled = [at for at in range(skip, len(lines)) if lines[at].strip()]
    for first in filled[1:MOST_ABOVE]:
        below = [lines[at] for at in filled if at >= first]
        if len(below) < 3:
            return
        for separator in SEPARATORS:
            widths = {len(split(line, separator)) for line in below}
            if len(widths) == 1 and widths != {1}:
                above = [lines[at] for at in filled if at < first]
                alike = {len(split(line, separator)) for line in above} & widths
                if not alike and not any(map(_has_number, above)):
                    raise InputError(
                        f"{file}: the table begins with line {first + 1}; skip what is "
                        f"above it with skip_rows={first} (--skip-rows {first})"
                    )
                return


def _has_number(line: str) -> bool:
    """Whether a line has nothing but numbers and separators, as a row of samples."""
    cells = [cell for cell in re.split(r"[\t;|,\s]+", line.strip()) if cell]
    return bool(cells) and all(map(is_number, cells))


def _are_units(
    rows: list[list[str]], width: int, decimal: str, thousands: str | None
) -> bool:
    """Whether the first of two rows below a header holds units: no number, no time."""
    if len(rows) < 2 or len(rows[0]) != width:
        return False
    words = [cell for cell in rows[0] if cell.strip() and not is_missing(cell)]
    if not words or not all(_is_word(cell, decimal, thousands) for cell in words):
        return False
    return any(is_number(cell, decimal, thousands) for cell in rows[1])


def _first_lines(file: Path, options: SeriesOptions) -> list[str]:
    encoding = options.encoding or "utf-8-sig"
    try:
        with file.open(encoding=encoding, newline=None) as stream:
            lines = stream.read(SAMPLE_BYTES).split("\n")
            whole = not stream.read(1)
    except UnicodeError as cause:
        raise InputError(not_decodable(file, options.encoding, cause)) from None
    if not whole and len(lines) < 2:
        raise InputError(
            f"{file}: line 1 has more than {SAMPLE_BYTES} characters; a series has one "
            f"line per sample"
        )
    # The last line of a part may be cut.
    return lines[:SAMPLE_LINES] if whole else lines[:-1][:SAMPLE_LINES]


def _is_idle(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def unnamed(place: int) -> str:
    """Return what a column without a name is called."""
    return f"column {place + 1}"


def split(line: str, separator: str | None) -> list[str]:
    """Return the cells of a line."""
    if separator is None:
        return line.split()
    return next(csv.reader([line], delimiter=separator), [])


def find_separator(lines: list[str]) -> str | None:
    """Return what separates the cells; None for white space or a single column."""
    for separator in SEPARATORS:
        counts = {len(split(line, separator)) for line in lines}
        if len(counts) == 1 and counts != {1}:
            return separator
    if len(words := {len(line.split()) for line in lines}) == 1 and words != {1}:
        if not all(STAMP.fullmatch(line.strip()) for line in lines[1:]):
            return None
        return ","  # one column of "date time"
    # Lines of different length: an error that the reader names, with the separator of
    # the first line.
    return next((sep for sep in SEPARATORS if sep in lines[0]), ",")


def _find_decimal(file: Path, rows: list[list[str]], thousands: str | None) -> str:
    if thousands == ".":
        return ","
    cells = [cell.strip() for row in rows for cell in row]
    if thousands:
        cells = [cell.replace(thousands, "") for cell in cells]
    commas = [cell for cell in cells if WITH_COMMA.fullmatch(cell)]
    points = [cell for cell in cells if "." in cell and is_number(cell)]
    if commas and points:
        raise InputError(
            f"{file} has numbers with a comma ({commas[0]}) and with a point "
            f"({points[0]}); give the decimal sign (--decimal)"
        )
    return "," if commas else "."


def _has_header(rows: list[list[str]], decimal: str, thousands: str | None) -> bool:
    first = rows[0]
    if any(_is_word(cell, decimal, thousands) for cell in first):
        return True
    # pandas writes ",0,1" above the rows of an array
    numbered = first[1:] == [str(place) for place in range(len(first) - 1)]
    return len(first) > 1 and not first[0].strip() and numbered


def _is_word(cell: str, decimal: str, thousands: str | None) -> bool:
    if is_number(cell, decimal, thousands) or is_missing(cell):
        return False
    if DATE.match(cell.strip()) or GROUPED.fullmatch(cell.strip()):
        return False
    return parse_stamp(cell) is None and parse_clock(cell) is None


def _kind(cells: list[str], name: str, decimal: str, *, dated: bool) -> str:
    filled = [cell.strip() for cell in cells if not is_missing(cell)]
    if not filled or is_number(filled[0], decimal):
        long = bool(filled) and LONG_INTEGER.fullmatch(filled[0])
        return "integer" if long and unit_of(name) is not None else "number"
    found = STAMP.fullmatch(filled[0])
    if found:
        return "zoned" if found[1] else "stamp"
    if parse_clock(filled[0]) is not None:
        return "clock"
    if dated and DATE.match(filled[0]):
        return "date"
    return "number"  # it is not, which the reader names with line and column
