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

*Output.* What a method prints is thrown away: the channel and the terminal are not its.

*Input.* Every call gets an array of its own. A method that changes it has an error:
what it found may not be what it finds in the series.

*Results* are read inside the timing, so a method that computes while its result is read
is timed like others.

*Copies.* A copy of this process that a method forked and that returns from `find` ends
without an answer.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.experiments.execution.channel import Channel, accept_channel
from tsmdbench.experiments.execution.task import Task
from tsmdbench.experiments.store.rows import FoundLists, Outcome, storable
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import class_of
from tsmdbench.types import MotifSets
from tsmdbench.validation import check_motif_sets

REPEAT_BELOW = 30.0  # seconds; longer first runs are not made twice
PARENT_CHECK = 1.0  # seconds between looks at whether the parent lives
IDLE = 120.0  # seconds without a task after which the process ends itself
HIGHEST_HANDLE = 60_000  # of the channel; what writes to low numbers misses it
LONGEST_MESSAGE = 2000  # characters of an exception that are kept
FRAMES = 6  # of a traceback that are kept: the last ones
LONGEST_TRACEBACK = 2000  # characters of it
LONGEST_LINE = 160
KIB = 1024


@dataclass(frozen=True)
class Clock:
    """A run begins now; `cold` if it may compile."""

    cold: bool


READY = "ready"  # said once, when tasks can come
SWOLLEN = "swollen"  # said instead of an answer: this process keeps too much memory
Send = Callable[[Any], None]
Find = Callable[[NDArray[np.float64]], list[MotifSets]]


def serve(channel: Channel, most_at_rest: int, max_motifs: int, memory: int) -> None:
    """Do tasks until the other side is gone.

    They come as tuples, which are answered task by task without waiting in between. A
    request has the number of its first task; each answer has the number of its task.

    Parameters
    ----------
    channel : Channel
    most_at_rest : int
        Bytes that the process may keep after a task.
    max_motifs, memory : int
        See `tsmdbench.experiments.limits.Limits`. The supervisor watches the memory of
        this process; this one watches that of a runner in another environment.
    """
    warm: set[tuple[Any, ...]] = set()
    owner = os.getpid()

    def send(number: int, content: Any) -> None:
        if os.getpid() != owner:  # a copy that a method forked has nothing to say
            os._exit(1)
        channel.send(number, content)

    send(0, READY)
    while (request := channel.wait(IDLE)) is not None:
        tasks: tuple[Task, ...] = request.content
        for number, task in enumerate(tasks, start=request.request):
            tell = partial(send, number)
            tell(answer(task, warm, tell, max_motifs, memory))
            is_last = number == request.request + len(tasks) - 1
            if not is_last and _memory("VmRSS") > most_at_rest:
                send(number + 1, SWOLLEN)
                break


def method_of(task: Task) -> Any:
    """Return the class of a task's method, or what is called like one."""
    return _loaded(task.code) if task.code else class_of(METHODS[task.method])


@lru_cache(maxsize=64)
def _loaded(code: bytes) -> Any:
    """Return the object that `session.by_value` made bytes of, in the same call."""
    import cloudpickle

    return cloudpickle.loads(code)


def answer(
    task: Task,
    warm: set[tuple[Any, ...]],
    send: Send,
    max_motifs: int,
    memory: int,
    method_of: Callable[[Task], Any] = method_of,
) -> list[Outcome] | Outcome:
    """Return an outcome per setting, or the one outcome that all of them share."""
    try:
        if task.environment is not None:
            from tsmdbench.experiments.execution.elsewhere import find_elsewhere

            bounds = {"max_motifs": max_motifs, "memory": memory}
            return find_elsewhere(task, task.environment, send, **bounds)
        return _found(task, warm, send, max_motifs, method_of)
    except MemoryError as error:
        return Outcome("memory", peak_memory=_peak(), message=_described(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
        return Outcome(
            "error",
            peak_memory=_peak(),
            message=_described(error),
            traceback=_short_traceback(error, without=__file__),
        )


def _described(error: BaseException) -> str:
    """Return what an exception says, as text that can be stored."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 (the exception of a method may do anything)
        text = f"{type(error).__name__}, whose text cannot be read"
    return storable(text[:LONGEST_MESSAGE])


def _short_traceback(error: BaseException, without: str = "") -> str:
    """Return where an exception was raised, the innermost call last.

    Parameters
    ----------
    error : BaseException
    without : str
        A file whose calls are left out: that of whoever called the method.

    Returns
    -------
    str
        A line per call, ``module.py:12 in find: return x / 0``, with the file relative
        to where it was imported from; empty where nothing else than `without` raised.
    """
    try:
        every = traceback.extract_tb(error.__traceback__)
    except Exception:  # noqa: BLE001 (source files may be anything)
        return ""
    calls = [call for call in every if call.filename != without]
    lines = [_line(call) for call in calls[-FRAMES:]]
    if len(calls) > FRAMES:
        lines.insert(0, f"... {len(calls) - FRAMES} calls before")
    return storable("\n".join(lines)[-LONGEST_TRACEBACK:])


def _line(call: traceback.FrameSummary) -> str:
    source = " ".join((call.line or "").split())
    text = f"{_short_name(call.filename)}:{call.lineno} in {call.name}"
    return f"{text}{': ' * bool(source)}{source}"[:LONGEST_LINE]


def _short_name(filename: str) -> str:
    """Return a file without the folder that it was imported from."""
    file = Path(filename)
    folders = (Path(entry) for entry in sys.path if entry)
    inside = [file.relative_to(f) for f in folders if file.is_relative_to(f)]
    return str(min(inside, key=lambda name: len(name.parts), default=file.name))


def _found(
    task: Task,
    warm: set[tuple[Any, ...]],
    send: Send,
    max_motifs: int,
    method_of: Callable[[Task], Any],
) -> list[Outcome]:
    kind = (task.method, task.series.ndim, len(task.settings) > 1)
    cold = kind not in warm
    if cold:
        send(Clock(cold=True))  # importing is part of warming up
    find = _finder(task, method_of(task))
    _reset_peak()
    sets, *spent = _timed(find, task.series, cold=cold)
    if cold:
        warm.add(kind)
        if spent[0] < REPEAT_BELOW:
            send(Clock(cold=False))
            sets, *spent = _timed(find, task.series, cold=False)
    number, peak = len(task.settings), _peak()
    if len(sets) != number:
        raise InputError(f"sweep returned {len(sets)} results for {number} settings")
    seconds, cpu_seconds = (each / number for each in spent)
    return [
        Outcome("ok", seconds, cpu_seconds, peak, number, lists_of(found, max_motifs))
        for found in sets
    ]


def _finder(task: Task, cls: Any) -> Find:
    """Make the methods, so that a wrong setting is an error before the clock runs."""
    methods = [cls(**setting) for setting in task.settings]
    n = len(task.series)
    if len(methods) == 1:
        return lambda series: [read_found(methods[0].find(series), n)]
    return lambda series: [read_found(found, n) for found in cls.sweep(series, methods)]


def read_found(found: Any, n: int) -> MotifSets:
    """Check what a method returned, which may compute it only now."""
    if isinstance(found, str | os.PathLike):  # elsewhere the name of a file
        raise InputTypeError(f"the method returned a string: {found!r}")
    return check_motif_sets(found, "what the method returned", n=n)


def _timed(
    find: Find, series: NDArray[np.float64], *, cold: bool
) -> tuple[list[MotifSets], float, float]:
    """Return what was found, the seconds that it took, and those of the processor."""
    given = series.copy()
    with _compile_seconds(cold=cold) as compiling:
        start, cpu_start = time.perf_counter(), time.process_time()
        found = find(given)
        seconds = time.perf_counter() - start
        cpu_seconds = time.process_time() - cpu_start
    if not _is_same(given, series):
        raise InputError(
            "the method changed the series that it was given; it must work on a copy"
        )
    compiled = sum(compiling)
    return found, max(seconds - compiled, 0.0), max(cpu_seconds - compiled, 0.0)


def _compile_seconds(*, cold: bool) -> AbstractContextManager[list[float]]:
    """Return a list that fills with compile times; stays empty without numba."""
    if not cold or "numba" not in sys.modules:
        return nullcontext([])
    from tsmdbench._kernels.compile_time import compile_seconds

    return compile_seconds()


def _is_same(given: NDArray[Any], series: NDArray[np.float64]) -> bool:
    """Tell whether an array still has the shape and the bytes that it had."""
    if given.shape != series.shape or given.dtype != series.dtype:
        return False
    return bool(np.array_equal(given.view(np.uint64), series.view(np.uint64)))


def lists_of(found: MotifSets, max_motifs: int) -> FoundLists:
    """Turn motif sets into lists, unless they are too many to be stored."""
    count = len(found.sets) + int(found.sizes.sum())
    if count > max_motifs:
        raise InputError(
            f"the method returned {len(found.sets)} sets with {found.sizes.sum()} "
            f"motifs, more than the limit of {max_motifs} (--max-motifs)"
        )
    return [motifs.segments.tolist() for motifs in found.sets]


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


def _own_channel(handle: int) -> Channel:
    """Take the channel out of a method's reach.

    It gets a high file descriptor that no process inherits; the numbers that methods
    may know lead nowhere. A forked copy does not have it.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = min(soft if soft > 0 else HIGHEST_HANDLE, HIGHEST_HANDLE) - KIB // 64
    high = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, max(lowest, 3))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in {0, 1, 2, handle}:
        os.dup2(nowhere, number, inheritable=number != handle)
    channel = accept_channel(socket.socket(fileno=high))
    os.register_at_fork(after_in_child=channel.close)
    return channel


def main(
    handle: int, parent: int, most_at_rest: int, max_motifs: int, memory: int
) -> None:
    """Serve the process that started this one."""
    _die_with(parent)
    warnings.simplefilter("ignore")
    try:
        serve(_own_channel(handle), most_at_rest, max_motifs, memory)
    except (EOFError, OSError):
        os._exit(1)  # the other side is gone, or a method closed our end


if __name__ == "__main__":
    # Classes that travel must be those of the importable module, not of __main__.
    from tsmdbench.experiments.execution import child

    child.main(*map(int, sys.argv[1:]))
