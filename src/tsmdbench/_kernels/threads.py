"""Threads that share the work of a kernel, and that an interrupt ends.

Python notices an interrupt (Ctrl-C, SIGTERM) between two calls only, and in the main
thread only. So a kernel that may take longer than a second runs in threads of its own
(`run_walk`), while the main thread waits: it is interrupted there, sets a signal that
the kernel reads after every few rows, and the threads end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar, copy_context
from types import TracebackType
from typing import Any

import numpy as np

from tsmdbench._kernels.progress import report_progress

ALL = -1  # as many threads as there are processors
SOON = 2e7  # cells of a distance matrix that take less time than a person notices
EVERY = 0.1  # seconds after which a thread that waits looks up
STOP, DONE = range(2)  # of a signal


def thread_count(n_jobs: int) -> int:
    """Return the number of threads that `n_jobs` stands for.

    -1 stands for the processors that this process may use: `taskset`, containers and
    batch systems may leave it fewer than the machine has.
    """
    if n_jobs != ALL:
        return n_jobs
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class StoppedError(Exception):
    """Ends a thread whose pool was interrupted; never seen outside the pool."""


class Threads(ThreadPoolExecutor):
    """A pool that ends soon after an interrupt or an error in its ``with`` block.

    Tasks that have not begun are dropped. Those that have begun end at their next
    `check_stop`; a walk (`run_walk`) calls it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self._outer = _pool.get()  # of the thread that starts this pool
        self._stopped = False

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        """Run a function in a thread of this pool, in a copy of the context.

        So the listener of the caller gets the fraction done.
        """
        return super().submit(copy_context().run, self._run, fn, *args, **kwargs)

    def _run(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        _pool.set(self)
        return fn(*args, **kwargs)

    @property
    def is_stopped(self) -> bool:
        """True after an interrupt of this pool, or of the one it was started in."""
        return self._stopped or (self._outer is not None and self._outer.is_stopped)

    def results(
        self, tasks: Sequence[Future[Any]], meanwhile: Callable[[], None] | None = None
    ) -> list[Any]:
        """Return the results of tasks; `meanwhile` is called now and then.

        Waits a short time only and looks up in between. The system may deliver a signal
        to any thread of the process: Python raises KeyboardInterrupt in the main
        thread, but only once that does something, and a wait without a limit would last
        until the tasks are done.
        """
        while (waited := wait(tasks, EVERY, FIRST_EXCEPTION)).not_done:
            for task in waited.done:
                task.result()
            check_stop()
            if meanwhile is not None:
                meanwhile()
        return [task.result() for task in tasks]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped = kind is not None
        self.shutdown(wait=True, cancel_futures=self._stopped)


_pool: ContextVar[Threads | None] = ContextVar("pool", default=None)


def check_stop() -> None:
    """Raise if the pool of this thread was interrupted."""
    pool = _pool.get()
    if pool is not None and pool.is_stopped:
        raise StoppedError


def run_walk(
    work: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    blocks: int,
    cells: float,
) -> None:
    """Call ``work(*arguments[job], signal, job, jobs)``, one thread for each job.

    Job and jobs are the first block and the step: of n threads, each does every n-th
    block. The fraction done is reported meanwhile.

    Parameters
    ----------
    work : callable
        A kernel that writes into its arguments. It returns soon after ``signal[STOP]``
        is not 0, and adds 1 to ``signal[DONE]`` after every block.
    arguments : sequence of tuple
        One entry per thread; the same one if the blocks write to different places.
    blocks : int
    cells : float
        Work of a block, about 1e9 of which take a second.
    """
    jobs = len(arguments)
    signals = np.zeros((jobs, 2), np.int64)
    if jobs == 1 and blocks * cells < SOON:
        work(*arguments[0], signals[0], 0, 1)
        report_progress(1.0)
        return
    # No block at all: compiles the kernel here, where an interrupt is noticed.
    work(*arguments[0], signals[0], blocks, 1)
    with Threads(jobs) as pool:
        tasks = [
            pool.submit(work, *arguments[job], signals[job], job, jobs)
            for job in range(jobs)
        ]
        try:
            pool.results(
                tasks, lambda: report_progress(int(signals[:, DONE].sum()) / blocks)
            )
        except BaseException:
            signals[:, STOP] = 1
            raise
    report_progress(1.0)
