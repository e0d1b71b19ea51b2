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
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from tsmdbench.experiments.execution.job import Job, JobBatch
from tsmdbench.experiments.group import Group
from tsmdbench.experiments.specification import WHOLE, Shard
from tsmdbench.experiments.store.rows import Outcome

TARGET = 2.0  # seconds of work in a batch; what is lost when a worker dies
SHORTEST = 10  # part of that which a batch has also when little work is left
LARGEST = 500  # jobs in a batch
BYTES = 16 * 2**20  # samples in a batch
SPREAD = 4  # batches per worker that the work left should make at least
Kind = tuple[str, str, str]  # dataset, split, method: runs that take about as long


class Batcher:
    """Give out the missing runs of groups in batches, in order; learn what they take.

    Parameters
    ----------
    groups : sequence of Group
    done : set of str
        Keys of the runs that are not missing.
    shard : Shard
        Which part of the jobs to give out.

    Attributes
    ----------
    total, runs : int
        Number of runs of this part, and of those that are missing.
    """

    def __init__(
        self, groups: Sequence[Group], done: Set[str], shard: Shard = WHOLE
    ) -> None:
        jobs = [(group, *job) for group in groups for job in group.missing(frozenset())]
        mine = jobs[shard.number - 1 :: shard.total]
        self.total = sum(len(settings) for *_, settings in mine)
        missing = {
            (id(group), problem, setting)
            for group in groups
            for problem, settings in group.missing(done)
            for setting in settings
        }
        left = (
            (
                group,
                problem,
                tuple(s for s in settings if (id(group), problem, s) in missing),
            )
            for group, problem, settings in mine
        )
        self._left = deque(job for job in left if job[2])
        self._spent: dict[Kind, tuple[float, int]] = {}
        self.runs = sum(len(settings) for *_, settings in self._left)

    def next_batch(self, threads: int) -> JobBatch | None:
        """Return the next jobs, all of one group; None when there are no more."""
        if not self._left:
            return None
        group = self._left[0][0]
        count = self._size((group.dataset, group.split, group.method.name), threads)
        jobs: list[Job] = []
        series: dict[int, NDArray[np.float64]] = {}
        size = 0
        while self._left and self._left[0][0] is group and len(jobs) < count:
            _, problem, settings = self._left.popleft()
            if problem not in series:
                series[problem] = group.problems[problem].series
                size += series[problem].nbytes
            jobs.append(group.job(problem, settings, series[problem]))
            if size > BYTES:
                break
        return JobBatch(tuple(jobs))

    def _size(self, kind: Kind, threads: int) -> int:
        if kind not in self._spent:
            return 1
        seconds, jobs = self._spent[kind]
        worth = math.ceil(TARGET * jobs / max(seconds, 1e-9))
        fair = math.ceil(len(self._left) / (SPREAD * max(threads, 1)))
        return min(LARGEST, max(math.ceil(worth / SHORTEST), min(worth, fair)))

    def learn(self, batch: JobBatch, outcomes: Sequence[Sequence[Outcome]]) -> None:
        """Remember what jobs took, without warming up."""
        spent = sum(outcome.seconds for each in outcomes for outcome in each)
        run = batch.jobs[0].runs[0]
        kind = run.dataset, run.split, run.method
        seconds, jobs = self._spent.get(kind, (0.0, 0))
        self._spent[kind] = seconds + spent, jobs + len(batch.jobs)
