"""Drivers, schedulers and workers as processes of their own, for tests that kill."""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

from tsmdbench.experiments.rows import read_part
from tsmdbench.experiments.specification import Limits, Specification
from tsmdbench.experiments.store import Store

ROOT = Path(__file__).parents[2]
MOCKS = "tests.experiments.mock_methods:"
PLAINS = "tests.experiments.plain_methods:"
PROBLEMS = "tests.experiments.mock_problems:"
LIMITS = Limits(seconds=2.0, memory=400 * 2**20, grace=20.0)
TIMES = ("seconds", "cpu_seconds", "peak_memory")


def asked(*methods, dataset="small", **options):
    names = tuple(m if ":" in m else MOCKS + m for m in methods)
    return Specification((PROBLEMS + dataset,), names, limits=LIMITS, **options)


def rows_but_times(path):
    """All rows, in an order of their own, without what differs from run to run."""
    table = Store(path).table().drop_columns(list(TIMES))
    return sorted(table.to_pylist(), key=lambda row: row["key"])


def environment():
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path}


def python(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, *arguments], env=environment(), cwd=ROOT, text=True, **options
    )


def command(*arguments, **options):
    """Start ``tsmdbench`` with arguments."""
    code = "from tsmdbench.cli import main; raise SystemExit(main())"
    return python("-c", code, *map(str, arguments), **options)


def wait_for(condition, seconds=60):
    """Wait until something is true; the limit only ends a test that is broken."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"still not true after {seconds} s")
        time.sleep(0.02)


def stored(path):
    """Number of rows in a store that somebody may be writing to."""
    try:
        return len(Store(path))
    except ValueError:
        return 0


def end(process):
    """End a process of ours and all that it started."""
    try:
        family = [*psutil.Process(process.pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        family = []
    process.kill()
    process.wait()
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue


@contextmanager
def cluster(workers, *, nanny=True):
    """A scheduler and workers on loopback, each a process of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scheduler = python(
            *("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"),
            *("--port", "0", "--dashboard-address", "127.0.0.1:0"),
            *("--scheduler-file", folder / "s.json"),
            stderr=subprocess.DEVNULL,
        )
        stack.callback(end, scheduler)
        file = folder / "s.json"
        # Dask writes the file piece by piece: it is there before it is complete.
        wait_for(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        made = []
        for _ in range(workers):
            worker = python(
                *("-m", "distributed.cli.dask_worker", address, "--nthreads", "1"),
                *("--memory-limit", "0", "--no-dashboard"),
                "--nanny" if nanny else "--no-nanny",
                stderr=subprocess.DEVNULL,
            )
            stack.callback(end, worker)
            made.append(worker)
        yield address, scheduler, made


def part_keys(path):
    """Keys of every part that counts, with repetitions."""
    return [
        key
        for part in Store(path).parts()
        for key in read_part(part, ["key"])["key"].to_pylist()
    ]
