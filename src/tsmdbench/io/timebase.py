"""Time and samples: durations, time stamps, and the way from one to the other.

A bound of a segment is a whole number of samples, `Seconds`, or a time stamp
(`numpy.datetime64`). `TimeBase` holds what is needed to turn all three into samples: a
sampling rate and the time of the first sample.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tsmdbench.errors import InputError

# Seconds per unit.
UNITS = {
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "min": 60.0,
    "h": 3600.0,
    "sec": 1.0,
    "µs": 1e-6,
}
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
    """Return the seconds that a text such as ``3s`` or ``500ms`` means, or None.

    Examples
    --------
    >>> parse_duration("500ms"), parse_duration("2 min"), parse_duration("80")
    (0.5, 120.0, None)
    """
    found = DURATION.fullmatch(text.strip())
    return float(found[1]) * UNITS[found[2]] if found else None


def parse_clock(text: str) -> float | None:
    """Return the seconds of ``hh:mm:ss.fff``, or None."""
    found = CLOCK.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds = found.groups()
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds.replace(",", "."))


def parse_stamp(text: str) -> np.datetime64 | None:
    """Return the time stamp that an ISO 8601 text means, in UTC, or None."""
    text = text.strip()
    found = STAMP.fullmatch(text)
    if not found:
        return None
    zone = found[1]
    plain = text[: found.start(1)].strip() if zone else text
    try:
        stamp = np.datetime64(plain.replace(",", ".").replace(" ", "T"), "ns")
    except ValueError:
        return None
    if zone and zone != "Z":
        digits = zone[1:].replace(":", "")
        shift = np.timedelta64(int(digits[:2]) * 60 + int(digits[2:]), "m")
        stamp = stamp + shift if zone[0] == "-" else stamp - shift
    return stamp


def parse_bound(text: str) -> Bound | None:
    """Return a bound from text: samples, a duration, a clock time or a time stamp.

    A number with a fraction and no unit is None: it is not said what it counts.
    """
    text = text.strip()
    if re.fullmatch(r"[-+]?\d{1,30}", text):  # more digits are no place in a file
        return int(text)
    seconds = parse_duration(text)
    if seconds is None:
        seconds = parse_clock(text)
    return parse_stamp(text) if seconds is None else Seconds(seconds)


@dataclass(frozen=True)
class TimeBase:
    """What turns time into samples.

    Parameters
    ----------
    rate : float, optional
        Samples per second.
    start : numpy.datetime64 or float, optional
        Time of the first sample: a time stamp, or seconds on the axis of the file.
    uneven : bool
        The recording has gaps, so that times cannot be turned into samples.
    """

    rate: float | None = None
    start: np.datetime64 | float | None = None
    uneven: bool = False

    def sample(self, bound: Bound) -> tuple[int, float]:
        """Return the nearest sample, and by how many seconds the bound was moved."""
        if isinstance(bound, int):
            return bound, 0.0
        rate = self._rate(bound)
        exact = self._seconds(bound) * rate
        if not math.isfinite(exact) or abs(exact) > 2**62:
            raise InputError(f"{show_bound(bound)} is not a place in the recording")
        nearest = round(exact)
        return nearest, abs(exact - nearest) / rate

    def count(self, seconds: float) -> int:
        """Return the number of samples of a duration, rounded."""
        return round(seconds * self._rate(Seconds(seconds)))

    def time(self, sample: int) -> float:
        """Return the seconds of a sample on the axis that `Seconds` are read on."""
        return sample / self._rate(Seconds(0.0)) + self._offset

    def show(self, sample: int) -> str:
        """Return the time of a sample as people read it."""
        seconds = self.time(sample)
        if isinstance(self.start, np.datetime64):
            moved = self.start + np.timedelta64(round(seconds * 1e6), "us")
            return short_stamp(moved)
        return f"{seconds:.9g} s"

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
        if self.uneven:
            raise InputError(
                f"{show_bound(bound)} is a time, but the recording has gaps; fill them "
                f"with missing='interpolate' (--missing interpolate)"
            )
        return self.rate

    def _seconds(self, bound: Bound) -> float:
        """Return the seconds of a bound since the first sample."""
        if isinstance(bound, Seconds):
            return bound.value - self._offset
        if not isinstance(self.start, np.datetime64):
            raise InputError(
                f"{show_bound(bound)} is a time stamp, but the recording has none; "
                f"give a recording with a column of time stamps"
            )
        return (
            int((bound - self.start).astype("timedelta64[ns]").astype(np.int64)) * 1e-9
        )


def show_bound(bound: Bound) -> str:
    """Return a bound as people write it."""
    if isinstance(bound, Seconds):
        return f"{bound.value:g} s"
    return short_stamp(bound) if isinstance(bound, np.datetime64) else f"{bound}"


def short_stamp(stamp: np.datetime64) -> str:
    """Return a time stamp without the zeros at the end of its fraction."""
    text = str(stamp.astype("datetime64[ns]"))
    return text.rstrip("0").rstrip(".") if "." in text else text
