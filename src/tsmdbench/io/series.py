"""Read a series from a file of any known format."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.assemble import assemble
from tsmdbench.io.formats import choose_format, series_formats
from tsmdbench.io.options import series_options
from tsmdbench.io.paths import PathLike, regular_file
from tsmdbench.io.recording import Recording


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
            1 for arrays of shape (d, n).
        ``max_bytes``
            Largest size of the file.

    Raises
    ------
    InputError
        One sentence that names the file, the place, and how to fix it.
    """
    checked = series_options(options)
    file = regular_file(path)
    chosen = choose_format(series_formats(), file, file_format)
    if checked.case is not None and chosen.name != "ts":
        raise InputError(f"--case is for .ts files; {file} holds one series")
    return assemble(chosen.read(file, checked), checked)


def read_series(path: PathLike, **options: Any) -> NDArray[np.float64]:
    """Read a series as ``float64[n]`` or ``float64[n, d]``.

    Takes the options of `read_recording`, which also returns names and rate. Missing
    values are NaN, unless `missing` is given.
    """
    return read_recording(path, **{"missing": "keep", **options}).series
