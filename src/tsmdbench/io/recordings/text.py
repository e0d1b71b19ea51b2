"""Series as text: CSV, TSV and their relatives, read by pyarrow.

White space between numbers is read by NumPy, and so is everything without pyarrow, as
long as it is numbers only. Where reading fails, the file is walked through once more,
slowly, to name the line and the column.
"""

from __future__ import annotations

import csv
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import brief, check_text, not_decodable
from tsmdbench.io.recordings.parquet import arrow_column
from tsmdbench.io.table import IN_UTC, Table
from tsmdbench.io.text_layout import (
    NULLS,
    Layout,
    is_missing,
    is_number,
    sniff,
    unnamed,
)
from tsmdbench.io.time_column import unit_of
from tsmdbench.io.timebase import STAMP, parse_clock, parse_stamp

SHOWN = 40  # characters of a cell in an error
DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b")


def _read(file: Path, options: SeriesOptions) -> Table:
    check_text(file, options.limit, options.encoding)
    layout = sniff(file, options)
    chosen = _wanted(file, layout, options)
    plain = layout.separator is None or find_spec("pyarrow") is None
    columns = (_by_numpy if plain else _by_arrow)(file, layout, options, chosen)
    notes = ["decimal comma"] if layout.decimal == "," else []
    if any(layout.kinds[place] == "zoned" for place in chosen):
        notes.append(IN_UTC)
    empty = [
        at for at, place in enumerate(chosen) if _is_empty(layout, place, columns[at])
    ]
    for at in reversed(
        empty
    ):  # a separator at the end of each line makes such a column
        notes.append(f"{layout.names[chosen.pop(at)]} is empty and was left out")
        del columns[at]
    return Table(
        [layout.names[place] for place in chosen],
        columns,
        str(file),
        named=layout.named,
        first_line=layout.skip + 1,
        notes=notes,
    )


def _wanted(file: Path, layout: Layout, options: SeriesOptions) -> list[int]:
    """Return the columns to convert: those asked for, and what may be the time."""
    everything = list(range(len(layout.names)))
    if options.columns is None:
        return everything
    asked = {*options.columns, options.time_column}
    for name in asked - {None, "none"} - set(layout.names):
        known = ", ".join(layout.names)
        raise InputError(f"{file} has no column {name!r}; known: {known}")
    return [
        place
        for place in everything
        if layout.names[place] in asked or _may_be_time(layout, place)
    ]


def _is_empty(layout: Layout, place: int, column: NDArray[Any]) -> bool:
    """Whether a column has neither a name nor a value."""
    if not layout.named or layout.names[place] != unnamed(place):
        return False
    return column.dtype.kind == "f" and bool(np.isnan(column).all())


def _may_be_time(layout: Layout, place: int) -> bool:
    stamps = layout.kinds[place] in ("stamp", "zoned", "clock")
    return stamps or (layout.named and unit_of(layout.names[place]) is not None)


def _by_arrow(
    file: Path, layout: Layout, options: SeriesOptions, chosen: list[int]
) -> list[NDArray[Any]]:
    import pyarrow
    from pyarrow import csv as arrow_csv

    kinds = {
        "number": pyarrow.float64(),
        "integer": pyarrow.int64(),
        "stamp": pyarrow.timestamp("ns"),
        "zoned": pyarrow.timestamp("ns", "UTC"),
        "clock": pyarrow.time64("ns"),
    }
    positions = [str(place) for place in range(len(layout.names))]
    try:
        table = arrow_csv.read_csv(
            file,
            read_options=arrow_csv.ReadOptions(
                skip_rows=layout.skip,
                column_names=positions,
                encoding=options.encoding or "utf8",
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.separator, ignore_empty_lines=True
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={
                    str(place): kinds[layout.kinds[place]] for place in chosen
                },
                include_columns=[str(place) for place in chosen],
                null_values=list(NULLS),
                decimal_point=layout.decimal,
                timestamp_parsers=[arrow_csv.ISO8601],
            ),
        )
    except (pyarrow.ArrowException, OSError, LookupError, UnicodeError) as cause:
        if "integer" in layout.kinds:  # a fraction further down
            kinds_again = tuple(k.replace("integer", "number") for k in layout.kinds)
            return _by_arrow(file, layout.with_kinds(kinds_again), options, chosen)
        raise InputError(_what_is_wrong(file, layout, options, chosen, cause)) from None
    columns = []
    for position in range(len(chosen)):
        columns.append(arrow_column(table.column(position)))
        # Give the memory of a column back before the next one is copied.
        table = table.set_column(position, str(position), pyarrow.nulls(len(table)))
    return columns


def _by_numpy(
    file: Path,
    layout: Layout,
    options: SeriesOptions,
    chosen: list[int],
) -> list[NDArray[Any]]:
    """Read numbers only; white space may be any."""
    for place in chosen:
        if layout.kinds[place] not in ("number", "integer"):
            raise InputError(
                f"{file}, line {layout.skip + 1}, column {place + 1}: time stamps are "
                f"read from columns that commas, semicolons or tabs separate, by "
                f'pyarrow (pip install "tsmdbench[parquet]")'
            )
    encoding = options.encoding or "utf-8-sig"
    try:
        with file.open(encoding=encoding) as stream:
            array = np.loadtxt(
                stream,
                delimiter=layout.separator,
                skiprows=layout.skip,
                usecols=chosen,
                ndmin=2,
                comments=None,
                converters=_commas if layout.decimal == "," else None,
            )
    except (ValueError, UnicodeError, IndexError) as cause:
        raise InputError(_what_is_wrong(file, layout, options, chosen, cause)) from None
    return list(array.T)


def _commas(cell: str) -> float:
    return float(cell.replace(",", "."))


def _what_is_wrong(
    file: Path,
    layout: Layout,
    options: SeriesOptions,
    chosen: list[int],
    cause: Exception,
) -> str:
    """Walk through the file and name the first cell or line that cannot be read."""
    try:
        with file.open(encoding=options.encoding or "utf-8-sig", newline="") as stream:
            for _ in range(layout.skip):
                next(stream, None)
            if layout.separator is None:
                rows: Any = (line.split() for line in stream)
            else:
                rows = csv.reader(stream, delimiter=layout.separator)
            for number, cells in enumerate(rows, start=layout.skip + 1):
                if wrong := _wrong_cell(layout, chosen, cells):
                    return f"{file}, line {number}{wrong}"
    except (UnicodeError, LookupError) as error:
        return not_decodable(file, options.encoding, error)
    except csv.Error as error:
        return f"{file}: {error}"
    return f"{file}: not a table of numbers ({brief(cause)})"


def _wrong_cell(layout: Layout, chosen: list[int], cells: list[str]) -> str:
    """Return what is wrong with a line, or an empty text."""
    width = len(layout.names)
    if not cells or (width > 1 and cells == [""]):
        return ""
    if len(cells) != width:
        return f": {len(cells)} columns where the lines above have {width}"
    for place in chosen:
        cell, kind = cells[place].strip(), layout.kinds[place]
        if is_missing(cell):
            if layout.separator is not None:
                continue
            return f", column {place + 1}: {cell!r} is missing; separate by commas"
        if says := _wrong_kind(cell, kind, layout.decimal):
            return f", column {place + 1}: {cell[:SHOWN]!r} {says}"
    return ""


def _wrong_kind(cell: str, kind: str, decimal: str) -> str:
    """Return why a cell is not of its kind, or an empty text."""
    if kind in ("stamp", "zoned"):
        if parse_stamp(cell) is None:
            return "is not a time stamp"
        found = STAMP.fullmatch(cell)
        if (found is not None and found[1] is not None) != (kind == "zoned"):
            with_zone = "no time zone" if kind == "zoned" else "a time zone"
            return f"has {with_zone}, unlike the time stamps above"
        return ""
    if kind == "clock":
        return "" if parse_clock(cell) is not None else "is not a time as hh:mm:ss"
    if is_number(cell, decimal):
        return ""
    if DATE.match(cell):
        return (
            "is a date, but not in ISO form, so that day and month may be swapped; "
            "write 2024-05-01T12:00:00"
        )
    return "is not a number"


FORMAT = SeriesFormat(
    "text",
    (".csv", ".tsv", ".txt"),
    _read,
    "table of text: any common separator, header or not, time column or not",
)
