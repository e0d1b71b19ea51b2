"""What a Dask worker does: run a batch of tasks under supervision.

Batches travel to the worker and outcomes travel back; the worker needs no disk and
writes nothing. Each of its threads has a supervisor with a process that computes. The
plugin keeps them from batch to batch and ends them with the worker.
"""

from __future__ import annotations

import queue
import time
import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np
from distributed import Worker, WorkerPlugin, get_worker
from numpy.typing import NDArray

from tsmdbench.experiments.execution.child import Request
from tsmdbench.experiments.execution.supervisor import Supervisor
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.store.rows import Outcome


@dataclass(frozen=True)
class Task:
    """One or more settings of a method on one problem, which are found together."""

    method: str
    settings: tuple[dict[str, Any], ...]
    problem: int  # position in the batch's series


@dataclass(frozen=True)
class Batch:
    """Tasks that travel together, and each series that they need once."""

    tasks: tuple[Task, ...]
    series: tuple[NDArray[np.float64], ...]


@dataclass(frozen=True)
class Results:
    """Outcomes of a batch: for each task one per setting; and what it took."""

    outcomes: list[list[Outcome]]
    seconds: float


class Supervision(WorkerPlugin):
    """Hold the supervisors of one worker.

    Its name is its own, so that several experiments can use the same workers.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.name = f"tsmdbench-{uuid.uuid4().hex}"

    def setup(self, worker: Worker) -> None:  # noqa: ARG002 (Dask's signature)
        """Begin with none: a supervisor is made by the first batch."""
        self._idle: queue.SimpleQueue[Supervisor] = queue.SimpleQueue()
        self._over = False

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002
        """End the processes that compute, or see to it that they end."""
        self._over = True
        while not self._idle.empty():
            self._idle.get().stop()

    def run(self, batch: Batch) -> Results:
        """Run a batch with an idle supervisor, or a new one."""
        try:
            supervisor = self._idle.get_nowait()
        except queue.Empty:
            supervisor = Supervisor(self._limits)
        try:
            start = time.perf_counter()
            outcomes = supervisor.run(
                [
                    Request(task.method, task.settings, batch.series[task.problem])
                    for task in batch.tasks
                ]
            )
            return Results(outcomes, time.perf_counter() - start)
        finally:
            self._idle.put(supervisor)
            if self._over:  # the experiment went away while this batch ran
                self.teardown(get_worker())


def run_batch(batch: Batch, plugin: str) -> Results:
    """Run a batch on the worker that this is called on."""
    supervision: Any = get_worker().plugins[plugin]
    results: Results = supervision.run(batch)
    return results
