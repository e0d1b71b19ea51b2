"""Threads that share the work of a kernel."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_jobs(
    work: Callable[..., Any],
    arguments: tuple[Any, ...],
    n_jobs: int,
    merge: Callable[[Any, Any], Any],
) -> Any:
    """Call ``work(*arguments, first, step)`` in `n_jobs` threads and merge the results.

    The kernels release the GIL. -1 means one thread per processor.
    """
    jobs = (os.cpu_count() or 1) if n_jobs == -1 else n_jobs
    if jobs == 1:
        return work(*arguments, 0, 1)
    with ThreadPoolExecutor(jobs) as pool:
        parts = [pool.submit(work, *arguments, job, jobs) for job in range(jobs)]
        results = [part.result() for part in parts]
    total = results[0]
    for result in results[1:]:
        total = merge(total, result)
    return total


def nothing(_a: object, _b: object) -> None:
    """Merge the results of jobs that have written theirs into a common array."""
