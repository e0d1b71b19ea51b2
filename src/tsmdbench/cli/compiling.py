"""Tell on standard error that a method is compiled, and how far that is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

SENTENCE = "compiling, only the first time with these versions ..."


@contextmanager
def telling() -> Iterator[None]:
    """Tell once, and on a terminal count, what numba compiles within the context."""
    from tsmdbench._kernels.compile_time import compilations

    line = _Line()
    try:
        with compilations(line.add):
            yield
    finally:
        line.end()


class _Line:
    """A line that counts in place on a terminal; elsewhere one sentence and no more."""

    def __init__(self) -> None:
        self._count = 0
        self._begin = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def add(self, _: str) -> None:
        self._count += 1
        if self._terminal:
            seconds = time.monotonic() - self._begin
            sys.stderr.write(f"\r{SENTENCE} {self._count} functions, {seconds:.0f} s")
            sys.stderr.flush()
        elif self._count == 1:
            sys.stderr.write(f"{SENTENCE}\n")

    def end(self) -> None:
        if self._count and self._terminal:
            sys.stderr.write("\n")
