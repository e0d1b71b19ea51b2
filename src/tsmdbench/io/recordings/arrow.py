"""Series as Parquet, Feather or Arrow IPC: one column per channel.

Time stamps may have any unit and zone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.files import (
    check_size,
    import_optional,
    pyarrow,
    read_parquet,
    readable,
)
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.series import IN_UTC, SeriesOptions, Table


def _read_parquet(file: Path, options: SeriesOptions) -> Table:
    check_size(file, options.limit, "a series")
    return _table(read_parquet(file), file)


def _read_feather(file: Path, options: SeriesOptions) -> Table:
    check_size(file, options.limit, "a series")
    arrow = pyarrow("Feather")
    feather = import_optional("pyarrow.feather", "Feather needs pyarrow", "parquet")
    with readable(file, "readable Feather file", arrow.ArrowException):
        table = feather.read_table(file, memory_map=False)
    return _table(table, file)


def _table(table: Any, file: Path) -> Table:
    if not table.num_columns:
        raise InputError(f"{file} has no column; a series has one per channel")
    zoned = any(getattr(kind, "tz", None) for kind in table.schema.types)
    names = [str(name) for name in table.column_names]
    columns = [_column(column) for column in table.columns]
    return Table(names, columns, str(file), notes=[IN_UTC] if zoned else [])


def _column(column: Any) -> NDArray[Any]:
    """Return a column as numbers (missing ones are NaN), time stamps, or objects."""
    arrow = pyarrow()
    if arrow.types.is_decimal(column.type) or arrow.types.is_boolean(column.type):
        column = column.cast(arrow.float64())
    elif arrow.types.is_time(column.type):
        nanos = column.cast(arrow.time64("ns")).cast(arrow.int64())
        return np.asarray(nanos.to_numpy()).astype("timedelta64[ns]")
    return np.asarray(column.to_numpy())


PARQUET = SeriesFormat(
    "parquet",
    (".parquet", ".pq"),
    _read_parquet,
    "Parquet, one column per channel",
)
FEATHER = SeriesFormat(
    "feather",
    (".feather", ".arrow"),
    _read_feather,
    "Feather and Arrow, one column per channel",
)
