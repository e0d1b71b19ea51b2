"""Series as Feather or Arrow IPC files: one column per channel."""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.arrow import pyarrow
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import brief, check_size
from tsmdbench.io.recordings.parquet import table_of_arrow
from tsmdbench.io.table import Table


def _read(file: Path, options: SeriesOptions) -> Table:
    check_size(file, options.limit, "a series")
    arrow = pyarrow("Feather")
    from pyarrow import feather

    try:
        table = feather.read_table(file, memory_map=False)
    except (arrow.ArrowException, OSError, ValueError) as cause:
        raise InputError(
            f"{file}: not a readable Feather file ({brief(cause)})"
        ) from None
    return table_of_arrow(table, file)


FORMAT = SeriesFormat(
    "feather",
    (".feather", ".arrow"),
    _read,
    "Feather and Arrow, one column per channel",
)
