"""Missing values and missing rows: kept, filled, cut out, or refused.

Nothing is filled unless it is requested. Interpolation is linear in each channel; a
channel that starts or ends with missing values is not extended. Rows that are missing
are never added: a sample is a row of the file, whatever is done about missing values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.recording import Recording
from tsmdbench.plural import counted

MAX_GROWTH = 2  # gaps that are counted in may at most double the number of samples
WAYS_OUT = (
    "fill by missing='interpolate' (--missing interpolate), or cut there by "
    "split_at_missing (--missing split)"
)


def count_missing(values: NDArray[np.float64]) -> int:
    """Return the number of missing values."""
    return sum(int(np.isnan(column).sum()) for column in values.T)


def say_missing(recording: Recording, place: str) -> str:
    """Return how many values are missing, where, and in which channels."""
    lacking = [
        name
        for name, column in zip(recording.channels, recording.values.T, strict=True)
        if np.isnan(column).any()
    ]
    count = count_missing(recording.values)
    shown = ", ".join(lacking[:5]) + (", ..." if len(lacking) > 5 else "")
    plural = "value is" if count == 1 else "values are"
    return f"{count} {plural} missing in {shown}, the first at {place}"


def first_missing(values: NDArray[np.float64]) -> int:
    """Return the first row with a missing value."""
    rows = [
        int(np.argmax(mask)) for column in values.T if (mask := np.isnan(column)).any()
    ]
    return min(rows)


def interpolate(recording: Recording) -> Recording:
    """Fill missing values on straight lines; rows that are missing stay gaps."""
    values = recording.values
    count = count_missing(values)
    if not count:
        return recording
    filled = fill_lines(values, recording.timebase.place(np.arange(len(values))))
    for name, column in zip(recording.channels, filled.T, strict=True):
        if np.isnan(column).any():
            end = "starts" if np.isnan(column[0]) else "ends"
            raise InputError(
                f"{recording.source}: channel {name!r} {end} with missing values, "
                f"which cannot be interpolated; cut them off, or use --missing split"
            )
    note = f"{counted(count, 'missing value')} interpolated"
    return replace(recording, values=filled, notes=(*recording.notes, note))


def fill_lines(
    values: NDArray[np.float64], places: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return values with what is missing between two others on a straight line.

    What is missing at the beginning or at the end of a channel stays missing.
    """
    filled = values.copy()
    at = np.arange(len(values)) if places is None else places
    for column in filled.T:
        there = np.flatnonzero(~np.isnan(column))
        if len(there):
            inner = slice(there[0], there[-1] + 1)
            lacking = np.isnan(column[inner])
            column[inner][lacking] = np.interp(
                at[inner][lacking], at[there], column[there]
            )
    return filled


def even_values(recording: Recording) -> NDArray[np.float64]:
    """Return the values with rows of NaN in the gaps, so that steps are constant.

    The row `r` of the recording is the row ``recording.timebase.place(r)``.
    """
    if not recording.gaps:
        return recording.values
    n = len(recording)
    places = recording.timebase.place(np.arange(n))
    total = int(places[-1]) + 1
    if total > MAX_GROWTH * n:
        raise InputError(
            f"{recording.source}: the gaps are longer than the recording ({total - n} "
            f"samples beside {n}), too long to be counted in; use --missing split"
        )
    even = np.full((total, recording.values.shape[1]), np.nan)
    even[places] = recording.values
    return even


def split_at_missing(recording: Recording) -> list[Recording]:
    """Cut a recording at missing values and missing rows.

    Parameters
    ----------
    recording : Recording
        Read with ``missing="keep"``.

    Returns
    -------
    list of Recording
        The pieces without missing values, in order. `first` is the row of the first
        sample of a piece, `start` its time.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [np.nan], [4.0]])
    >>> pieces = split_at_missing(Recording(values, ("x",), rate=2.0))
    >>> [(piece.first, len(piece), piece.start) for piece in pieces]
    [(0, 2, 0.0), (3, 1, 1.5)]
    """
    whole: NDArray[np.bool_] = np.logical_not(np.isnan(recording.values).any(axis=1))
    new = np.zeros(len(whole), dtype=np.bool_)
    for gap in recording.gaps:
        new[gap.row + 1] = True
    starts = np.flatnonzero(whole & (new | ~np.concatenate([[False], whole[:-1]])))
    ends = np.flatnonzero(whole & np.concatenate([new[1:] | ~whole[1:], [True]])) + 1
    if not len(starts):
        raise InputError(f"{recording.source} has no row without a missing value")
    return [
        recording.rows(first, end)
        for first, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
