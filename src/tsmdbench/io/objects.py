"""Recordings from objects in memory: arrays, pandas and polars frames, Arrow tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.assemble import assemble, table_of_array
from tsmdbench.io.options import SeriesOptions, series_options
from tsmdbench.io.recording import Recording
from tsmdbench.io.table import IN_UTC, Table


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
    checked = series_options(options)
    return assemble(_table(data, source, checked), checked)


def _table(data: Any, source: str, options: SeriesOptions) -> Table:
    if isinstance(data, Recording):
        return Table(
            list(data.channels),
            list(data.values.T),
            data.source,
            named=False,
            rate=data.rate,
            start=data.start,
            notes=list(data.notes),
        )
    if hasattr(data, "to_frame") and not hasattr(data, "columns"):
        data = data.to_frame()  # a pandas or polars Series
    if hasattr(data, "columns") and not isinstance(data, np.ndarray):
        return _from_frame(data, source)
    return table_of_array(data, source, options)


def _from_frame(frame: Any, source: str) -> Table:
    names = getattr(frame, "column_names", None) or list(frame.columns)
    columns = [plain_column(frame[name], str(name), source) for name in names]
    table = Table([str(name) for name in names], columns, source)
    if any(_zone(frame[name]) for name in names):
        table.notes.append(IN_UTC)
    index = getattr(frame, "index", None)
    if index is not None and getattr(index, "dtype", np.dtype("i8")).kind in "mM":
        table.names.insert(0, str(index.name or "index"))
        table.columns.insert(0, _stamps(index))
        if getattr(index, "tz", None) is not None:
            table.notes.append(IN_UTC)
    return table


def _zone(column: Any) -> Any:
    """Return the time zone of a column of pandas, polars or Arrow, or None."""
    kind = getattr(column, "dtype", None) or getattr(column, "type", None)
    return getattr(kind, "tz", None) or getattr(kind, "time_zone", None)


def _stamps(index: Any) -> NDArray[Any]:
    """Return time stamps in UTC; a time zone is converted, not dropped."""
    zoned = getattr(index, "tz", None) is not None
    return np.asarray(index.tz_convert(None) if zoned else index)


def plain_column(column: Any, name: str, source: str) -> NDArray[Any]:
    """Return one column of a frame or an Arrow table as numbers or time."""
    zoned = getattr(column, "dt", None) is not None and getattr(
        column.dtype, "tz", None
    )
    if zoned and hasattr(column.dt, "tz_convert"):
        column = column.dt.tz_convert(None)
    array: NDArray[Any] = np.asarray(column.to_numpy())
    if array.dtype.kind == "O":
        try:
            if hasattr(column, "isna"):  # pandas has several kinds of nothing
                return np.asarray(column.to_numpy(dtype=float, na_value=np.nan))
            array = np.array([np.nan if v is None else v for v in array], dtype=float)
        except (TypeError, ValueError):
            return array  # an error only if it is chosen as a channel
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        raise InputError(f"{source}: column {name!r} is {array.dtype}; use float64")
    return array
