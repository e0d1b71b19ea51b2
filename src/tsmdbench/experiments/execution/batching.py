"""Put jobs into batches that are worth sending, and not more.

A batch has a fixed cost of some milliseconds: it is scheduled, sent and answered. It
is made as long as brings it to about `TARGET` seconds of work, by what the jobs of its
group took so far, so that the cost is lost in it also for runs of ten milliseconds. No
batch is so long that the work left could not be spread over all workers, and the first
ones of a group, about which nothing is known, have one job each.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tsmdbench.experiments.execution.plan import Group, Job
from tsmdbench.experiments.execution.worker import Batch, Results, Task

TARGET = 2.0  # seconds of work in a batch; what is lost when a worker dies
SHORTEST = 10  # part of that which a batch has also when little work is left
LARGEST = 500  # jobs in a batch
BYTES = 16 * 2**20  # samples in a batch
SPREAD = 4  # batches per worker that the work left should make at least
Label = tuple[Job, ...]


class Batcher:
    """Give out jobs in batches, in order, and learn from what they took."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = deque(jobs)
        self._spent: dict[Group, tuple[float, int]] = {}

    def next_batch(self, threads: int) -> tuple[Label, Batch] | None:
        """Return the next jobs and their batch; None when there are no more."""
        if not self._jobs:
            return None
        group = self._jobs[0].group
        count = self._size(group, threads)
        taken: list[Job] = []
        series: dict[int, NDArray[np.float64]] = {}
        size = 0
        while self._jobs and self._jobs[0].group is group and len(taken) < count:
            job = self._jobs.popleft()
            taken.append(job)
            if job.problem not in series:
                series[job.problem] = group.problems[job.problem].series
                size += series[job.problem].nbytes
            if size > BYTES:
                break
        return tuple(taken), _batch(taken, series)

    def _size(self, group: Group, threads: int) -> int:
        if group not in self._spent:
            return 1
        seconds, jobs = self._spent[group]
        worth = math.ceil(TARGET * jobs / max(seconds, 1e-9))
        fair = math.ceil(len(self._jobs) / (SPREAD * max(threads, 1)))
        return min(LARGEST, max(math.ceil(worth / SHORTEST), min(worth, fair)))

    def learn(self, label: Label, results: Results) -> None:
        """Remember what jobs took, without warming up."""
        spent = sum(o.seconds for outcomes in results.outcomes for o in outcomes)
        seconds, jobs = self._spent.get(label[0].group, (0.0, 0))
        self._spent[label[0].group] = seconds + spent, jobs + len(label)


def _batch(jobs: list[Job], series: dict[int, NDArray[np.float64]]) -> Batch:
    """Put each series into the batch once."""
    place = {problem: number for number, problem in enumerate(series)}
    tasks = tuple(
        Task(
            job.group.method.name,
            tuple(dict(job.group.settings[setting]) for setting in job.settings),
            place[job.problem],
        )
        for job in jobs
    )
    return Batch(tasks, tuple(series.values()))
