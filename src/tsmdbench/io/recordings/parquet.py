"""Series as Parquet: one column per channel, time stamps of any unit and zone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.arrow import pyarrow, read_parquet
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import check_size
from tsmdbench.io.table import IN_UTC, Table


def _read(file: Path, options: SeriesOptions) -> Table:
    check_size(file, options.limit, "a series")
    return table_of_arrow(read_parquet(file), file)


def table_of_arrow(table: Any, file: Path) -> Table:
    """Return the columns of an Arrow table that are numbers or time."""
    if not table.num_columns:
        raise InputError(f"{file} has no column; a series has one per channel")
    arrays = [arrow_column(column) for column in table.columns]
    notes = (
        [IN_UTC]
        if any(getattr(kind, "tz", None) for kind in table.schema.types)
        else []
    )
    names = [str(name) for name in table.column_names]
    return Table(names, arrays, str(file), notes=notes)


def arrow_column(column: Any) -> NDArray[Any]:
    """Return a column as numbers (missing ones are NaN), time stamps, or objects."""
    arrow = pyarrow("this file")
    kind = column.type
    if arrow.types.is_decimal(kind) or arrow.types.is_boolean(kind):
        column = column.cast(arrow.float64())
    elif arrow.types.is_time(kind):
        nanos = column.cast(arrow.time64("ns")).cast(arrow.int64())
        return np.asarray(nanos.to_numpy()).astype("timedelta64[ns]")
    return np.asarray(column.to_numpy())


FORMAT = SeriesFormat(
    "parquet", (".parquet", ".pq"), _read, "Parquet, one column per channel"
)
