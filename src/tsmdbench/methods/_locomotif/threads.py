"""Threads that share the work on a range, and one that can be interrupted."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

NARROW = 1 << 10  # columns that are worth a thread of their own

T = TypeVar("T")
Check = Callable[[], None]


class Threads:
    """Do work for parts of a range at the same time; kernels release the GIL.

    Parameters
    ----------
    n_jobs : int
        Number of threads, at least 1.
    check : callable, optional
        Is called before each part; it may raise, to end the search.
    """

    def __init__(self, n_jobs: int, check: Check = lambda: None) -> None:
        self.n_jobs, self.check = n_jobs, check
        self.pool = ThreadPoolExecutor(n_jobs)  # starts a thread when it is needed

    def map(self, work: Callable[[int, int], T], edges: Sequence[int]) -> list[T]:
        """Return ``work(first, last)`` for neighbouring edges."""

        def checked(part: tuple[int, int]) -> T:
            self.check()
            return work(*part)

        parts = itertools.pairwise(edges)
        if self.n_jobs == 1 or len(edges) == 2:
            return [checked(part) for part in parts]
        return list(self.pool.map(checked, parts))

    def columns(self, work: Callable[[int, int], object], size: int) -> None:
        """Do the work for columns up to a size."""
        jobs = max(1, min(self.n_jobs, size // NARROW))
        self.map(work, [size * job // jobs for job in range(jobs + 1)])


def interruptible(work: Callable[[Check], T]) -> T:
    """Return ``work(check)``, which ends soon after an interrupt if it calls `check`.

    It is done in a thread of its own: in the main thread an interrupt may come while a
    kernel hands its result over, and what is raised then is not a KeyboardInterrupt.
    """
    interrupted = threading.Event()

    def check() -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(copy_context().run, work, check)
        try:
            return future.result()
        finally:
            interrupted.set()
