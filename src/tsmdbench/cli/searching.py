"""Show on a terminal the progress of a long search for motif sets."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # seconds without a word; most searches end before
EVERY = 0.2  # seconds between two updates


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
        self._next = time.monotonic() + PATIENCE
        self._width = 0

    def update(self, share: float) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY
        text = f"searching: {share:.0%}"
        self._width = max(self._width, len(text))
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
