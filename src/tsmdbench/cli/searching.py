"""Expected time and progress of a search for motif sets.

Sizes and durations are not formatted by ``dask.utils``: dask is an optional package.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tsmdbench.cli.output import StatusLine, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COMPILING = "compiling, only the first time with these versions ..."
PATIENCE = 1.0  # seconds before progress is shown
EVERY = 0.2  # seconds between two updates
PREFIX = 2000  # samples that a time is measured on, at least
PART = 20  # a time is measured on at least this part of the series
WORTH_SAYING = 10.0  # seconds; shorter times are not printed
SURE = 1.3  # estimates that differ by less are one
STEEPEST = 3.0  # power of the length that the time grows with, at most


@contextmanager
def showing_compilation() -> Iterator[None]:
    """Print once that numba compiles; on a terminal, count the functions."""
    from tsmdbench._kernels.compile_time import compilations

    line = StatusLine()
    begin, count = time.monotonic(), 0

    def compiled(_: str) -> None:
        nonlocal count
        count += 1
        if line.shown:
            seconds = time.monotonic() - begin
            line.update(f"{COMPILING} {count} functions, {seconds:.0f} s")
        elif count == 1:
            say(COMPILING)

    try:
        with compilations(compiled):
            yield
    finally:
        line.end(keep=True)


@contextmanager
def showing_progress() -> Iterator[None]:
    """Show the fraction done in one line of a terminal; print nothing elsewhere."""
    from tsmdbench._kernels.progress import listening

    line = StatusLine()
    begin = time.monotonic()
    after = begin + PATIENCE

    def update(share: float) -> None:
        nonlocal after
        now = time.monotonic()
        if now < after:
            return
        after = now + EVERY
        left = (now - begin) * (1 - share) / share if share > 0 else None
        more = "" if left is None else f", about {duration(left)} left"
        line.update(f"searching: {share:.0%}{more}")

    try:
        if line.shown:
            with listening(update):
                yield
        else:
            yield
    finally:
        line.end()


def say_expected_time(method: Any, series: NDArray[np.float64]) -> None:
    """Print the expected time of a long search."""
    expected = expected_seconds(method, series)
    if expected is None or expected[1] < WORTH_SAYING:
        return
    low, high = expected
    about = duration(high)
    if high > SURE * low and duration(low) != about:
        about = f"{duration(low)} to {about}"
    say(f"this takes about {about} ({len(series)} samples)")


def expected_seconds(
    method: Any, series: NDArray[np.float64]
) -> tuple[float, float] | None:
    """Estimate the time of a search from the times on two parts of the series.

    The parts are the beginning of the series, the second one twice as long. Two models
    of growth are fitted to the two times: a power of the length, and a linear plus a
    quadratic term.

    Returns
    -------
    tuple of two floats, or None
        The lower and the higher estimate in seconds. None for short series, for methods
        that are not `Method`, for `Auto`, whose time is bounded, and where the method
        refuses to search the parts.
    """
    from tsmdbench.errors import TsmdbenchError
    from tsmdbench.methods import Auto, Method

    if not isinstance(method, Method) or isinstance(method, Auto):
        return None
    lengths = [getattr(method, field, 0) for field in ("length", "l_max", "window")]
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
    """Return a duration in words.

    >>> duration(8.4), duration(100), duration(7300)
    ('8 s', '2 min', '2 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{max(1, round(seconds))} s"
