"""Series as text: CSV, TSV and their relatives, read by pandas.

pandas names neither the line nor the column of a bad cell, and fills short lines up;
where something may be wrong, the file is walked through once more, slowly, to name it.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import brief, check_text, not_decodable
from tsmdbench.io.table import IN_UTC, Table
from tsmdbench.io.text_layout import (
    DATE,
    GROUPED,
    NULLS,
    Layout,
    is_missing,
    is_number,
    sniff,
    unnamed,
)
from tsmdbench.io.time_column import unit_of
from tsmdbench.io.timebase import STAMP, parse_clock, parse_stamp

CHUNK = 2**24  # bytes
SHOWN = 40  # characters of a cell in an error
ZONE = r"(?:Z|[+-]\d\d:?\d\d)\s*$"


def _read(file: Path, options: SeriesOptions) -> Table:
    check_text(file, options.limit, options.encoding)
    layout = sniff(file, options)
    chosen = _wanted(file, layout, options)
    columns = _columns(file, layout, options, chosen)
    notes = ["decimal comma"] if layout.decimal == "," else []
    if layout.units:
        notes.append(f"line {layout.skip} has units")
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
        units=[layout.units[place] for place in chosen] if layout.units else [],
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
    stamps = layout.kinds[place] in ("stamp", "zoned", "date", "clock")
    return stamps or (layout.named and unit_of(layout.names[place]) is not None)


def _columns(
    file: Path, layout: Layout, options: SeriesOptions, chosen: list[int]
) -> list[NDArray[Any]]:
    """Read the chosen columns; numbers are float64, times datetime64 or timedelta64."""
    import pandas as pd

    kinds = {"number": "float64", "integer": "int64"}
    width = len(layout.names)
    # Four times slower, but exact; pandas 3.1 is always exact and warns of the option.
    old = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    exact: dict[str, Any] = {"float_precision": "round_trip"} if old else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                file,
                sep=layout.separator or r"\s+",
                header=None,
                names=list(range(width)),
                usecols=chosen,
                skiprows=layout.skip,
                dtype={place: kinds.get(layout.kinds[place], str) for place in chosen},
                decimal=layout.decimal,
                thousands=layout.thousands,
                na_values=list(NULLS),
                keep_default_na=False,
                skipinitialspace=True,
                encoding=options.encoding or "utf-8-sig",
                on_bad_lines="error",
                **exact,
            )
        columns = []
        for place in chosen:
            columns.append(_times(frame.pop(place), layout.kinds[place], options))
    except (ValueError, OverflowError, UnicodeError, pd.errors.ParserWarning) as cause:
        if "integer" in layout.kinds:  # a fraction or an empty cell further down
            kinds_again = tuple(k.replace("integer", "number") for k in layout.kinds)
            return _columns(file, layout.with_kinds(kinds_again), options, chosen)
        raise InputError(_what_is_wrong(file, layout, options, chosen, cause)) from None
    if width > 1 and not _same_width(file, layout, options):
        wrong = _what_is_wrong(file, layout, options, chosen, None)
        if wrong:
            raise InputError(wrong)
    return columns


def _same_width(file: Path, layout: Layout, options: SeriesOptions) -> bool:
    """Count separators: pandas fills short lines up, and cuts long ones by `usecols`.

    False also where counting is not enough: quotes, white space, other encodings.
    """
    separator = (layout.separator or "").encode()
    plain = (options.encoding or "utf-8").lower().startswith(("utf-8", "utf8", "latin"))
    if len(separator) != 1 or not plain:
        return False
    with file.open("rb") as stream:
        for _ in range(layout.skip):
            stream.readline()
        while chunk := stream.read(CHUNK):
            chunk += stream.readline()
            if b'"' in chunk:
                return False
            letters = np.frombuffer(chunk.rstrip(b"\r\n") + b"\n", np.uint8)
            ends = np.flatnonzero(letters == ord("\n"))
            counts = np.diff(np.cumsum(letters == ord(separator))[ends], prepend=0)
            sizes = np.diff(ends, prepend=-1) - (letters[ends - 1] == ord("\r"))
            blank = sizes <= 1
            if (counts[~blank] != len(layout.names) - 1).any():
                return False
    return True


def _times(column: Any, kind: str, options: SeriesOptions) -> NDArray[Any]:
    """Return a column as numbers, as time stamps in UTC, or as times of day."""
    import pandas as pd

    if kind in ("number", "integer"):
        return np.asarray(column.to_numpy())
    given = column.notna()
    if kind == "clock":
        parsed = pd.to_timedelta(column.str.replace(",", "."), errors="coerce")
    elif kind == "date":
        parsed = pd.to_datetime(
            column,
            dayfirst=bool(options.day_first),
            format=_date_format(column, options),
            errors="coerce",
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


def _date_format(column: Any, options: SeriesOptions) -> str:
    """Return the format of the first date; "mixed" where it cannot be told."""
    from pandas.tseries.api import guess_datetime_format

    first = column.dropna().iloc[0].strip()
    return guess_datetime_format(first, dayfirst=bool(options.day_first)) or "mixed"


def _what_is_wrong(
    file: Path,
    layout: Layout,
    options: SeriesOptions,
    chosen: list[int],
    cause: Exception | None,
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
    return "" if cause is None else f"{file}: not a table of numbers ({brief(cause)})"


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
            continue
        if says := _wrong_kind(cell, kind, layout):
            return f", column {place + 1}: {cell[:SHOWN]!r} {says}"
    return ""


def _wrong_kind(cell: str, kind: str, layout: Layout) -> str:
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
    if kind == "date":
        return "" if DATE.match(cell) else "is not a date"
    if is_number(cell, layout.decimal, layout.thousands):
        return ""
    if DATE.match(cell):
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


FORMAT = SeriesFormat(
    "text",
    (".csv", ".tsv", ".txt"),
    _read,
    "table of text: any common separator, header or not, time column or not",
)
