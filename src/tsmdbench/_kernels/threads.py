"""Threads that share the work of a kernel, and how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tsmdbench._kernels.progress import is_heard, tell

PARTS = 16  # of a walk that is listened to
ALL = -1  # as many threads as there are processors


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


def run_jobs(
    work: Callable[..., Any],
    arguments: tuple[Any, ...],
    n_jobs: int,
    merge: Callable[[Any, Any], Any],
) -> Any:
    """Call ``work(*arguments, first, step)`` in several threads and merge the results.

    The kernels release the GIL. See `thread_count` for `n_jobs`.
    """
    jobs = thread_count(n_jobs)
    if jobs == 1:
        return work(*arguments, 0, 1)
    with ThreadPoolExecutor(jobs) as pool:
        parts = [pool.submit(work, *arguments, job, jobs) for job in range(jobs)]
        results = [part.result() for part in parts]
    total = results[0]
    for result in results[1:]:
        total = merge(total, result)
    return total


def run_walk(
    work: Callable[..., Any],
    arguments: tuple[Any, ...],
    n_jobs: int,
    merge: Callable[[Any, Any], Any],
) -> Any:
    """As `run_jobs`, in parts between which the share of the work is told.

    Without a listener it is one part. Neither parts nor threads change the result:
    blocks of rows are computed by themselves.
    """
    if not is_heard():
        return run_jobs(work, arguments, n_jobs, merge)
    jobs = thread_count(n_jobs)
    total: Any = None
    with ThreadPoolExecutor(jobs) as pool:
        for part in range(PARTS):
            firsts = range(part * jobs, (part + 1) * jobs)
            tasks = [pool.submit(work, *arguments, f, jobs * PARTS) for f in firsts]
            for place, task in enumerate(tasks):
                one = task.result()
                total = one if part == place == 0 else merge(total, one)
            tell((part + 1) / PARTS)
    return total


def nothing(_a: object, _b: object) -> None:
    """Merge the results of jobs that have written theirs into a common array."""
