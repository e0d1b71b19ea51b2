"""Read a series from a file of any known format, or from an object in memory.

A format returns a `Table` of columns; here the time column is found, channels are
chosen, and missing values are treated.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.files import PathLike, regular_file
from tsmdbench.io.formats import checked_options, choose_format, series_formats
from tsmdbench.io.recording import Recording, interpolate
from tsmdbench.io.table import IN_UTC, SeriesOptions, Table, table_of_array
from tsmdbench.io.time_column import (
    find_time_column,
    read_time,
    rises_evenly,
    show_gaps,
)
from tsmdbench.io.timebase import plain_number

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
            found by its values or its name (`tsmdbench.io.time_column`).
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
    elif hasattr(data, "columns") and not isinstance(data, np.ndarray):
        table = _table_of_frame(data, source)
    elif hasattr(data, "to_frame"):  # a pandas or polars Series
        table = _table_of_frame(data.to_frame(), source)
    else:
        table = table_of_array(data, source, checked)
    return _recording(table, checked)


def _table_of_frame(frame: Any, source: str) -> Table:
    """Return the columns of a frame as numbers or time; zones are converted to UTC."""
    names = list(getattr(frame, "column_names", None) or frame.columns)
    given = [(str(name), frame[name]) for name in names]
    index = getattr(frame, "index", None)
    if index is not None and getattr(index, "dtype", np.dtype("i8")).kind in "mM":
        given.insert(0, (str(index.name or "index"), index.to_series()))
    table = Table([], [], source)
    for name, column in given:
        kind = getattr(column, "dtype", None) or getattr(column, "type", None)
        if getattr(kind, "tz", None) or getattr(kind, "time_zone", None):
            table.notes[:] = [IN_UTC]
            if hasattr(getattr(column, "dt", None), "tz_convert"):
                column = column.dt.tz_convert(None)
        array: NDArray[Any] = np.asarray(column.to_numpy())
        if array.dtype.kind == "O":
            try:
                if hasattr(column, "isna"):  # pandas has several kinds of nothing
                    array = np.asarray(column.to_numpy(dtype=float, na_value=np.nan))
                else:
                    array = np.array([np.nan if v is None else v for v in array], float)
            except (TypeError, ValueError):
                pass  # an error only if it is chosen as a channel
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
