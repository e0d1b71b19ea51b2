"""The process that computes: it finds motif sets when asked and can be killed.

Methods run here and nowhere else, so that a hang, a leak or a crash ends this process
and no other. It stays for many runs, so that starting it and compiling costs nothing
per run; its supervisor (`tsmdbench.experiments.execution.supervisor`) ends it.

Conventions
-----------
*Time.* The clock runs around `find` (or `sweep`) only. The first run of a method in a
process may compile, load compiled code or fill caches. It is therefore made twice and
the second is counted, unless the first took longer than `REPEAT_BELOW`: then it is
counted itself, less the time that numba spent compiling.

*Processor time* is taken around the same, over all threads of the process.

*Memory.* The peak of resident memory is reset before a run where the system can do so
(Linux); elsewhere it is the peak since the process began.

*Output.* What a method prints is thrown away: the pipe and the terminal are not its.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputTypeError
from tsmdbench.experiments.execution.job import Job
from tsmdbench.experiments.store.rows import FoundLists, Outcome
from tsmdbench.methods import METHODS
from tsmdbench.validation import check_motif_sets

REPEAT_BELOW = 30.0  # seconds; longer first runs are not made twice
PARENT_CHECK = 1.0  # seconds between looks at whether the parent lives
IDLE = 900.0  # seconds without a job after which the process ends itself
KIB = 1024


@dataclass(frozen=True)
class Clock:
    """A run begins now; `cold` if it may compile."""

    cold: bool


READY = "ready"  # said once, when jobs can come
SWOLLEN = "swollen"  # said instead of an answer: this process keeps too much memory
Send = Callable[[Any], None]


def serve(connection: Connection, most_at_rest: int) -> None:
    """Do jobs until the other side is gone.

    They come as tuples, which are answered job by job without waiting in between.

    Parameters
    ----------
    connection : Connection
    most_at_rest : int
        Bytes that the process may keep after a job.
    """
    warm: set[tuple[Any, ...]] = set()
    connection.send(READY)
    while True:
        if not connection.poll(IDLE):
            return
        try:
            jobs: tuple[Job, ...] = connection.recv()
        except EOFError:
            return
        for number, job in enumerate(jobs, start=1):
            connection.send(answer(job, warm, connection.send))
            is_last = number == len(jobs)
            if not is_last and _memory("VmRSS") > most_at_rest:
                connection.send(SWOLLEN)
                break


def answer(job: Job, warm: set[tuple[Any, ...]], send: Send) -> list[Outcome] | Outcome:
    """Return an outcome per setting, or the one outcome that all of them share."""
    try:
        return _found(job, warm, send)
    except MemoryError as error:
        return Outcome("memory", peak_memory=_peak(), message=f"MemoryError: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
        text = f"{type(error).__name__}: {error}"
        return Outcome("error", peak_memory=_peak(), message=text[:2000])


def _found(job: Job, warm: set[tuple[Any, ...]], send: Send) -> list[Outcome]:
    kind = (job.method, job.series.ndim, len(job.settings) > 1)
    cold = kind not in warm
    if cold:
        send(Clock(cold=True))  # importing is part of warming up
    find = _finder(job)
    _reset_peak()
    sets, *spent = _timed(find, cold=cold)
    if cold:
        warm.add(kind)
        if spent[0] < REPEAT_BELOW:
            send(Clock(cold=False))
            sets, *spent = _timed(find, cold=False)
    number, peak = len(job.settings), _peak()
    seconds, cpu_seconds = (each / number for each in spent)
    return [
        Outcome("ok", seconds, cpu_seconds, peak, number, _lists(found, job.series))
        for found in sets
    ]


def _finder(job: Job) -> Callable[[], list[Any]]:
    """Make the methods, so that a wrong setting is an error before the clock runs."""
    cls = METHODS[job.method]
    methods = [cls(**setting) for setting in job.settings]
    if len(methods) == 1:
        return lambda: [methods[0].find(job.series)]
    return lambda: list(cls.sweep(job.series, methods))


def _timed(
    find: Callable[[], list[Any]], *, cold: bool
) -> tuple[list[Any], float, float]:
    """Return what was found, the seconds that it took, and those of the processor."""
    with _compile_seconds(cold=cold) as compiling:
        start, cpu_start = time.perf_counter(), time.process_time()
        found = find()
        seconds = time.perf_counter() - start
        cpu_seconds = time.process_time() - cpu_start
    compiled = sum(compiling)
    return found, max(seconds - compiled, 0.0), max(cpu_seconds - compiled, 0.0)


def _compile_seconds(*, cold: bool) -> AbstractContextManager[list[float]]:
    """Return a list that fills with compile times; stays empty without numba."""
    if not cold or "numba" not in sys.modules:
        return nullcontext([])
    from tsmdbench._kernels.compile_time import compile_seconds

    return compile_seconds()


def _lists(found: Any, series: NDArray[np.float64]) -> FoundLists:
    """Check what a method returned, and turn it into lists."""
    if isinstance(found, str | os.PathLike):  # elsewhere the name of a file
        raise InputTypeError(f"what the method returned is a text: {found!r}")
    sets = check_motif_sets(found, "what the method returned", n=len(series)).sets
    return [motifs.segments.tolist() for motifs in sets]


def _reset_peak() -> None:
    """Let the kernel begin a new peak; a system that cannot keeps the old one."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak() -> int:
    """Return the peak of resident memory in bytes."""
    return _memory("VmHWM")


def _memory(entry: str) -> int:
    """Return an entry of the kernel's report on this process, in bytes.

    Without such a report, on another system, the peak since the process began.
    """
    try:
        report = Path("/proc/self/status").read_bytes()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * KIB
    _, _, after = report.partition(f"{entry}:".encode())
    return int(after.split(None, 1)[0]) * KIB


def _die_with(parent: int) -> None:
    """End this process when its parent is gone, also in the middle of a kernel."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _silence() -> None:
    """Throw away what methods print or warn."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")


if __name__ == "__main__":
    # Classes that travel must be those of the importable module, not of __main__.
    from tsmdbench.experiments.execution import child

    child._die_with(int(sys.argv[2]))
    child._silence()
    child.serve(Connection(int(sys.argv[1])), int(sys.argv[3]))
