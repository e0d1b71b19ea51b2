"""The column that holds the time: which one it is, and whether its steps are constant.

A column is the time if its values are time stamps, or by its name: ``time``,
``timestamp``, ``seconds``, ``time_ms``, ``t (s)`` and the like. Numbers are read in the
unit that the name states. Without one, numbers of the size of an epoch (from 1e8 on)
are seconds, milliseconds, microseconds or nanoseconds since 1970, by their size, and
smaller ones are seconds. A column that is called ``t`` is the time only if it rises by
constant steps, since that may be a temperature.

Steps are constant if each differs from their median by less than half of it. Steps that
are longer are gaps. Time that stands still or goes back is an error.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.table import SeriesOptions, Table
from tsmdbench.io.timebase import (
    DURATIONS,
    SCALES,
    TICKS,
    Gap,
    TimeBase,
    short_stamp,
)
from tsmdbench.plural import counted

WORDS = r"time|t|timestamp|time_?stamp|epoch|unix|unix_?time|elapsed|elapsed_?time"
UNIT_WORDS = {
    "s": r"s|secs?|seconds?",
    "ms": r"ms|msecs?|millis|milliseconds?",
    "us": r"us|µs|usecs?|micros|microseconds?",
    "ns": r"ns|nsecs?|nanos|nanoseconds?",
}
BARE = re.compile(rf"(?:{WORDS}|datetime|date|date_?time)", re.IGNORECASE)
WITH_UNIT = {
    unit: re.compile(
        rf"(?:(?:{WORDS})[\s_.-]*[(\[]?(?:{words})[)\]]?|(?:{words.partition('|')[2]}))",
        re.IGNORECASE,
    )
    for unit, words in UNIT_WORDS.items()
}
# The time in other languages; a column of that name must also rise.
TRANSLATED = re.compile(
    r"(?:zeit|uhrzeit|zeitstempel|datum|temps|heure|horodatage|tiempo|fecha|hora|tempo"
    r"|data|ora|tijd|tid|czas|aika|cas|čas|idő|время|时间|時間|시간)"
    r"[\s_.-]*[(\[]?(?P<unit>s|ms|us|µs|ns|sek|sec|seg|min|h)?[)\]]?",
    re.IGNORECASE,
)
EPOCH_FROM = 1e8  # seconds: March 1973; no recording lasts that long
EPOCH_UNITS = (("s", 1e11), ("ms", 1e14), ("us", 1e17), ("ns", np.inf))
NEAR_WHOLE = 1e-6  # a rate that is so near to a whole number is that number
MAX_GAPS = 0.1  # with more gaps than this share of steps, steps are not constant
SHOWN_GAPS = 3


def unit_of(name: str) -> str | None:
    """Return the unit that a name states, "" for a time without unit, None for none.

    Examples
    --------
    >>> [unit_of(name) for name in ("seconds", "time (ms)", "Timestamp", "acc_x")]
    ['s', 'ms', '', None]
    """
    for unit, pattern in WITH_UNIT.items():
        if pattern.fullmatch(name.strip()):
            return unit
    translated = TRANSLATED.fullmatch(name.strip())
    if translated:
        stated = (translated["unit"] or "").lower()
        return {"sek": "s", "seg": "s"}.get(stated, stated)
    return "" if BARE.fullmatch(name.strip()) else None


def rises_evenly(column: NDArray[Any]) -> bool:
    """Return True if a column rises by one constant step, up to rounding."""
    if column.dtype.kind not in "iuf" or len(column) < 3:
        return False
    steps = np.diff(column.astype(np.float64))
    middle = float(np.median(steps))
    return bool(middle > 0 and (np.abs(steps - middle) < 1e-3 * middle).all())


def find_time_column(table: Table, options: SeriesOptions) -> int | None:
    """Return the position of the time column, or None."""
    if options.time_column is not None:
        named = options.time_column
        return None if named == "none" else table.position(named)
    found = []
    for place, (name, column) in enumerate(
        zip(table.names, table.columns, strict=True)
    ):
        if name in (options.columns or ()):
            continue
        time = column.dtype.kind in "mM"
        if not time and table.named and unit_of(name) is not None:
            time = True
            if name.strip().lower() == "t":
                time = rises_evenly(column)
            elif TRANSLATED.fullmatch(name.strip()):
                numeric = column.dtype.kind in "iuf" and len(column) > 1
                time = numeric and bool((np.diff(column) > 0).all())
        if time:
            found.append(place)
    if len(found) > 1:
        names = ", ".join(repr(table.names[place]) for place in found)
        raise InputError(
            f"{table.source}: several columns may be the time ({names}); choose one "
            f"with time_column (--time-column NAME), and channels with columns"
        )
    return found[0] if found else None


def read_time(table: Table, place: int, options: SeriesOptions) -> None:
    """Check a time column, and set rate, start and gaps of the table."""
    name, column = table.names[place], table.columns[place]
    missing = ~np.isfinite(column)
    if missing.any():
        count = counted(int(missing.sum()), "value")
        raise InputError(
            f"{table.source}: the time column {name!r} lacks {count}, the first at "
            f"{table.place(int(np.argmax(missing)))}; fill them, or give "
            f"time_column='none' (--time-column none)"
        )
    stated = table.units[place] if table.units else ""
    known = options.time_unit or unit_of(name) or stated
    what = f"{table.source}: the time column {name!r}"
    seconds, table.start, unit = _seconds(what, column, known)
    table.notes.append(f"time from {name!r} ({unit})")
    steps = np.diff(seconds)
    for wrong, happens in ((steps < 0, "goes back"), (steps == 0, "stands still")):
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            before, after = (
                short_stamp(value) if isinstance(value, np.datetime64) else f"{value}"
                for value in column[row - 1 : row + 1]
            )
            raise InputError(
                f"{table.source}: the time column {name!r} {happens} at "
                f"{table.place(row)} ({before} is followed by {after}), "
                f"{counted(int(wrong.sum()), 'such row')} in all; sort the rows and "
                f"remove doubles, or give time_column='none' (--time-column none)"
            )
    if not len(steps):
        return
    middle = float(np.median(steps))
    long, short = steps >= 1.5 * middle, steps <= 0.5 * middle
    if short.any() or long.mean() > MAX_GAPS:
        raise InputError(
            f"{table.source}: the steps of the time column {name!r} are not constant "
            f"(from {steps.min():g} s to {steps.max():g} s, median {middle:g} s); "
            f"resample the recording, or take rows as samples by time_column='none' "
            f"and rate (--time-column none --rate HZ)"
        )
    even = steps[~long]
    rate = float(len(even) / even.sum())
    table.rate = (
        float(round(rate)) if abs(rate - round(rate)) < NEAR_WHOLE * rate else rate
    )
    rows = np.flatnonzero(long)
    lost = np.maximum(np.round(steps[rows] * table.rate).astype(np.int64) - 1, 1)
    table.gaps = tuple(map(Gap, rows.tolist(), lost.tolist()))
    spread = float(np.abs(even * table.rate - 1).max())
    if spread > 0.01:
        table.notes.append(
            f"steps of {name!r} vary by up to {spread:.0%}; rows are samples"
        )


def _seconds(
    what: str, column: NDArray[Any], unit: str
) -> tuple[NDArray[np.float64], np.datetime64 | float, str]:
    """Return seconds since the first row, the start, and how they were read."""
    if column.dtype.kind == "M":
        stamps = column.astype("datetime64[ns]")
        since = (stamps - stamps[0]).astype(np.int64) * 1e-9
        return since, stamps[0], "time stamps"
    if column.dtype.kind == "m":
        nanos = column.astype("timedelta64[ns]").astype(np.int64)
        return (nanos - nanos[0]) / 1e9, float(nanos[0] / 1e9), "time of day"
    largest = float(np.abs(column).max())
    if largest >= 2**63:
        raise InputError(f"{what} holds {largest:g}, which is not a time")
    unit = unit if unit in DURATIONS else ""
    unit = {"µs": "us", "sec": "s"}.get(unit, unit)
    epoch = unit in ("", *SCALES) and largest * SCALES[unit or "s"] >= EPOCH_FROM
    if not unit:
        unit = next(u for u, top in EPOCH_UNITS if largest < top) if epoch else "s"
    since = (column - column[0]).astype(np.float64) * DURATIONS[unit]
    shown = "seconds" if unit == "s" else unit
    if not epoch:
        return since, float(column[0]) * DURATIONS[unit], shown
    ticks = round(column[0].item() * TICKS[f"epoch-{unit}"])
    if abs(ticks) >= 2**63:
        raise InputError(
            f"{what} holds {largest:g}, which is not a time in {shown}; give its unit "
            f"with time_unit (--time-unit ns)"
        )
    return since, np.datetime64(ticks, "ns"), f"{shown} since 1970"


def show_gaps(table: Table) -> str:
    """Return where rows are missing, for a note or an error."""
    base = TimeBase(table.rate, table.start, table.gaps)
    shown = [
        f"{counted(gap.missing, 'sample')} after {table.place(gap.row)} "
        f"({base.show(gap.row)})"
        for gap in table.gaps[:SHOWN_GAPS]
    ]
    rest = len(table.gaps) - SHOWN_GAPS
    lost = counted(sum(gap.missing for gap in table.gaps), "sample")
    return (
        f"{counted(len(table.gaps), 'gap')} in time, {lost} missing: "
        f"{', '.join(shown)}{f' and {rest} more' if rest > 0 else ''}"
    )
