"""Methods for another environment: plain classes that import nothing of tsmdbench."""
# ruff: noqa: ARG002, T201 (methods that ignore their series, and print)

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Plain:
    """Two windows, one after the other."""

    length: int
    max_sets: int = 3
    names: list = field(default_factory=lambda: ["a"])
    threads: int = field(default=1, compare=False)

    univariate: ClassVar = True
    variable_length: ClassVar = "no"
    grid: ClassVar = {"max_sets": (1, 2)}

    def __post_init__(self):
        if self.length < 2:
            raise ValueError(f"length must be at least 2, got {self.length}")

    def find(self, series):
        print("printed, and thrown away")
        print("the same", file=sys.stderr)
        start = int(np.argmax(series)) % (len(series) - 2 * self.length)
        starts = np.array([start, start + self.length])
        yield np.stack([starts, starts + self.length], axis=1)


class Versioned(Plain):
    version = "7.1"

    @staticmethod
    def grid(facts):
        return {"length": [facts.length, facts.l_max]}


class Raises:
    def find(self, series):
        return self._inner(series)

    def _inner(self, series):
        raise ZeroDivisionError(f"series of {len(series)}\udcff")


class NoMemory:
    def find(self, series):
        raise MemoryError("no more")


class Quits:
    def find(self, series):
        sys.exit(4)


class Killed:
    def find(self, series):
        os.kill(os.getpid(), signal.SIGKILL)


class DiesSecond:
    """Dies in a process that has found before; in a fresh one all is well."""

    found = 0

    def find(self, series):
        DiesSecond.found += 1
        if DiesSecond.found > 2:
            os._exit(3)
        return [[(0, 5), (5, 10)]]


class Hangs:
    """Says which process it is in, and hangs."""

    def __init__(self, file):
        self.file = file

    def find(self, series):
        Path(self.file).write_text(str(os.getpid()))
        time.sleep(1000)


class Hog:
    def find(self, series):
        kept = []
        while True:
            kept.append(np.ones(1 << 20))


class Keeps:
    """Holds on to memory after each run."""

    kept: ClassVar = []

    def find(self, series):
        Keeps.kept.append(np.ones(35 * 2**20))
        return [[(0, 5), (5, 10)]]


class Changes:
    def find(self, series):
        series[0] = 7.0
        return []


class Huge:
    def find(self, series):
        return [[(i, i + 1) for i in range(200_000)]]


class Many:
    def find(self, series):
        return [[(0, 5), (5, 10)], [(1, 6), (6, 11)]]


class Returns:
    def __init__(self, what):
        self.what = what

    def find(self, series):
        return {
            "none": None,
            "text": "series.csv",
            "nan": [[(0.0, float("nan"))]],
            "far": [[(0, 5), (10**6, 10**6 + 5)]],
            "object": [object()],
            "bytes": [b"a"],
            "dict": {"x": [(0, 5), (5, 10)]},
            "digits": [[(0, 10**5000)]],
        }[self.what]


class Forks:
    def find(self, series):
        if os.fork() == 0:
            return []  # the copy would answer, too
        return [[(0, 5), (5, 10)]]


class WritesEverywhere:
    """Writes into every file that it can count to, and closes it."""

    def find(self, series):
        for handle in range(3, 1000):
            try:
                os.write(handle, b"nonsense\n")
            except OSError:
                continue
        return [[(0, 5), (5, 10)]]


class NotAMethod:
    pass
