"""What the engine costs: per run, by the number of workers, and on resuming.

    python benchmarks/experiments.py

Three figures: the overhead of runs of 10 ms on one worker, from the plan to the synced
store; the speed-up from one to two workers for runs that compute; and the time that
``tsmdbench resume`` takes for a store of 100,000 finished runs. Stores are made in a
temporary folder. Other load on the machine shows up in the first two: they are repeated
and the best is taken.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.plan import Group
from tsmdbench.experiments.progress import Quiet
from tsmdbench.experiments.rows import Outcome
from tsmdbench.experiments.run import run
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.methods.base import Method
from tsmdbench.types import MotifSet, Problem

REPEATS = 3
FINISHED = 100_000
SECONDS = 0.01


@dataclass(frozen=True)
class Busy(Method):
    """Keep a core busy for a time, or for a number of steps."""

    seconds: float = 0.0
    steps: int = 0
    univariate = True
    variable_length = "no"
    symbolic = False

    def _find(self, x):
        end = time.perf_counter() + self.seconds
        for _ in range(self.steps):
            np.sort(x)
        while time.perf_counter() < end:
            pass
        return (MotifSet([(0, 10), (20, 30)]),)


def problems(count):
    rng = np.random.default_rng(0)
    truth = {"a": MotifSet([(0, 10), (20, 30)])}
    series = rng.normal(size=(16, 1000))
    return [Problem(series[k % 16], truth, f"{k:06d}") for k in range(count)]


def thousand(split):
    return problems(1000 if split == "test" else 2)


def hundred(split):
    return problems(120 if split == "test" else 2)


def finished(split):
    return problems(FINISHED if split == "test" else 2)


class Clock(Quiet):
    """Note when runs were reported as stored."""

    def __init__(self):
        self.times = []

    def advance(self, stored, failed):
        """Note it."""
        del failed
        self.times.append((time.perf_counter(), stored))


def timed(dataset, workers, **fields):
    """Return runs, their seconds, and the wall time, without the time to start."""
    asked = Specification(
        (f"experiments:{dataset}",),
        ("experiments:Busy",),
        params={"experiments:Busy": fields},
    )
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        run(asked, Path(folder) / "store", workers=workers, progress=clock)
        mean = float(
            np.mean(Store(Path(folder) / "store").table(["seconds"])["seconds"])
        )
    (begin, first), *rest = [point for point in clock.times if point[1]]
    count = sum(stored for _, stored in rest)
    return count, mean * count, rest[-1][0] - begin, first


def overhead():
    best = min(
        (timed("thousand", 1, seconds=SECONDS) for _ in range(REPEATS)),
        key=lambda found: found[2] / found[1],
    )
    count, work, wall, _ = best
    print(
        f"overhead   {count} runs of {1e3 * work / count:.2f} ms on one worker: "
        f"{wall:.2f} s for {work:.2f} s of work, {100 * (wall / work - 1):.1f} % "
        f"({1e3 * (wall - work) / count:.3f} ms per run)"
    )


def speed_up():
    walls = {}
    for workers in (1, 2):
        found = [timed("hundred", workers, steps=3_000) for _ in range(REPEATS)]
        walls[workers] = min(wall / count for count, _, wall, _ in found)
    ratio = walls[1] / walls[2]
    print(
        f"speed-up   {1e3 * walls[1]:.1f} ms per run on one worker, "
        f"{1e3 * walls[2]:.1f} ms on two: {ratio:.2f} ({os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f})"
    )


def resume_time():
    asked = Specification(("experiments:finished",), ("experiments:Busy",))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        fill(asked, store)
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            shown = subprocess.run(
                [sys.executable, "-c", COMMAND, "resume", str(store)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
                check=True,
            )
            times.append(time.perf_counter() - start)
            if f"skipped  {FINISHED}" not in shown.stdout:
                raise SystemExit(f"resume did something else: {shown.stdout}")
    print(f"resume     {min(times):.2f} s for {FINISHED} finished runs, start included")


COMMAND = "from tsmdbench.cli import main; raise SystemExit(main())"


def fill(asked, path):
    """Put all runs that are asked for into a store, as if they had been done."""
    from tsmdbench.experiments.describe import describe

    method = describe(asked.methods[0])
    everything = Group(
        method, asked.datasets[0], "test", finished("test"), [method.parameters({})]
    )
    outcome = Outcome("ok", 0.01, 10**8, 1, [[[0, 10], [20, 30]]])
    with StoreWriter(path) as writer:
        for problem in range(FINISHED):
            writer.add([everything.run(0, problem).row(outcome)])
        manifest = Store(path).manifest
        manifest["specifications"].append(asked.to_dict())
        writer.write_manifest(manifest)


def main():
    print(f"limits     {Limits()}")
    overhead()
    speed_up()
    resume_time()


if __name__ == "__main__":
    main()
