"""Missing values and missing rows: filled, cut out, or refused.

Nothing is filled unless it is requested. Interpolation is linear in each channel; a
channel that starts or ends with missing values is not extended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.recording import Gap, Recording
from tsmdbench.plural import counted

MAX_GROWTH = 2  # filled gaps may at most double the number of samples
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
    """Fill missing rows and missing values on straight lines."""
    values = _with_rows(recording.values, recording.gaps, recording.source)
    filled = values.copy() if values is recording.values else values
    places = np.arange(len(filled))
    for name, column in zip(recording.channels, filled.T, strict=True):
        lacking = np.isnan(column)
        if not lacking.any():
            continue
        if lacking[0] or lacking[-1]:
            end = "starts" if lacking[0] else "ends"
            raise InputError(
                f"{recording.source}: channel {name!r} {end} with missing values, "
                f"which cannot be interpolated; cut them off, or use --missing split"
            )
        column[lacking] = np.interp(places[lacking], places[~lacking], column[~lacking])
    added = len(filled) - len(recording.values)
    count = count_missing(recording.values)
    notes = [f"{counted(count, 'missing value')} interpolated"] if count else []
    if added:
        notes.append(f"{counted(added, 'missing row')} interpolated")
    return replace(recording, values=filled, gaps=(), notes=(*recording.notes, *notes))


def _with_rows(
    values: NDArray[np.float64], gaps: Sequence[Gap], source: str
) -> NDArray[np.float64]:
    """Return the values with empty rows where the time column has gaps."""
    if not gaps:
        return values
    n = len(values)
    skipped = np.zeros(n, dtype=np.int64)
    for gap in gaps:
        skipped[gap.row + 1] += gap.missing
    total = n + int(skipped.sum())
    if total > MAX_GROWTH * n:
        raise InputError(
            f"{source}: the gaps are longer than the recording ({total - n} samples "
            f"beside {n}), too long to interpolate; use --missing split"
        )
    filled = np.full((total, values.shape[1]), np.nan)
    filled[np.arange(n) + np.cumsum(skipped)] = values
    return filled


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
    skipped = np.zeros(len(whole), dtype=np.int64)
    for gap in recording.gaps:
        new[gap.row + 1] = True
        skipped[gap.row + 1] += gap.missing
    skipped = np.cumsum(skipped)
    starts = np.flatnonzero(whole & (new | ~np.concatenate([[False], whole[:-1]])))
    ends = np.flatnonzero(whole & np.concatenate([new[1:] | ~whole[1:], [True]])) + 1
    if not len(starts):
        raise InputError(f"{recording.source} has no row without a missing value")
    return [
        replace(
            recording,
            values=recording.values[first:end],
            first=recording.first + first,
            start=_time_of(recording, first + int(skipped[first])),
            gaps=(),
        )
        for first, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _time_of(recording: Recording, sample: int) -> np.datetime64 | float | None:
    """Return the time of a sample, where gaps have been counted in."""
    if recording.rate is None:
        return None
    seconds = sample / recording.rate
    if isinstance(recording.start, np.datetime64):
        return recording.start + np.timedelta64(round(seconds * 1e9), "ns")
    return (recording.start or 0.0) + seconds
