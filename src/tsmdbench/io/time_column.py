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
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.table import Table
from tsmdbench.io.timebase import Gap, TimeBase, short_stamp
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
FOREIGN = re.compile(
    r"(?:zeit|uhrzeit|zeitstempel|datum|temps|heure|horodatage|tiempo|fecha|hora|tempo"
    r"|data|ora|tijd|tid|czas|aika|cas|čas|idő|время|时间|時間|시간)"
    r"[\s_.-]*[(\[]?(?P<unit>s|ms|us|µs|ns|sek|sec|seg|min|h)?[)\]]?",
    re.IGNORECASE,
)
COUNTER = re.compile(
    r"|index|row|samples?|sample_?(?:number|index|id)|unnamed: 0", re.I
)
EPOCH_FROM = 1e8  # seconds: March 1973; no recording lasts that long
EPOCH_UNITS = (("s", 1e11), ("ms", 1e14), ("us", 1e17), ("ns", np.inf))
SCALE = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNIT_NAMES = {"s": "seconds", "ms": "ms", "us": "us", "ns": "ns"}
NEAR_WHOLE = 1e-6  # a rate that is so near to a whole number is that number
MAX_GAPS = 0.1  # with more gaps than this share of steps, steps are not constant
SHOWN_GAPS = 3


@dataclass(frozen=True)
class TimeAxis:
    """What a time column says."""

    rate: float | None
    start: np.datetime64 | float
    gaps: tuple[Gap, ...]
    notes: tuple[str, ...]


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
    foreign = FOREIGN.fullmatch(name.strip())
    if foreign:
        stated = (foreign["unit"] or "").lower()
        return {"µs": "us", "sek": "s", "sec": "s", "seg": "s"}.get(stated, stated)
    return "" if BARE.fullmatch(name.strip()) else None


def find_time_column(table: Table, options: SeriesOptions) -> int | None:
    """Return the position of the time column, or None."""
    if options.time_column == "none":
        return None
    if options.time_column is not None:
        if options.time_column not in table.names:
            known = ", ".join(table.names)
            raise InputError(
                f"{table.source} has no column {options.time_column!r}; known: {known}"
            )
        return table.names.index(options.time_column)
    chosen = options.columns or ()
    found = [
        place
        for place, (name, column) in enumerate(
            zip(table.names, table.columns, strict=True)
        )
        if name not in chosen and _is_time(name, column, named=table.named)
    ]
    if len(found) > 1:
        names = ", ".join(repr(table.names[place]) for place in found)
        raise InputError(
            f"{table.source}: several columns may be the time ({names}); choose one "
            f"with time_column (--time-column NAME), and channels with columns"
        )
    return found[0] if found else None


def _is_time(name: str, column: NDArray[Any], *, named: bool) -> bool:
    if column.dtype.kind in "mM":
        return True
    if not named or unit_of(name) is None:
        return False
    if name.strip().lower() == "t":
        return rises_evenly(column)
    return not FOREIGN.fullmatch(name.strip()) or rises(column)


def rises(column: NDArray[Any]) -> bool:
    """Whether every value of a column is larger than the one above it."""
    if column.dtype.kind not in "iuf" or len(column) < 2:
        return False
    return bool((np.diff(column) > 0).all())


def rises_evenly(column: NDArray[Any]) -> bool:
    """Whether a column rises by one constant step, up to rounding."""
    if column.dtype.kind not in "iuf" or len(column) < 3:
        return False
    steps = np.diff(column.astype(np.float64))
    middle = float(np.median(steps))
    return bool(middle > 0 and (np.abs(steps - middle) < 1e-3 * middle).all())


def is_counter(name: str, column: NDArray[Any]) -> bool:
    """Whether a column only numbers the rows, as pandas writes its index."""
    if not COUNTER.fullmatch(name.strip()) or column.dtype.kind not in "iuf":
        return False
    return len(column) > 1 and bool((np.diff(column) == 1).all())


def read_time_axis(table: Table, place: int, options: SeriesOptions) -> TimeAxis:
    """Check a time column and return rate, start and gaps."""
    name, column = table.names[place], table.columns[place]
    missing = ~np.isfinite(column)
    if missing.any():
        row = int(np.argmax(missing))
        count = counted(int(missing.sum()), "value")
        raise InputError(
            f"{table.source}: the time column {name!r} lacks {count}, the first at "
            f"{table.place(row)}; fill them, or give time_column='none' "
            f"(--time-column none)"
        )
    stated = table.units[place] if table.units else ""
    known = stated if stated in SCALE else ""
    seconds, start, says = _seconds(name, column, options, known)
    steps = np.diff(seconds)
    _check_forward(table, name, column, steps)
    if not len(steps):
        return TimeAxis(None, start, (), (f"time from {name!r} ({says})",))
    rate, gaps = _rate_and_gaps(table, name, steps)
    notes = [f"time from {name!r} ({says})"]
    spread = float(np.abs(np.delete(steps, [gap.row for gap in gaps]) * rate - 1).max())
    if spread > 0.01:
        notes.append(f"steps of {name!r} vary by up to {spread:.0%}; rows are samples")
    return TimeAxis(rate, start, gaps, tuple(notes))


def _seconds(
    name: str, column: NDArray[Any], options: SeriesOptions, stated: str = ""
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
        raise InputError(
            f"the time column {name!r} holds {largest:g}, which is not a time"
        )
    unit = options.time_unit or unit_of(name) or stated
    epoch = largest * SCALE[unit or "s"] >= EPOCH_FROM
    if not unit:
        unit = next(u for u, top in EPOCH_UNITS if largest < top) if epoch else "s"
    since = (column - column[0]).astype(np.float64) * SCALE[unit]
    if not epoch:
        return since, float(column[0]) * SCALE[unit], UNIT_NAMES[unit]
    first: int | float = column[0].item()
    ticks = round(first * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit])
    return since, np.datetime64(ticks, "ns"), f"{UNIT_NAMES[unit]} since 1970"


def _check_forward(
    table: Table, name: str, column: NDArray[Any], steps: NDArray[np.float64]
) -> None:
    for wrong, says in ((steps < 0, "goes back"), (steps == 0, "stands still")):
        if wrong.any():
            row = int(np.argmax(wrong)) + 1
            count = counted(int(wrong.sum()), "such row")
            before, after = map(_shown, column[row - 1 : row + 1])
            raise InputError(
                f"{table.source}: the time column {name!r} {says} at "
                f"{table.place(row)} ({before} is followed by {after}), {count} in "
                f"all; sort the rows and remove doubles, or give time_column='none' "
                f"(--time-column none)"
            )


def _shown(value: Any) -> str:
    """Return a value of a time column without needless digits."""
    return short_stamp(value) if isinstance(value, np.datetime64) else f"{value}"


def _rate_and_gaps(
    table: Table, name: str, steps: NDArray[np.float64]
) -> tuple[float, tuple[Gap, ...]]:
    middle = float(np.median(steps))
    long, short = steps >= 1.5 * middle, steps <= 0.5 * middle
    if short.any() or long.mean() > MAX_GAPS:
        raise InputError(
            f"{table.source}: the steps of the time column {name!r} are not constant "
            f"(from {steps.min():g} s to {steps.max():g} s, median {middle:g} s); "
            f"resample the recording, or take rows as samples by time_column='none' "
            f"and rate (--time-column none --rate HZ)"
        )
    rate = float((~long).sum() / steps[~long].sum())
    if abs(rate - round(rate)) < NEAR_WHOLE * rate:
        rate = float(round(rate))
    rows = np.flatnonzero(long)
    missing = np.maximum(np.round(steps[rows] * rate).astype(np.int64) - 1, 1)
    return rate, tuple(map(Gap, rows.tolist(), missing.tolist()))


def show_gaps(table: Table, axis: TimeAxis) -> str:
    """Return where rows are missing, for a note or an error."""
    base = TimeBase(axis.rate, axis.start, axis.gaps)
    shown = []
    for gap in axis.gaps[:SHOWN_GAPS]:
        lost = counted(gap.missing, "sample")
        shown.append(f"{lost} after {table.place(gap.row)} ({base.show(gap.row)})")
    more = (
        f" and {len(axis.gaps) - SHOWN_GAPS} more"
        if len(axis.gaps) > SHOWN_GAPS
        else ""
    )
    total = sum(gap.missing for gap in axis.gaps)
    lost = counted(total, "sample")
    count = counted(len(axis.gaps), "gap")
    return f"{count} in time, {lost} missing: {', '.join(shown)}{more}"
