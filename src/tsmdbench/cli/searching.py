"""Show how long a search for motif sets will take, and its progress."""

from __future__ import annotations

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
PREFIX = 2000  # samples that an estimate of time is measured on, at least
PART = 6  # a prefix is at most this part of the series, so that it costs little
WORTH_SAYING = 10.0  # seconds; shorter searches are not announced
# Methods whose time grows with n; that of the others grows with n squared.
LINEAR = ("gv_sequitur", "gv_repair", "mrmotif")


@contextmanager
def showing_progress() -> Iterator[None]:
    """Count per cent in one line of a terminal; print nothing elsewhere."""
    from tsmdbench.methods._progress import listening

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


def say_expected_time(method: Any, name: str, series: NDArray[np.float64]) -> None:
    """Print how long a search will take, if it is long."""
    seconds = expected_seconds(method, name, series)
    if seconds is not None and seconds > WORTH_SAYING:
        typer.echo(
            f"this takes about {duration(seconds)} ({len(series)} samples)", err=True
        )


def expected_seconds(
    method: Any, name: str, series: NDArray[np.float64]
) -> float | None:
    """Estimate the time of a search from that on the beginning of the series.

    The time of all built-in methods grows with the square of the length, but for the
    symbolic ones. None for short series, methods of others, and prefixes on which the
    method refuses to search.
    """
    from tsmdbench.errors import TsmdbenchError
    from tsmdbench.methods import METHODS

    if ":" in name or name not in METHODS:
        return None
    longest = max(
        (getattr(method, field, 0) for field in ("length", "l_max", "window")),
        default=0,
    )
    prefix = max(PREFIX, 4 * longest)
    if prefix * PART > len(series):
        return None
    try:
        method.find(series[:prefix])  # compiles what is not compiled yet
        begin = time.perf_counter()
        method.find(series[:prefix])
    except TsmdbenchError:
        return None
    spent = time.perf_counter() - begin
    return float(spent * (len(series) / prefix) ** (1 if name in LINEAR else 2))


def duration(seconds: float) -> str:
    """Return a time as a person says it.

    >>> duration(8.4), duration(100), duration(7300)
    ('8 s', '2 min', '2 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{max(1, round(seconds))} s"
