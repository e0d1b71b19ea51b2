"""Methods that behave badly, each in its own way."""

import ctypes
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsmdbench.methods.base import Method
from tsmdbench.types import MotifSet


@dataclass(frozen=True)
class Mock(Method):
    """Finds one set: where depends on the series and the parameters only."""

    length: int = 10
    max_sets: int | None = None

    univariate = True
    variable_length = "no"
    symbolic = False

    def _find(self, x):
        start = int(np.argmax(x)) % (len(x) - 2 * self.length)
        return (MotifSet.from_starts([start, start + self.length], self.length),)


@dataclass(frozen=True)
class Sleeper(Mock):
    """Takes its time, without computing."""

    seconds: float = 0.01

    def _find(self, x):
        time.sleep(self.seconds)
        return super()._find(x)


@dataclass(frozen=True)
class Worker(Mock):
    """Computes for a number of seconds of its own processor time."""

    seconds: float = 0.01

    def _find(self, x):
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            sum(range(500))
        return super()._find(x)


@dataclass(frozen=True)
class Looper(Mock):
    """Hangs inside compiled code, with or without the interpreter's lock."""

    gil: bool = True

    def _find(self, x):
        from tests.experiments.endless_kernel import endless, endless_with_gil

        (endless_with_gil if self.gil else endless)(x)
        return super()._find(x)


@dataclass(frozen=True)
class Raiser(Mock):
    """Raises, always or for series that are high."""

    above: float = -np.inf

    def _find(self, x):
        if x.max() > self.above:
            raise RuntimeError("not in the mood")
        return super()._find(x)


@dataclass(frozen=True)
class Printer(Mock):
    """Prints a lot, and warns."""

    def _find(self, x):
        for stream in (sys.stdout, sys.stderr):
            stream.write("noise\n" * 100_000)
            stream.flush()
        os.write(1, b"noise\n" * 10_000)
        return super()._find(x)


FIRST = []


@dataclass(frozen=True)
class Compiler(Mock):
    """Takes long the first time in a process."""

    seconds: float = 1.0

    def _find(self, x):
        if not FIRST:
            FIRST.append(True)
            time.sleep(self.seconds)
        return super()._find(x)


@dataclass(frozen=True)
class Chooser(Mock):
    """Shares work in a sweep; one setting may hang, crash or raise."""

    level: int = 0
    bad: str = ""

    def _find(self, x):
        if self.bad == "hang":
            time.sleep(3600)
        if self.bad == "crash":
            ctypes.string_at(0)
        if self.bad == "raise":
            raise RuntimeError("a bad setting")
        start = (int(np.argmax(x)) + self.level) % (len(x) - 2 * self.length)
        return (MotifSet.from_starts([start, start + self.length], self.length),)

    @classmethod
    def _sweep(cls, series, methods):
        return [method.find(series) for method in methods]


class Plain:
    """Somebody else's class: not ours, not a dataclass."""

    version = "7.1"

    def __init__(self, length=10, channel=0):
        self.length = length
        self.channel = channel

    def find(self, series):
        x = series if series.ndim == 1 else series[:, self.channel]
        start = int(np.argmin(x)) % (len(x) - self.length)
        return [[(start, start + self.length)]]


@dataclass(frozen=True)
class Forker(Mock):
    """Forks; the copy returns something else, at once or later."""

    how: str = "os"
    seconds: float = 0.0

    def _find(self, x):
        fork = os.fork if self.how == "os" else ctypes.CDLL(None).fork
        if fork() == 0:
            time.sleep(self.seconds)
            return (MotifSet([(0, 1)]),)
        return super()._find(x)


@dataclass(frozen=True)
class Deserter(Mock):
    """Ends, while a copy of it goes on."""

    def _find(self, _):
        if ctypes.CDLL(None).fork() == 0:
            time.sleep(3600)
        os._exit(4)


@dataclass(frozen=True)
class Starter(Mock):
    """Starts a process and leaves it running; its id is in a file."""

    file: str = ""
    seconds: float = 0.0

    def _find(self, x):
        process = subprocess.Popen(["sleep", "3600"])
        with Path(self.file).open("a") as file:
            file.write(f"{process.pid}\n")
        time.sleep(self.seconds)
        return super()._find(x)
