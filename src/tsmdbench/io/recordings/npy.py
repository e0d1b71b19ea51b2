"""Series as ``.npy``: an array of shape (n,) or (n, d), time along axis 0."""

from __future__ import annotations

from pathlib import Path

from tsmdbench.io.assemble import table_of_array
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.npy_arrays import read_npy
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.table import Table


def _read(file: Path, options: SeriesOptions) -> Table:
    return table_of_array(read_npy(file, options.limit), str(file), options)


FORMAT = SeriesFormat("npy", (".npy",), _read, "NumPy array of shape (n,) or (n, d)")
