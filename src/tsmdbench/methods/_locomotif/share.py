"""Threads that share the work on a strip."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

NARROW = 1 << 10  # columns that are worth a thread of their own

T = TypeVar("T")


class Share:
    """Do work for parts of a range at the same time.

    Parameters
    ----------
    n_jobs : int
        Number of threads, at least 1. Close `pool` in the end.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.pool = ThreadPoolExecutor(n_jobs)

    def __call__(
        self, work: Callable[[int, int], T], size: int, least: int | None = None
    ) -> list[T]:
        """Return ``work(first, last)`` for parts of range(size)."""
        jobs = max(1, min(self.n_jobs, size // (least or NARROW)))
        if jobs == 1:
            return [work(0, size)]
        edges = [size * job // jobs for job in range(jobs + 1)]
        return list(self.pool.map(lambda part: work(*part), itertools.pairwise(edges)))
