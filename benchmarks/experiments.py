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

from tsmdbench.experiments.engine import LocalEngine
from tsmdbench.experiments.results import Progress
from tsmdbench.experiments.rows import Outcome
from tsmdbench.experiments.running import Driver
from tsmdbench.experiments.specification import Limits, Specification
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.tasks import Plan
from tsmdbench.methods.base import Method
from tsmdbench.types import MotifSet, Problem

REPEATS = 3
FINISHED = 100_000
COUNT = 1000
METHOD = "experiments:Busy"
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


def finished(split):
    return problems(FINISHED if split == "test" else 2)


def warm(split):
    return problems(COUNT if split == "test" else 2)


def cold(split):
    return problems(8 if split == "test" else 2)


def tasks(dataset, **fields):
    params = {METHOD: {"steps": 0, **fields}}
    plan = Plan(Specification((f"experiments:{dataset}",), (METHOD,), params=params))
    return plan.runs({})


def timed(workers, count=COUNT, **fields):
    """Return the time of the runs themselves, and the wall time to have them stored.

    The workers are started and have run the method before the clock runs.
    """
    first, measured = tasks("cold", **fields), tasks("warm", **fields)[:count]
    with tempfile.TemporaryDirectory() as folder:
        with (
            StoreWriter(Path(folder) / "store") as writer,
            Driver(
                writer, Progress(), lambda: LocalEngine(Limits(), workers)
            ) as driver,
        ):
            driver.do("cold", first)
            start = time.perf_counter()
            driver.do("warm", measured)
            wall = time.perf_counter() - start
        where = {"dataset": "experiments:warm"}
        rows = Store(Path(folder) / "store").table(["seconds"], where)
    return sum(rows["seconds"].to_pylist()), wall


def overhead():
    found = [timed(1, seconds=SECONDS) for _ in range(REPEATS)]
    work, wall = min(found, key=lambda pair: pair[1] / pair[0])
    print(
        f"overhead   1000 runs of {work:.2f} ms on one worker: {wall:.2f} s for "
        f"{work:.2f} s of work: {100 * (wall / work - 1):.1f} %, "
        f"{wall - work:.3f} ms per run"
    )


def speed_up():
    walls = {
        workers: min(timed(workers, 200, steps=3000)[1] for _ in range(REPEATS))
        for workers in (1, 2)
    }
    print(
        f"speed-up   200 runs take {walls[1]:.2f} s on one worker, {walls[2]:.2f} s on "
        f"two: {walls[1] / walls[2]:.2f} ({os.cpu_count()} cores, load of the machine "
        f"{os.getloadavg()[0]:.1f})"
    )


def resume_time():
    asked = Specification(("experiments:finished",), (METHOD,))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        fill(asked, store)
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            shown = subprocess.run(
                [sys.executable, "-c", COMMAND, "resume", str(store), "--trust"],
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
    outcome = Outcome("ok", 0.01, 0.01, 10**8, 1, [[[0, 10], [20, 30]]])
    with StoreWriter(path) as writer:
        writer.add([t.runs[0].row(outcome) for t in Plan(asked).runs({})])
        manifest = Store(path).manifest
        manifest["specifications"].append(asked.to_dict())
        writer.write_manifest(manifest)


def main():
    overhead()
    speed_up()
    resume_time()


if __name__ == "__main__":
    main()
