"""Time and samples: durations, time stamps, and the way from one to the other.

A bound of a segment is a whole number of samples, `Seconds`, or a time stamp
(`numpy.datetime64`). `TimeBase` holds what is needed to turn all three into samples: a
sampling rate, the time of the first sample, and where rows are missing.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError

# Seconds per unit.
SCALES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
DURATIONS = SCALES | {"sec": 1.0, "µs": 1e-6, "min": 60.0, "h": 3600.0}
# Nanoseconds per unit of time since 1970.
TICKS = {"epoch-s": 10**9, "epoch-ms": 10**6, "epoch-us": 10**3, "epoch-ns": 1}
UNITS = ("samples", *SCALES, *TICKS)
WRITTEN = (*UNITS, "time")  # units in which segments can be shown
# dask.utils.parse_timedelta would add Dask, which only `run` needs.
DURATION = re.compile(r"([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(s|sec|ms|us|µs|ns|min|h)")
CLOCK = re.compile(r"(\d{1,9}):([0-5]\d):([0-5]\d(?:[.,]\d+)?)")
STAMP = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?"
    r"\s*(Z|[+-]\d\d:?\d\d)?"
)


class Seconds(NamedTuple):
    """A place in time in seconds, on the time axis of the recording."""

    value: float


Bound = int | Seconds | np.datetime64


def parse_duration(text: str) -> float | None:
    """Return the seconds of a text such as ``3s`` or ``500ms``, or None.

    >>> parse_duration("500ms"), parse_duration("2 min"), parse_duration("80")
    (0.5, 120.0, None)
    """
    found = DURATION.fullmatch(text.strip())
    return float(found[1]) * DURATIONS[found[2]] if found else None


def parse_clock(text: str) -> float | None:
    """Return the seconds of ``hh:mm:ss.fff``, or None."""
    found = CLOCK.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds = found.groups()
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds.replace(",", "."))


def parse_stamp(text: str) -> np.datetime64 | None:
    """Return the time stamp of an ISO 8601 text, in UTC, or None."""
    text = text.strip()
    if not STAMP.fullmatch(text):
        return None
    import pandas as pd

    try:
        stamp: Any = pd.Timestamp(text.replace(",", ".")).as_unit("ns")
        if stamp.tz is not None:
            stamp = stamp.tz_convert(None)
    except ValueError:  # no such date, or one that 64 bits of nanoseconds cannot hold
        return None
    return np.datetime64(stamp.to_datetime64(), "ns")


def parse_bound(text: str) -> Bound | None:
    """Return a bound from text: samples, a duration, a clock time or a time stamp.

    None for anything else, also for a number with a fraction and no unit.
    """
    text = text.strip()
    if re.fullmatch(r"[-+]?\d{1,30}", text):  # more digits are no place in a file
        return int(text)
    seconds = parse_duration(text)
    if seconds is None:
        seconds = parse_clock(text)
    return parse_stamp(text) if seconds is None else Seconds(seconds)


def check_units(units: Any, known: tuple[str, ...] = UNITS, name: str = "units") -> str:
    """Return units of segments, or raise."""
    if units not in known:
        raise InputError(f"{name} must be one of {', '.join(known)}, got {units!r}")
    return str(units)


class Gap(NamedTuple):
    """A place where rows are missing: after `row`, as many as `missing` samples."""

    row: int
    missing: int


@dataclass(frozen=True)
class TimeBase:
    """Conversion between time and samples of a file.

    Rows of the file are samples. A gap takes time but has no rows, so a time inside of
    one is the first row after it.

    >>> base = TimeBase(10.0, 5.0, (Gap(9, 20),))
    >>> base.times(8, 10), base.times(8, 11)
    ((5.8, 6.0), (5.8, 8.1))
    >>> [base.sample(Seconds(time))[0] for time in (5.8, 6.0, 7.5, 8.1)]
    [8, 10, 10, 11]
    """

    rate: float | None = None  # samples per second
    start: np.datetime64 | float | None = (
        None  # of the first sample; seconds or a stamp
    )
    gaps: tuple[Gap, ...] = ()
    n: int | None = None  # number of rows

    def __post_init__(self) -> None:
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise InputError(f"rate must be a positive number of Hz, got {self.rate}")

    @cached_property
    def _after(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First rows after the gaps, and the samples missing before each."""
        pairs = np.array(self.gaps, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0] + 1, np.concatenate([[0], np.cumsum(pairs[:, 1])])

    def place(self, row: Any) -> Any:
        """Return where rows lie on an axis that counts the missing samples too."""
        after, missing = self._after
        return row + missing[np.searchsorted(after, row, side="right")]

    def row(self, place: Any) -> Any:
        """Return the number of rows before a place on the axis of `place`."""
        after, missing = self._after
        passed = np.searchsorted(after + missing[1:], place, side="right")
        limits = np.concatenate([after, [np.iinfo(np.int64).max]])
        return np.minimum(place - missing[passed], limits[passed])

    def sample(self, bound: Bound) -> tuple[int, float]:
        """Return the nearest sample, and by how many seconds the bound was moved."""
        if isinstance(bound, int):
            return bound, 0.0
        rate = self._rate(bound)
        if isinstance(bound, Seconds):
            seconds = bound.value - self._offset
        elif isinstance(self.start, np.datetime64):
            since = (bound - self.start).astype("timedelta64[ns]")
            seconds = int(since.astype(np.int64)) * 1e-9
        else:
            raise InputError(
                f"{show_bound(bound)} is a time stamp, but the recording has none; "
                f"give a recording with a column of time stamps"
            )
        exact = seconds * rate
        if not math.isfinite(exact) or abs(exact) > 2**62:
            raise InputError(f"{show_bound(bound)} is not a place in the recording")
        nearest = round(exact)
        if not self.gaps:
            return nearest, abs(exact - nearest) / rate
        row = int(self.row(nearest))
        moved = min(abs(exact - int(self.place(r)) - (r < row)) for r in (row - 1, row))
        return row, moved / rate

    def times(self, start: int, end: int) -> tuple[float, float]:
        """Return the seconds at which a segment starts and ends.

        They count from the first sample where the recording has time stamps.
        """
        rate = self._rate(Seconds(0.0))
        places = (start, end)
        if self.gaps:
            places = int(self.place(start)), int(self.place(end - 1)) + 1
        begin, stop = (place / rate + self._offset for place in places)
        return begin, stop

    def shown(self, start: int, end: int, units: str = "time") -> tuple[Any, Any]:
        """Return the bounds of a segment in units, rounded as people write them.

        "samples" are whole numbers; "s", "ms", "us", "ns" and "epoch-s" to "epoch-ns"
        are numbers; "time" is a text: a time stamp where there is one, else seconds.
        """
        if units == "samples":
            return int(start), int(end)
        first = self.start if isinstance(self.start, np.datetime64) else None
        if units in TICKS and first is None:
            raise InputError(
                f"units={units} needs time stamps, which the recording does not have; "
                f"use s"
            )

        def written(seconds: float) -> Any:
            seconds = self.rounded(seconds)
            if first is None or units in SCALES:
                if units == "time":
                    return f"{plain_number(seconds, 17)} s"
                scale = round(1 / SCALES[units])
                value = round(seconds * scale, 9)
                return value if scale == 1 or not value.is_integer() else int(value)
            stamp = first + np.timedelta64(round(seconds * 1e9), "ns")
            if units == "time":
                return short_stamp(stamp)
            ticks, size = int(stamp.astype("datetime64[ns]").astype(int)), TICKS[units]
            return ticks / size if ticks % size else ticks // size

        begin, stop = self.times(start, end)
        return written(begin), written(stop)

    def rounded(self, seconds: float) -> float:
        """Round seconds to as many decimals as distinguish two samples.

        >>> TimeBase(360.0).rounded(223 / 360), TimeBase(1 / 60).rounded(3600.0)
        (0.619, 3600.0)
        """
        digits = 9 if self.rate is None else max(0, math.ceil(math.log10(self.rate)))
        return round(seconds, min(digits, 9))

    def show(self, sample: int) -> str:
        """Return the time of a sample as text."""
        return str(self.shown(sample, sample + 1)[0])

    def to_dict(self) -> dict[str, Any]:
        """Return rate, start and gaps as JSON can hold them."""
        start: Any = self.start
        if isinstance(start, np.datetime64):
            start = short_stamp(start)
        known = {"rate": self.rate, "start": start, "gaps": list(map(list, self.gaps))}
        return {name: value for name, value in known.items() if value not in (None, [])}

    @property
    def _offset(self) -> float:
        """Seconds of the first sample; 0 where it has a time stamp instead."""
        return self.start if isinstance(self.start, float) else 0.0

    def _rate(self, bound: Bound) -> float:
        if self.rate is None:
            raise InputError(
                f"{show_bound(bound)} is a time, but no sampling rate is known; give "
                f"the recording, or the rate (--rate HZ)"
            )
        return self.rate


def plain_number(value: float, digits: int = 6) -> str:
    """Format a number with `digits` digits and, unless it is huge, no exponent.

    >>> plain_number(3600.0), plain_number(1e6 / 3), plain_number(0.00012345678)
    ('3600', '333333', '0.000123457')
    """
    if abs(value) >= 1e15:
        return f"{value:g}"
    return str(
        np.format_float_positional(value, precision=digits, fractional=False, trim="-")
    )


def show_bound(bound: Bound) -> str:
    """Return a bound as people write it."""
    if isinstance(bound, Seconds):
        return f"{plain_number(bound.value, 10)} s"
    return short_stamp(bound) if isinstance(bound, np.datetime64) else f"{bound}"


def short_stamp(stamp: np.datetime64) -> str:
    """Return a time stamp without the zeros at the end of its fraction."""
    text = str(stamp.astype("datetime64[ns]"))
    return text.rstrip("0").rstrip(".") if "." in text else text
