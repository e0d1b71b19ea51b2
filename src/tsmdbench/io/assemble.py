"""From columns to a recording: time, channels, missing values, orientation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.missing import (
    WAYS_OUT,
    count_missing,
    first_missing,
    interpolate,
    say_missing,
)
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.recording import Recording
from tsmdbench.io.table import Table
from tsmdbench.io.time_column import (
    TimeAxis,
    find_time_column,
    is_counter,
    read_time_axis,
    rises_evenly,
    show_gaps,
)
from tsmdbench.io.timebase import plain_number

FEW = 10  # rows in which a ramp may be chance
SAME_RATE = 1e-3  # two rates that differ by less are the same


def assemble(table: Table, options: SeriesOptions) -> Recording:
    """Make a recording out of columns; the columns are used up."""
    if not table.columns or not len(table.columns[0]):
        raise InputError(f"{table.source} holds no samples")
    place = find_time_column(table, options)
    axis = None if place is None else read_time_axis(table, place, options)
    chosen = _channels(table, options, place)
    if axis is not None:
        table.notes += axis.notes
        if axis.gaps and options.missing == "error":
            raise InputError(f"{table.source}: {show_gaps(table, axis)}; {WAYS_OUT}")
        if axis.gaps:
            table.notes.append(show_gaps(table, axis))
    names = tuple(table.names[column] for column in chosen)
    recording = Recording(
        _values(table, chosen),
        names,
        rate=_rate(table, axis, options),
        start=table.start if axis is None else axis.start,
        source=table.source,
        notes=tuple(table.notes),
        gaps=() if axis is None else axis.gaps,
        units=tuple(table.units[column] for column in chosen if table.units),
    )
    return _settle_missing(recording, table, options.missing)


def _channels(table: Table, options: SeriesOptions, time: int | None) -> list[int]:
    """Return the positions of the channels, in the order asked for."""
    if len(set(table.names)) < len(table.names):
        twice = next(name for name in table.names if table.names.count(name) > 1)
        raise InputError(
            f"{table.source}: two columns are called {twice!r}; rename one"
        )
    if options.columns is not None:
        unknown = [name for name in options.columns if name not in table.names]
        if unknown:
            known = ", ".join(table.names)
            raise InputError(
                f"{table.source} has no column {unknown[0]!r}; known: {known}"
            )
        return [table.names.index(name) for name in options.columns]
    chosen = [place for place in range(len(table.names)) if place != time]
    if len(chosen) > 1:
        counters = [
            place
            for place in chosen
            if table.named and is_counter(table.names[place], table.columns[place])
        ]
        for place in counters:
            table.notes.append(
                f"column {table.names[place]!r} numbers the rows and was left out"
            )
        chosen = [place for place in chosen if place not in counters]
        chosen = _without_ramps(table, chosen)
    if not chosen:
        raise InputError(f"{table.source} has no column beside the time")
    return chosen


def _without_ramps(table: Table, chosen: list[int]) -> list[int]:
    """Leave out columns that rise by one step in every row, unless all do.

    Such a column is the time under a name that is not known, or a counter; a search
    would find motifs in it. Channels of an array, which has no names, are kept.
    """
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


def _rate(table: Table, axis: TimeAxis | None, options: SeriesOptions) -> float | None:
    """Return the sampling rate; two that contradict each other are an error."""
    known = table.rate if axis is None or axis.rate is None else axis.rate
    if options.rate is None or known is None:
        return known if options.rate is None else float(options.rate)
    if abs(options.rate - known) > SAME_RATE * known:
        raise InputError(
            f"{table.source} has a sampling rate of {known:.6g} Hz, but "
            f"rate is {options.rate:g} Hz; leave out rate (--rate), or the time column "
            f"by time_column='none' (--time-column none)"
        )
    return known


def _values(table: Table, chosen: list[int]) -> NDArray[np.float64]:
    """Put the channels beside each other, letting go of each column once copied."""
    columns: list[Any] = list(table.columns)
    table.columns = []
    values = np.empty((len(columns[0]), len(chosen)))
    for place, column in enumerate(chosen):
        given = columns[column]
        if given.dtype.kind not in "biuf":
            raise InputError(
                f"{table.source}: column {table.names[column]!r} holds {given.dtype}, "
                f"not numbers; choose others with columns (--columns a,b)"
            )
        values[:, place] = given
        columns[column] = None
    return values


def _settle_missing(recording: Recording, table: Table, missing: str) -> Recording:
    if missing == "interpolate":
        return interpolate(recording)
    if missing == "error" and count_missing(recording.values):
        place = table.place(first_missing(recording.values))
        said = say_missing(recording, place)
        raise InputError(f"{recording.source}: {said}; {WAYS_OUT}")
    return recording


def table_of_array(array: Any, source: str, options: SeriesOptions) -> Table:
    """Return an array as columns; time is axis 0 unless `time_axis` is 1.

    An array with more channels than samples is refused: it is nearly always the wrong
    way round, and a reader must not guess.
    """
    values = np.asarray(array)
    if values.dtype.kind not in "biuf":
        raise InputError(f"{source}: a series holds numbers, not {values.dtype}")
    if values.ndim not in (1, 2):
        raise InputError(
            f"{source}: a series has shape (n,) or (n, d), got {values.shape}"
        )
    if values.ndim == 2 and options.time_axis == 1:
        values = values.T
    columns = values[:, None] if values.ndim == 1 else values
    n, d = columns.shape
    if not columns.size:
        raise InputError(f"{source} holds no samples")
    if n < d:
        raise InputError(
            f"{source} has shape {values.shape}: {n} samples of {d} channels; time is "
            f"axis 0, so give time_axis=1 (--time-axis 1) if {d} is the number of "
            f"samples"
        )
    return Table(array_names(d), list(columns.T), source, named=False)


def array_names(channels: int) -> list[str]:
    """Return names for channels that have none: their places.

    >>> array_names(1), array_names(2)
    (['value'], ['0', '1'])
    """
    return ["value"] if channels == 1 else [str(place) for place in range(channels)]
