"""Plain classes that import nothing of tsmdbench, for our and other environments."""
# ruff: noqa: ARG002, T201 (methods that ignore their series, and print)

import ctypes
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
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


class Ends:
    """Ends its process, or tries to."""

    def __init__(self, how="segfault"):
        self.how = how

    def find(self, series):
        if self.how == "memory":
            raise MemoryError("no more")
        if self.how == "interrupt":
            raise KeyboardInterrupt
        if self.how == "segfault":
            ctypes.string_at(0)
        if self.how == "abort":
            os.abort()
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "_exit":
            os._exit(3)
        if self.how == "close":  # all file descriptors, as a daemon does
            os.closerange(0, 65536)
            return [[(0, 5), (5, 10)]]
        sys.exit(4)


class DiesThird:
    """Dies in a process that has found before; in a fresh one all is well."""

    found = 0

    def find(self, series):
        DiesThird.found += 1
        if DiesThird.found > 2:
            os._exit(3)
        return [[(0, 5), (5, 10)]]


class Sleeps:
    def __init__(self, seconds=1000):
        self.seconds = seconds

    def find(self, series):
        time.sleep(self.seconds)
        return []


class Echo:
    """Raises what it was given."""

    def __init__(self, **given):
        self.given = given

    def find(self, series):
        raise KeyError(repr(self.given))


class Hog:
    def __init__(self, mebibytes=1 << 20):
        self.mebibytes = mebibytes

    def find(self, series):
        kept = [np.ones(1 << 17) for _ in range(self.mebibytes)]
        return [[(0, 5), (5, 10)]] if kept else []


class Keeps:
    """Holds on to memory after each run."""

    kept: ClassVar = []

    def find(self, series):
        Keeps.kept.append(np.ones(12 * 2**20))
        return [[(0, 5), (5, 10)]]


class Changes:
    """Changes its series, then finds what it finds."""

    def __init__(self, how="sort", length=10):
        self.how = how
        self.length = length

    def find(self, series):
        start = int(np.argmax(series)) % (len(series) - self.length)
        if self.how == "sort":
            series.sort()
        elif self.how == "one":
            series[0] += 1.0
        elif self.how == "shape":
            series.shape = (len(series) // 2, 2)
        return [[(start, start + self.length)]]

    @classmethod
    def sweep(cls, series, methods):
        return [method.find(series) for method in methods]


class Huge:
    def find(self, series):
        return [[(i % 100, i % 100 + 1) for i in range(200_000)]]


class Many:
    def __init__(self, count=2):
        self.count = count

    def find(self, series):
        return [[(0, 5)]] * self.count


class Lazy:
    """Computes only when its result is read."""

    def __init__(self, inner):
        self.inner = inner

    def find(self, series):
        def sets():
            if self.inner:
                yield pairs()
            else:
                time.sleep(0.2)
                yield [(0, 10)]

        def pairs():
            time.sleep(0.2)
            yield (0, 10)

        return sets()


class Surrogate:
    """Has a version and raises a text that UTF-8 cannot hold."""

    version = "1.0\udcff"

    def find(self, series):
        raise RuntimeError("caf\udcc3 \ud800")


class MuteError(Exception):
    """Has no text."""

    def __str__(self):
        raise ValueError("no text")


class Unspeakable:
    """Raises an exception that cannot be printed."""

    def find(self, series):
        raise MuteError


class Returns:
    def __init__(self, what):
        self.what = what

    def find(self, series):
        return {
            "none": None,
            "text": "series.csv",
            "nan": [[(0.0, float("nan"))]],
            "far": [[(0, 5), (10**6, 10**6 + 5)]],
            "reversed": [[(5, 3), (6, 4)]],
            "object": [object()],
            "bytes": [b"a"],
            "dict": {"x": [(0, 5), (5, 10)]},
            "digits": [[(0, 10**5000)]],
        }[self.what]


class Writes:
    """Writes into every file that it can count to, at once or later."""

    def __init__(self, highest=65536, seconds=0.0):
        self.highest, self.seconds = highest, seconds

    def find(self, series):
        def scribble():
            time.sleep(self.seconds)
            for handle in range(self.highest):
                try:
                    os.write(handle, b"nonsense\n")
                except OSError:
                    continue

        if self.seconds:
            threading.Thread(target=scribble, daemon=True).start()
        else:
            scribble()
        return [[(0, 5), (5, 10)]]


class NotAMethod:
    pass
