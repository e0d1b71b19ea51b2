"""Show how long a search for motif sets will take, and its progress."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PATIENCE = 1.0  # seconds without a word; most searches end before
EVERY = 0.2  # seconds between two updates
PREFIX = 2000  # samples that a time is measured on, at least
PART = 20  # a time is measured on at least this part of the series
WORTH_SAYING = 10.0  # seconds; shorter searches are not announced
SURE = 1.3  # estimates that differ by less are one
STEEPEST = 3.0  # power of the length that the time grows with, at most


@contextmanager
def showing_progress() -> Iterator[None]:
    """Count per cent in one line of a terminal; print nothing elsewhere."""
    from tsmdbench._kernels.progress import listening

    if not sys.stderr.isatty():
        yield
        return
    line = _Line()
    try:
        with listening(line.update):
            yield
    finally:
        line.end()


class _Line:
    """A line that is written again and again, and removed in the end."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._next = self._begin + PATIENCE
        self._width = 0

    def update(self, share: float) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY
        text = f"searching: {share:.0%}"
        if share > 0:
            left = (now - self._begin) * (1 - share) / share
            text += f", about {duration(left)} left"
        self._width = max(self._width, len(text))
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def say_expected_time(method: Any, series: NDArray[np.float64]) -> None:
    """Print how long a search will take, if it is long."""
    expected = expected_seconds(method, series)
    if expected is None or expected[1] < WORTH_SAYING:
        return
    low, high = expected
    about = duration(high)
    if high > SURE * low and duration(low) != about:
        about = f"{duration(low)} to {about}"
    typer.echo(f"this takes about {about} ({len(series)} samples)", err=True)


def expected_seconds(
    method: Any, series: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Estimate the time of a search from the times on two parts of the series.

    The parts are the beginning of the series, the second one twice as long. Two curves
    through the two times say how the time grows: a power of the length, and a part that
    grows with the length plus one that grows with its square.

    Returns
    -------
    tuple of two floats, or None
        The lower and the higher estimate in seconds. None for short series, for methods
        that are not `Method`, and where the method refuses to search the parts.
    """
    from tsmdbench.errors import TsmdbenchError
    from tsmdbench.methods import Method

    if not isinstance(method, Method):
        return None
    lengths = (getattr(method, field, 0) for field in ("length", "l_max", "window"))
    n = len(series)
    part = max(PREFIX, n // PART, 4 * max(lengths))
    if 4 * part > n:
        return None
    times = []
    try:
        method.find(series[: min(part, PREFIX)])  # compiles what is not compiled yet
        for size in (part, 2 * part):
            begin = time.perf_counter()
            method.find(series[:size])
            times.append(max(time.perf_counter() - begin, 1e-6))
    except TsmdbenchError:
        return None
    return extrapolated(times[0], times[1], n / part)


def extrapolated(one: float, two: float, factor: float) -> tuple[float, float]:
    """Return the lower and the higher estimate for a series `factor` times as long.

    Parameters
    ----------
    one, two : float
        Seconds for a part of the series, and for one twice as long.
    factor : float
        Length of the series over that of the shorter part.

    Examples
    --------
    >>> extrapolated(1.0, 4.0, 10)
    (100.0, 100.0)
    >>> extrapolated(1.0, 2.0, 10)
    (10.0, 10.0)
    >>> extrapolated(1.0, 3.0, 10)  # half of the time grows with the square
    (38.45..., 55.0)
    """
    power = min(max(math.log2(two / one), 0.0), STEEPEST)
    square = min(max((two - 2 * one) / 2, 0.0), two / 4)
    linear = max(two - 4 * square, 0.0) / 2
    estimates = one * factor**power, linear * factor + square * factor**2
    return min(estimates), max(estimates)


def duration(seconds: float) -> str:
    """Return a time as a person says it.

    >>> duration(8.4), duration(100), duration(7300)
    ('8 s', '2 min', '2 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{max(1, round(seconds))} s"
