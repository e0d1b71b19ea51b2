"""Series as ``.npz``: one array (n,) or (n, d), or one 1-D array per channel.

An array called ``rate``, ``fs`` or ``sampling_rate`` with one number is the sampling
rate. Several arrays are channels if all have one dimension and one length.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.assemble import table_of_array
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.npy_arrays import read_npz
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.table import Table

RATE_NAMES = ("rate", "fs", "sampling_rate")


def _read(file: Path, options: SeriesOptions) -> Table:
    arrays = read_npz(file, options.limit)
    rates = [name for name in arrays if name in RATE_NAMES and arrays[name].size == 1]
    rate = _rate(arrays.pop(rates[0]), file) if rates else None
    if len(arrays) == 1:
        table = table_of_array(next(iter(arrays.values())), str(file), options)
    elif len({array.shape for array in arrays.values()}) == 1 and all(
        array.ndim == 1 for array in arrays.values()
    ):
        table = Table(list(arrays), list(arrays.values()), str(file))
    else:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(
            f"{file} must hold one array, or one array of shape (n,) per channel, got "
            f"{shapes or 'none'}"
        )
    table.rate = rate
    return table


def _rate(array: NDArray[Any], file: Path) -> float:
    value = array.reshape(-1)[0]
    if array.dtype.kind not in "iuf" or not np.isfinite(value) or value <= 0:
        raise InputError(f"{file}: the sampling rate must be positive, got {value!r}")
    return float(value)


FORMAT = SeriesFormat(
    "npz", (".npz",), _read, "NumPy arrays: one of shape (n, d), or one per channel"
)
