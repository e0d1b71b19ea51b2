"""Read a series from a file of any known format, or from an object in memory.

A format returns a `Table` of columns; here the time column is found, channels are
chosen, and missing values are treated.

The column that holds the time
------------------------------
A column is the time if its values are time stamps, or by its name: ``time``,
``timestamp``, ``seconds``, ``time_ms``, ``t (s)`` and the like. Numbers are read in the
unit that the name states. Without one, numbers of the size of an epoch (from 1e8 on)
are seconds, milliseconds, microseconds or nanoseconds since 1970, by their size, and
smaller ones are seconds. A column that is called ``t`` is the time only if it rises by
constant steps, since that may be a temperature.

Steps are constant if each differs from their median by less than half of it. Steps that
are longer are gaps. Time that stands still or goes back is an error.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.files import (
    MAX_SERIES_BYTES,
    PathLike,
    is_frame,
    named_columns,
    pyarrow,
    regular_file,
)
from tsmdbench.io.formats import checked_options, choose_format, series_formats
from tsmdbench.io.recording import Recording, interpolate
from tsmdbench.io.timebase import (
    DURATIONS,
    SCALES,
    TICKS,
    Gap,
    TimeBase,
    plain_number,
    short_stamp,
)
from tsmdbench.plural import counted

# Noted where time stamps have a zone, since they are then printed with other hours.
IN_UTC = "time stamps converted to UTC"
CHOICES = {
    "missing": ("error", "interpolate", "keep"),
    "time_unit": tuple(SCALES),
    "decimal": (".", ","),
    "thousands": (",", ".", "'", " ", "_", "\u00a0", "\u202f"),
    "time_axis": ("first", "last"),
}


@dataclass(frozen=True)
class SeriesOptions:
    """How a series is read; see `tsmdbench.io.read_recording` for their meaning."""

    columns: Any = None
    time_column: str | None = None
    time_unit: str | None = None
    rate: float | None = None
    missing: str = "error"
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool | None = None
    skip_rows: int = 0
    day_first: bool | None = None
    encoding: str | None = None
    case: int | None = None
    time_axis: str = "first"
    max_bytes: int = MAX_SERIES_BYTES

    def __post_init__(self) -> None:
        if self.columns is not None:
            split = self.columns.split(",") if isinstance(self.columns, str) else None
            given = self.columns if split is None else [name.strip() for name in split]
            columns = tuple(map(str, given))
            if not columns or len(set(columns)) < len(columns):
                raise InputError(f"columns must name different columns, got {columns}")
            object.__setattr__(self, "columns", columns)
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                known = ", ".join(map(repr, choices))
                raise InputError(f"{name} must be one of {known}, got {value!r}")
        if self.rate is not None and not 0 < self.rate < float("inf"):
            raise InputError(f"rate must be a positive number of Hz, got {self.rate}")
        if self.separator is not None and len(self.separator) != 1:
            raise InputError(
                f"separator must be one character, got {self.separator!r}; a tab is "
                f"the character, not the two characters \\t"
            )
        if self.thousands is not None and self.thousands == self.decimal:
            raise InputError(f"thousands and decimal are both {self.decimal!r}")
        if not isinstance(self.skip_rows, int) or self.skip_rows < 0:
            raise InputError(f"skip_rows must be at least 0, got {self.skip_rows!r}")


@dataclass
class Table:
    """Columns of numbers or of time, in the order of the file.

    Columns are numbers, ``datetime64`` or ``timedelta64``, all of one length. Rate,
    start and gaps are known as far as the format, or the time column, determines them.
    """

    names: list[str]  # a column without a name is called by its position
    columns: list[NDArray[Any]]
    source: str  # name in errors
    named: bool = True  # by the file, so that a column may be the time by its name
    first_line: int | None = None  # of the samples in a text file
    rate: float | None = None
    start: np.datetime64 | float | None = None
    notes: list[str] = field(default_factory=list)  # what was left out, and the like
    units: list[str] = field(default_factory=list)  # one per column, or none
    gaps: tuple[Gap, ...] = ()

    def place(self, row: int) -> str:
        """Return the name of a row in errors: its line in a text file."""
        if self.first_line is None:
            return f"row {row}"
        return f"line {self.first_line + row}"

    def position(self, name: str) -> int:
        """Return the position of a column."""
        if name not in self.names:
            known = ", ".join(self.names)
            raise InputError(f"{self.source} has no column {name!r}; known: {known}")
        return self.names.index(name)


def table_of_array(array: Any, source: str, options: SeriesOptions) -> Table:
    """Return an array of shape (n,) or (n, d) as columns.

    An array with more channels than samples is refused: it is nearly always the wrong
    way round, and a reader must not guess.
    """
    values = np.asarray(array)
    if values.dtype.kind not in "biuf":
        raise InputError(f"{source}: a series holds numbers, not {values.dtype}")
    if values.ndim not in (1, 2):
        raise InputError(
            f"{source}: a series has shape (n,) or (n, d), got {values.shape}"
        )
    if values.ndim == 2 and options.time_axis == "last":
        values = values.T
    columns = values[:, None] if values.ndim == 1 else values
    n, d = columns.shape
    if not columns.size:
        raise InputError(f"{source} holds no samples")
    if n < d:
        raise InputError(
            f"{source} has shape {values.shape}: {n} samples of {d} channels; time is "
            f"the first axis, so give time_axis='last' (--time-axis last) if {d} is "
            f"the number of samples"
        )
    return Table(array_names(d), list(columns.T), source, named=False)


def array_names(channels: int) -> list[str]:
    """Return names for channels that have none: their places.

    >>> array_names(1), array_names(2)
    (['value'], ['0', '1'])
    """
    return ["value"] if channels == 1 else [str(place) for place in range(channels)]


WORDS = r"time|t|timestamp|time_?stamp|epoch|unix|unix_?time|elapsed|elapsed_?time"
UNIT_WORDS = {
    "s": r"s|secs?|seconds?",
    "ms": r"ms|msecs?|millis|milliseconds?",
    "us": r"us|µs|usecs?|micros|microseconds?",
    "ns": r"ns|nsecs?|nanos|nanoseconds?",
}
BARE = re.compile(rf"(?:{WORDS}|datetime|date|date_?time)", re.IGNORECASE)
WITH_UNIT = {
    unit: re.compile(
        rf"(?:(?:{WORDS})[\s_.-]*[(\[]?(?:{words})[)\]]?|(?:{words.partition('|')[2]}))",
        re.IGNORECASE,
    )
    for unit, words in UNIT_WORDS.items()
}
# The time in other languages; a column of that name must also rise.
TRANSLATED = re.compile(
    r"(?:zeit|uhrzeit|zeitstempel|datum|temps|heure|horodatage|tiempo|fecha|hora|tempo"
    r"|data|ora|tijd|tid|czas|aika|cas|čas|idő|время|时间|時間|시간)"
    r"[\s_.-]*[(\[]?(?P<unit>s|ms|us|µs|ns|sek|sec|seg|min|h)?[)\]]?",
    re.IGNORECASE,
)
EPOCH_FROM = 1e8  # seconds: March 1973; no recording lasts that long
EPOCH_UNITS = (("s", 1e11), ("ms", 1e14), ("us", 1e17), ("ns", np.inf))
NEAR_WHOLE = 1e-6  # a rate that is so near to a whole number is that number
MAX_GAPS = 0.1  # with more gaps than this share of steps, steps are not constant
SHOWN_GAPS = 3


def unit_of(name: str) -> str | None:
    """Return the unit that a name states, "" for a time without unit, None for none.

    >>> [unit_of(name) for name in ("seconds", "time (ms)", "Timestamp", "acc_x")]
    ['s', 'ms', '', None]
    """
    for unit, pattern in WITH_UNIT.items():
        if pattern.fullmatch(name.strip()):
            return unit
    translated = TRANSLATED.fullmatch(name.strip())
    if translated:
        stated = (translated["unit"] or "").lower()
        return {"sek": "s", "seg": "s"}.get(stated, stated)
    return "" if BARE.fullmatch(name.strip()) else None


def rises_evenly(column: NDArray[Any]) -> bool:
    """Return True if a column rises by one constant step, up to rounding."""
    if column.dtype.kind not in "iuf" or len(column) < 3:
        return False
    steps = np.diff(column.astype(np.float64))
    middle = float(np.median(steps))
    return bool(middle > 0 and (np.abs(steps - middle) < 1e-3 * middle).all())


def find_time_column(table: Table, options: SeriesOptions) -> int | None:
    """Return the position of the time column, or None."""
    if options.time_column is not None:
        named = options.time_column
        return None if named == "none" else table.position(named)
    found = []
    for place, (name, column) in enumerate(
        zip(table.names, table.columns, strict=True)
    ):
        if name in (options.columns or ()):
            continue
        time = column.dtype.kind in "mM"
        if not time and table.named and unit_of(name) is not None:
            time = True
            if name.strip().lower() == "t":
                time = rises_evenly(column)
            elif TRANSLATED.fullmatch(name.strip()):
                numeric = column.dtype.kind in "iuf" and len(column) > 1
                time = numeric and bool((np.diff(column) > 0).all())
        if time:
            found.append(place)
    if len(found) > 1:
        names = ", ".join(repr(table.names[place]) for place in found)
        raise InputError(
            f"{table.source}: several columns may be the time ({names}); choose one "
            f"with time_column (--time-column NAME), and channels with columns"
        )
    return found[0] if found else None


def read_time(table: Table, place: int, options: SeriesOptions) -> None:
    """Check a time column, and set rate, start and gaps of the table."""
    name, column = table.names[place], table.columns[place]
    missing = ~np.isfinite(column)
    if missing.any():
        count = counted(int(missing.sum()), "value")
        raise InputError(
            f"{table.source}: the time column {name!r} lacks {count}, the first at "
            f"{table.place(int(np.argmax(missing)))}; fill them, or give "
            f"time_column='none' (--time-column none)"
        )
    stated = table.units[place] if table.units else ""
    known = options.time_unit or unit_of(name) or stated
    what = f"{table.source}: the time column {name!r}"
    seconds, table.start, unit = _seconds(what, column, known)
    table.notes.append(f"time from {name!r} ({unit})")
    steps = np.diff(seconds)
    for wrong, happens in ((steps < 0, "goes back"), (steps == 0, "stands still")):
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            before, after = (
                short_stamp(value) if isinstance(value, np.datetime64) else f"{value}"
                for value in column[row - 1 : row + 1]
            )
            raise InputError(
                f"{table.source}: the time column {name!r} {happens} at "
                f"{table.place(row)} ({before} is followed by {after}), "
                f"{counted(int(wrong.sum()), 'such row')} in all; sort the rows and "
                f"remove doubles, or give time_column='none' (--time-column none)"
            )
    if not len(steps):
        return
    middle = float(np.median(steps))
    long, short = steps >= 1.5 * middle, steps <= 0.5 * middle
    if short.any() or long.mean() > MAX_GAPS:
        raise InputError(
            f"{table.source}: the steps of the time column {name!r} are not constant "
            f"(from {steps.min():g} s to {steps.max():g} s, median {middle:g} s); "
            f"resample the recording, or take rows as samples by time_column='none' "
            f"and rate (--time-column none --rate HZ)"
        )
    even = steps[~long]
    rate = float(len(even) / even.sum())
    table.rate = (
        float(round(rate)) if abs(rate - round(rate)) < NEAR_WHOLE * rate else rate
    )
    rows = np.flatnonzero(long)
    lost = np.maximum(np.round(steps[rows] * table.rate).astype(np.int64) - 1, 1)
    table.gaps = tuple(map(Gap, rows.tolist(), lost.tolist()))
    spread = float(np.abs(even * table.rate - 1).max())
    if spread > 0.01:
        table.notes.append(
            f"steps of {name!r} vary by up to {spread:.0%}; rows are samples"
        )


def _seconds(
    what: str, column: NDArray[Any], unit: str
) -> tuple[NDArray[np.float64], np.datetime64 | float, str]:
    """Return seconds since the first row, the start, and how they were read."""
    if column.dtype.kind == "M":
        stamps = column.astype("datetime64[ns]")
        since = (stamps - stamps[0]).astype(np.int64) * 1e-9
        return since, stamps[0], "time stamps"
    if column.dtype.kind == "m":
        nanos = column.astype("timedelta64[ns]").astype(np.int64)
        return (nanos - nanos[0]) / 1e9, float(nanos[0] / 1e9), "time of day"
    largest = float(np.abs(column).max())
    if largest >= 2**63:
        raise InputError(f"{what} holds {largest:g}, which is not a time")
    unit = unit if unit in DURATIONS else ""
    unit = {"µs": "us", "sec": "s"}.get(unit, unit)
    epoch = unit in ("", *SCALES) and largest * SCALES[unit or "s"] >= EPOCH_FROM
    if not unit:
        unit = next(u for u, top in EPOCH_UNITS if largest < top) if epoch else "s"
    since = (column - column[0]).astype(np.float64) * DURATIONS[unit]
    shown = "seconds" if unit == "s" else unit
    if not epoch:
        return since, float(column[0]) * DURATIONS[unit], shown
    ticks = round(column[0].item() * TICKS[f"epoch-{unit}"])
    if abs(ticks) >= 2**63:
        raise InputError(
            f"{what} holds {largest:g}, which is not a time in {shown}; give its unit "
            f"with time_unit (--time-unit ns)"
        )
    return since, np.datetime64(ticks, "ns"), f"{shown} since 1970"


def show_gaps(table: Table) -> str:
    """Return where rows are missing, for a note or an error."""
    base = TimeBase(table.rate, table.start, table.gaps)
    shown = [
        f"{counted(gap.missing, 'sample')} after {table.place(gap.row)} "
        f"({base.show(gap.row)})"
        for gap in table.gaps[:SHOWN_GAPS]
    ]
    rest = len(table.gaps) - SHOWN_GAPS
    lost = counted(sum(gap.missing for gap in table.gaps), "sample")
    return (
        f"{counted(len(table.gaps), 'gap')} in time, {lost} missing: "
        f"{', '.join(shown)}{f' and {rest} more' if rest > 0 else ''}"
    )


COUNTER = re.compile(r"|index|row|samples?|sample_?(number|index|id)|unnamed: 0", re.I)
FEW = 10  # rows in which a ramp may be chance
SAME_RATE = 1e-3  # two rates that differ by less are the same
REMEDIES = (
    "fill by missing='interpolate' (--missing interpolate), or cut there by "
    "split_at_missing (--missing split)"
)


def read_recording(
    path: PathLike, *, file_format: str | None = None, **options: Any
) -> Recording:
    """Read a series with the names of its channels, its rate and its start.

    Parameters
    ----------
    path : path
        A text table (``.csv``, ``.tsv``, ``.txt``), ``.parquet``, ``.feather``,
        ``.npy``, ``.npz``, ``.wav``, a WFDB header (``.hea``) or ``.ts``.
    file_format : str, optional
        Name of the format, if the file extension does not determine it; see
        `series_formats`.
    **options
        ``columns``
            Names of the channels, a list or ``"a,b"``; by default all columns but the
            time.
        ``time_column``
            Name of the column that holds the time, or ``"none"``; by default it is
            found by its values or its name (`tsmdbench.io.series`).
        ``time_unit``
            ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``: what numbers of it count.
        ``rate``
            Samples per second, if the file does not have it.
        ``missing``
            ``"error"`` (default) raises an error for missing values and gaps in time;
            ``"interpolate"`` fills them by linear interpolation; ``"keep"`` keeps NaN
            and gaps for `split_at_missing`.
        ``separator``, ``decimal``, ``header``, ``encoding``
            For text, if they cannot be detected from the first lines.
        ``skip_rows``, ``thousands``, ``day_first``
            For text: lines to skip above the table, the thousands separator, and
            whether the day is first (True) or the month (False) in dates that are not
            in ISO form.
        ``case``
            Which series of a ``.ts`` file.
        ``time_axis``
            Axis of time in arrays: ``"first"`` (default) for shape (n, d), ``"last"``
            for shape (d, n).
        ``max_bytes``
            Largest size of the file.

    Raises
    ------
    InputError
        One sentence that names the file, the place, and how to fix it.
    """
    checked: SeriesOptions = checked_options(SeriesOptions, options)
    file = regular_file(path)
    chosen = choose_format(series_formats(), file, file_format)
    if checked.case is not None and chosen.name != "ts":
        raise InputError(f"--case is for .ts files; {file} holds one series")
    return _recording(chosen.read(file, checked), checked)


def read_series(path: PathLike, **options: Any) -> NDArray[np.float64]:
    """Read a series as ``float64[n]`` or ``float64[n, d]``.

    Takes the options of `read_recording`, which also returns names and rate. Missing
    values are NaN, unless `missing` is given.
    """
    return read_recording(path, **{"missing": "keep", **options}).series


def as_recording(data: Any, *, source: str = "data", **options: Any) -> Recording:
    """Return a recording from an array, a pandas or polars frame, or an Arrow table.

    Parameters
    ----------
    data : array-like, pandas or polars DataFrame or Series, pyarrow Table, Recording
        Rows are samples. A pandas ``DatetimeIndex`` is the time; another index is
        left out. A column is the time as in `read_recording`.
    source : str
        Name of the data in notes and errors.
    **options
        ``columns``, ``time_column``, ``time_unit``, ``rate``, ``missing`` and
        ``time_axis`` of `read_recording`.

    Examples
    --------
    >>> recording = as_recording(np.zeros((300, 2)), rate=100)
    >>> print(recording.summary())
    300 samples, 2 channels (0, 1), 100 Hz, 0 s to 2.99 s
    """
    if isinstance(data, Recording) and not options:
        return data
    checked: SeriesOptions = checked_options(SeriesOptions, options)
    if isinstance(data, Recording):
        table = Table(
            list(data.channels),
            list(data.values.T),
            data.source,
            named=False,
            rate=data.rate,
            start=data.start,
            notes=list(data.notes),
        )
    elif is_frame(data):
        table = table_of_frame(data, source)
    elif hasattr(data, "to_frame"):  # a pandas or polars Series
        table = table_of_frame(data.to_frame(), source)
    else:
        table = table_of_array(data, source, checked)
    return _recording(table, checked)


def table_of_frame(frame: Any, source: str) -> Table:
    """Return the columns of a pandas, polars or Arrow table as numbers or time.

    Zones are converted to UTC, missing numbers are NaN. A column of anything else is an
    error only if it is chosen as a channel.
    """
    given = list(named_columns(frame))
    index = getattr(frame, "index", None)
    if index is not None and getattr(index, "dtype", np.dtype("i8")).kind in "mM":
        given.insert(0, (str(index.name or "index"), index.to_series()))
    if not given:
        raise InputError(f"{source} has no column; a series has one per channel")
    table = Table([], [], source)
    for name, column in given:
        of_arrow = hasattr(column, "num_chunks")
        kind = column.type if of_arrow else column.dtype
        if getattr(kind, "tz", None) or getattr(kind, "time_zone", None):
            table.notes[:] = [IN_UTC]
            if hasattr(getattr(column, "dt", None), "tz_convert"):
                column = column.dt.tz_convert(None)
        if of_arrow:  # of types that NumPy lacks, decimals and flags become floats
            arrow = pyarrow("Arrow")
            if arrow.types.is_decimal(kind) or arrow.types.is_boolean(kind):
                column = column.cast(arrow.float64())
            elif arrow.types.is_time(kind):
                nanos = column.cast(arrow.time64("ns")).cast(arrow.int64())
                column = nanos.cast(arrow.duration("ns"))
        array: NDArray[Any] = np.asarray(column.to_numpy())
        if array.dtype.kind == "O" and not of_arrow:
            import pandas as pd

            with suppress(TypeError, ValueError):  # there are several kinds of nothing
                array = pd.Series(column.to_numpy()).to_numpy(float, na_value=np.nan)
        elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
            raise InputError(f"{source}: column {name!r} is {array.dtype}; use float64")
        table.names.append(name)
        table.columns.append(array)
    return table


def _recording(table: Table, options: SeriesOptions) -> Recording:
    """Make a recording out of columns, which are used up."""
    if not table.columns or not len(table.columns[0]):
        raise InputError(f"{table.source} holds no samples")
    place = find_time_column(table, options)
    if place is not None:
        read_time(table, place, options)
    chosen = _channels(table, options, place)
    if table.gaps and options.missing == "error":
        raise InputError(f"{table.source}: {show_gaps(table)}; {REMEDIES}")
    if table.gaps:
        table.notes.append(show_gaps(table))
    rate = table.rate
    if options.rate is not None and rate is None:
        rate = float(options.rate)
    elif rate is not None and abs((options.rate or rate) - rate) > SAME_RATE * rate:
        raise InputError(
            f"{table.source} has a sampling rate of {rate:.6g} Hz, but "
            f"rate is {options.rate:g} Hz; leave out rate (--rate), or the time column "
            f"by time_column='none' (--time-column none)"
        )
    # Each column is let go once it is copied.
    values = np.empty((len(table.columns[0]), len(chosen)))
    columns: list[Any] = table.columns
    for at, column in enumerate(chosen):
        if columns[column].dtype.kind not in "biuf":
            raise InputError(
                f"{table.source}: column {table.names[column]!r} holds "
                f"{columns[column].dtype}, not numbers; choose others with columns "
                f"(--columns a,b)"
            )
        values[:, at] = columns[column]
        columns[column] = None
    names = tuple(table.names[column] for column in chosen)
    recording = Recording(
        values,
        names,
        rate=rate,
        start=table.start,
        source=table.source,
        notes=tuple(table.notes),
        gaps=table.gaps,
        units=tuple(table.units[column] for column in chosen if table.units),
    )
    if options.missing == "interpolate":
        return interpolate(recording)
    missing = np.isnan(values) if options.missing == "error" else np.zeros(1, bool)
    if missing.any():
        count, row = int(missing.sum()), int(np.argmax(missing.any(axis=1)))
        lacking = [names[at] for at in np.flatnonzero(missing.any(axis=0))]
        shown = ", ".join(lacking[:5]) + (", ..." if len(lacking) > 5 else "")
        raise InputError(
            f"{table.source}: {count} {'value is' if count == 1 else 'values are'} "
            f"missing in {shown}, the first at {table.place(row)}; {REMEDIES}"
        )
    return recording


def _channels(table: Table, options: SeriesOptions, time: int | None) -> list[int]:
    """Return the positions of the channels, in the order of `columns`.

    By default, all columns but the time, a column that numbers the rows, as pandas
    writes its index, and columns that rise by one step in every row: such a column is
    the time under an unknown name, or a counter, and a search would find motifs in it.
    Channels of an array, which has no names, are kept.
    """
    for name in table.names:
        if table.names.count(name) > 1:
            raise InputError(
                f"{table.source}: two columns are called {name!r}; rename one"
            )
    if options.columns is not None:
        return [table.position(name) for name in options.columns]
    chosen = [place for place in range(len(table.names)) if place != time]
    if not chosen:
        raise InputError(f"{table.source} has no column beside the time")
    if len(chosen) == 1:
        return chosen
    for place in [at for at in chosen if table.named]:
        name, column = table.names[place], table.columns[place]
        numbers = column.dtype.kind in "iuf" and len(column) > 1
        counts = numbers and bool((np.diff(column) == 1).all())
        if counts and COUNTER.fullmatch(name.strip()):
            table.notes.append(f"column {name!r} numbers the rows and was left out")
            chosen.remove(place)
    if not chosen:
        raise InputError(f"{table.source} has no column beside the time")
    ramps = [at for at in chosen if rises_evenly(table.columns[at])]
    if len(ramps) == len(chosen) or len(table.columns[0]) < FEW:
        return chosen
    of_array = not table.named and table.first_line is None
    for place in ramps:
        name, column = table.names[place], table.columns[place]
        step = plain_number(float(column[1]) - float(column[0]))
        kept = "is a channel all the same" if of_array else "was left out"
        table.notes.append(
            f"column {name!r} rises by {step} in every row and {kept}; if it is the "
            f"time, give --time-column {name!r}, and to choose channels --columns"
        )
    return chosen if of_array else [at for at in chosen if at not in ramps]
