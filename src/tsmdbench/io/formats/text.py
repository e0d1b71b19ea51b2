"""Series as text: CSV, TSV and their relatives, read by pandas.

The first lines determine the layout, by these rules:

* The separator is the one that a line ``sep=;`` at the top names, as Excel writes it;
  else a tab, a semicolon, a bar or a comma, the first of these that stands equally
  often in every line; else white space, if every line has several words.
* A comma is the decimal sign if cells such as ``1,5`` occur between separators.
* The first line is a header if a cell of it is neither a number, nor missing, nor time.
  A line of units below it, which has no number, is read as such.
* Lines at the top that begin with ``#`` are comments.

pandas names neither the line nor the column of a bad cell, and fills short lines up;
where something may be wrong, the file is read once more, line by line, to name it.
"""

from __future__ import annotations

import csv
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.files import brief, check_text, not_decodable
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.series import IN_UTC, SeriesOptions, Table, array_names, unit_of
from tsmdbench.io.timebase import CLOCK, STAMP, parse_stamp

SAMPLE_BYTES = 2**17
SAMPLE_LINES = 200
SEPARATORS = ("\t", ";", "|", ",")
# Missing values, as in pandas and pyarrow.
NULLS = (
    "", "-", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "-NaN", "NULL", "null"
)  # fmt: skip
WITH_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
# 1,234.5 or 1.234.567 or 1'234,5: groups of three digits.
GROUPED = re.compile(r"[-+]?\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
SEP_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")
ZONE = r"(?:Z|[+-]\d\d:?\d\d)\s*$"
LONG_INTEGER = re.compile(r"\d{16,19}")  # more digits than a float can hold
STAMPS = ("stamp", "zoned")
KINDS = {
    **dict.fromkeys(STAMPS, "time stamp"),
    "clock": "time as hh:mm:ss",
    "date": "date",
}
MOST_ABOVE = 100  # lines of a preamble that are found
SHOWN = 40  # characters of a cell in an error


@dataclass(frozen=True)
class Layout:
    """Layout of a table of text; `separator` None stands for white space."""

    separator: str | None
    decimal: str
    thousands: str | None
    names: tuple[str, ...]
    named: bool
    skip: int  # lines before the first sample
    kinds: tuple[str, ...]  # "number", "integer", "stamp", "zoned", "date", "clock"
    units: tuple[str, ...]  # of a line below the header


def _read(file: Path, options: SeriesOptions) -> Table:
    check_text(file, options.max_bytes, options.encoding)
    layout = _sniffed(file, options)
    chosen = list(range(len(layout.names)))
    if options.columns is not None:  # those, and what may be the time
        wanted = (*options.columns, options.time_column or "none")
        for name in wanted:
            if name != "none" and name not in layout.names:
                known = ", ".join(layout.names)
                raise InputError(f"{file} has no column {name!r}; known: {known}")
        chosen = [
            at
            for at, name in enumerate(layout.names)
            if name in wanted
            or layout.kinds[at] in KINDS
            or (layout.named and unit_of(name) is not None)
        ]
    columns = _columns(file, layout, options, chosen)
    table = Table([], [], str(file), named=layout.named, first_line=layout.skip + 1)
    table.notes = ["decimal comma"] if layout.decimal == "," else []
    if layout.units:
        table.notes.append(f"line {layout.skip} has units")
    if any(layout.kinds[at] == "zoned" for at in chosen):
        table.notes.append(IN_UTC)
    for at, column in zip(chosen, columns, strict=True):
        name, numeric = layout.names[at], column.dtype.kind == "f"
        # A separator at the end of each line makes a column without name and value.
        unnamed = layout.named and name == f"column {at + 1}"
        if unnamed and numeric and bool(np.isnan(column).all()):
            table.notes.append(f"{name} is empty and was left out")
            continue
        table.names.append(name)
        table.columns.append(column)
        table.units += layout.units[at : at + 1]
    return table


def _sniffed(file: Path, options: SeriesOptions) -> Layout:
    """Return the layout of a file, from its first lines."""
    try:
        with file.open(encoding=options.encoding or "utf-8-sig") as stream:
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
    lines = lines[:SAMPLE_LINES] if whole else lines[:-1][:SAMPLE_LINES]
    skip, separator, thousands = options.skip_rows, options.separator, options.thousands
    while skip < len(lines) and re.match(r"\s*(#|$)", lines[skip]):
        skip += 1
    stated = SEP_LINE.fullmatch(lines[skip].strip()) if skip < len(lines) else None
    if stated:
        separator, skip = separator or stated[1], skip + 1
    filled = [at for at in range(skip, len(lines)) if lines[at].strip()]
    if filled and separator is None:
        _check_preamble(file, lines, filled)
        separator = _separator([lines[at] for at in filled])
    rows = [_cells(lines[at], separator) for at in filled]
    decimal = options.decimal or ("," if thousands == "." else None)
    if decimal is None:
        cells = [c.strip().replace(thousands or "\0", "") for row in rows for c in row]
        commas = [cell for cell in cells if WITH_COMMA.fullmatch(cell)]
        points = [cell for cell in cells if "." in cell and _is_number(cell)]
        if commas and points:
            raise InputError(
                f"{file} has numbers with a comma ({commas[0]}) and with a point "
                f"({points[0]}); give the decimal sign (--decimal)"
            )
        decimal = "," if commas else "."

    def is_word(cell: str) -> bool:
        cell = cell.strip()
        word = _kind(cell, decimal, thousands) == "word" and cell not in NULLS
        return word and not GROUPED.fullmatch(cell)

    first, second = ([*rows, [], []])[:2]
    header = options.header
    if header is None:
        # pandas writes ",0,1" above the rows of an array
        numbered = first[1:] == [str(place) for place in range(len(first) - 1)]
        header = any(map(is_word, first)) or (
            len(first) > 1 and not first[0].strip() and numbered
        )
    names = tuple(array_names(len(first)))
    units: tuple[str, ...] = ()
    if header:
        names = tuple(
            name.strip() or (f"column {at + 1}" if at else "")
            for at, name in enumerate(first)
        )
        words = [cell for cell in second if cell.strip() not in NULLS]
        if len(second) == len(first) and words and all(map(is_word, words)):
            below = rows[2] if len(rows) > 2 else []
            filled_below = (cell for cell in below if cell.strip() not in NULLS)
            if not all(map(is_word, filled_below)):
                units = tuple(cell.strip().strip("[]()") for cell in second)
    above = bool(header) + bool(units)
    if not rows[above:]:
        raise InputError(f"{file} holds no samples")
    kinds = []
    for at, name in enumerate(names):
        column = (row[at].strip() for row in rows[above:] if at < len(row))
        cell = next((cell for cell in column if cell not in NULLS), "")
        kind = _kind(cell, decimal) if cell else "number"
        timed = unit_of(name) is not None
        if kind == "number" and timed and LONG_INTEGER.fullmatch(cell):
            kind = "integer"
        elif kind == "word" or (kind == "date" and options.day_first is None):
            kind = "number"  # the reader names what is not one, with line and column
        kinds.append(kind)
    skip = filled[above - 1] + 1 if above else skip
    return Layout(
        separator, decimal, thousands, names, header, skip, tuple(kinds), units
    )


def _check_preamble(file: Path, lines: list[str], filled: list[int]) -> None:
    """Raise for lines of text above the table, with their number."""
    for number in range(1, min(MOST_ABOVE, len(filled) - 2)):
        for separator in SEPARATORS:
            widths = {len(_cells(lines[at], separator)) for at in filled[number:]}
            if len(widths) > 1 or widths == {1}:
                continue
            first = number  # of the table; words above a blank line are not of it
            for later in range(number + 1, len(filled) - 2):
                if any(map(_is_number, _cells(lines[filled[later - 1]], separator))):
                    break
                if filled[later] > filled[later - 1] + 1:
                    first = later
            skip = filled[first]
            above = [lines[at] for at in filled[:number]]
            split = [re.split(r"[\t;|,\s]+", line.strip(" \t;|,")) for line in above]
            samples = any(all(map(_is_number, row)) for row in split)
            alike = {len(_cells(line, separator)) for line in above} & widths
            if not alike and not samples:
                raise InputError(
                    f"{file}: the table begins with line {skip + 1}; skip what is "
                    f"above it with skip_rows={skip} (--skip-rows {skip})"
                )
            return


def _separator(lines: list[str]) -> str | None:
    """Return the separator of the cells; None for white space."""
    for separator in SEPARATORS:
        counts = {len(_cells(line, separator)) for line in lines}
        if len(counts) == 1 and counts != {1}:
            return separator
    words = {len(line.split()) for line in lines}
    if len(words) == 1 and words != {1}:
        dated = all(STAMP.fullmatch(line.strip()) for line in lines[1:])
        return "," if dated else None  # one column of "date time"
    # Lines of different length: an error that the reader names, with the separator of
    # the first line.
    return next((sep for sep in SEPARATORS if sep in lines[0]), ",")


def _cells(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    return next(csv.reader([line], delimiter=separator), [])


def _is_number(cell: str, decimal: str = ".", thousands: str | None = None) -> bool:
    text = cell.strip().replace(thousands or "\0", "")
    try:
        float(text.replace(",", ".") if decimal == "," else text)
    except ValueError:
        return False
    return "_" not in text


def _kind(cell: str, decimal: str, thousands: str | None = None) -> str:
    """Return what the text of a cell stands for; see `Layout`."""
    if _is_number(cell, decimal, thousands):
        return "number"
    stamp = STAMP.fullmatch(cell)
    if stamp:
        return "zoned" if stamp[1] else "stamp"
    if CLOCK.fullmatch(cell):
        return "clock"
    return "date" if DATE.match(cell) else "word"


def _columns(
    file: Path, layout: Layout, options: SeriesOptions, chosen: list[int]
) -> list[NDArray[Any]]:
    """Read the chosen columns; numbers are float64, times datetime64 or timedelta64."""
    import pandas as pd

    width = len(layout.names)
    # Four times slower, but exact; pandas 3.1 is always exact and warns of the option.
    old = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    exact: dict[str, Any] = {"float_precision": "round_trip"} if old else {}
    # Without a type, a column has whole numbers of 64 bits unless there is a fraction.
    types = {
        at: float if layout.kinds[at] == "number" else str
        for at in chosen
        if layout.kinds[at] != "integer"
    }
    problems = (pd.errors.ParserWarning, pd.errors.DtypeWarning)
    try:
        with warnings.catch_warnings():
            for problem in problems:
                warnings.simplefilter("error", problem)
            frame = pd.read_csv(
                file,
                sep=layout.separator or r"\s+",
                header=None,
                names=list(range(width)),
                index_col=False,
                usecols=chosen if len(chosen) < width else None,
                skiprows=layout.skip,
                dtype=types,
                decimal=layout.decimal,
                thousands=layout.thousands,
                na_values=list(NULLS),
                keep_default_na=False,
                skipinitialspace=True,
                encoding=options.encoding or "utf-8-sig",
                on_bad_lines="error",
                **exact,
            )
        columns = [_values(frame[at], layout.kinds[at], options) for at in chosen]
    except (ValueError, OverflowError, UnicodeError, *problems) as cause:
        wrong = _what_is_wrong(file, layout, options, chosen)
        raise InputError(
            wrong or f"{file}: not a table of numbers ({brief(cause)})"
        ) from None
    # pandas fills short lines up, and with `usecols` it cuts long ones.
    if width > 1 and (len(chosen) < width or frame[width - 1].isna().any()):
        wrong = _what_is_wrong(file, layout, options, [])
        if wrong:
            raise InputError(wrong)
    return columns


def _values(column: Any, kind: str, options: SeriesOptions) -> NDArray[Any]:
    """Return a column as numbers, as time stamps in UTC, or as times of day."""
    import pandas as pd
    from pandas.tseries.api import guess_datetime_format

    if kind in ("number", "integer"):
        values = np.asarray(column.to_numpy())
        if values.dtype.kind not in "iuf":
            raise ValueError("not a number")
        return values
    given = column.notna()
    if kind == "clock":
        # pandas takes a number for nanoseconds.
        clocks = column.where(column.str.strip().str.fullmatch(CLOCK.pattern))
        parsed = pd.to_timedelta(clocks.str.replace(",", "."), errors="coerce")
    elif kind == "date":
        day_first, first = bool(options.day_first), column[given].iloc[0].strip()
        form = guess_datetime_format(first, dayfirst=day_first) or "mixed"
        parsed = pd.to_datetime(
            column, dayfirst=day_first, format=form, errors="coerce"
        )
    else:
        zoned = column[given].str.contains(ZONE)
        if zoned.any() != (kind == "zoned") or zoned.any() != zoned.all():
            raise ValueError("some time stamps have a zone")
        parsed = pd.to_datetime(column, format="ISO8601", utc=True, errors="coerce")
        parsed = parsed.dt.tz_localize(None)
    if parsed[given].isna().any():
        raise ValueError("not a time")
    unit = "timedelta64[ns]" if kind == "clock" else "datetime64[ns]"
    return np.asarray(parsed.to_numpy().astype(unit))


def _what_is_wrong(
    file: Path, layout: Layout, options: SeriesOptions, chosen: list[int]
) -> str:
    """Name the first line of another width, or cell of the chosen columns; or ""."""
    width = len(layout.names)
    try:
        with file.open(encoding=options.encoding or "utf-8-sig", newline="") as stream:
            for _ in range(layout.skip):
                next(stream, None)
            rows: Any = (line.split() for line in stream)
            if layout.separator is not None:
                rows = csv.reader(stream, delimiter=layout.separator)
            for number, cells in enumerate(rows, start=layout.skip + 1):
                if not cells or (width > 1 and cells == [""]):
                    continue
                where = f"{file}, line {number}"
                if len(cells) != width:
                    return (
                        f"{where}: {len(cells)} columns where the lines above have "
                        f"{width}"
                    )
                for at in chosen:
                    cell = cells[at].strip()
                    wrong = cell not in NULLS and _fault(cell, layout.kinds[at], layout)
                    if wrong:
                        return f"{where}, column {at + 1}: {cell[:SHOWN]!r} {wrong}"
    except (UnicodeError, LookupError) as error:
        return not_decodable(file, options.encoding, error)
    except csv.Error as error:
        return f"{file}: {error}"
    return ""


def _fault(cell: str, kind: str, layout: Layout) -> str:
    """Return why a cell is not of its kind, or an empty text."""
    found = _kind(cell, layout.decimal, layout.thousands)
    if found == kind.replace("integer", "number"):
        no_such = found in STAMPS and parse_stamp(cell) is None
        return f"is not a {KINDS[kind]}" if no_such else ""
    if kind in STAMPS and found in STAMPS:
        zone = "no time zone" if kind == "zoned" else "a time zone"
        return f"has {zone}, unlike the time stamps above"
    if kind in KINDS:
        return f"is not a {KINDS[kind]}"
    if found == "date":
        return (
            "is a date, but not in ISO form, so that day and month may be swapped; "
            "give day_first (--day-first or --month-first), or write "
            "2024-05-01T12:00:00"
        )
    grouped = GROUPED.fullmatch(cell)
    if grouped and layout.thousands is None:
        sign = "," if grouped[1] == "." else "."
        return (
            f"is a number with thousands separators; give thousands={grouped[1]!r} "
            f"(--thousands {grouped[1]!r} --decimal {sign})"
        )
    return "is not a number; lines above the table are skipped with --skip-rows N"


FORMATS = (
    SeriesFormat(
        "text",
        (".csv", ".tsv", ".txt"),
        _read,
        "table of text: any common separator, header or not, time column or not",
    ),
)
