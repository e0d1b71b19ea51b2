"""What a Dask worker does: run a batch of jobs under supervision.

Batches travel to the worker and outcomes travel back; the worker needs no disk and
writes nothing. Each of its threads has a supervisor with a process that computes. The
plugin keeps them from batch to batch and ends them with the worker. A batch that nobody
waits for any more, since the driver is gone, is ended too.
"""

from __future__ import annotations

import queue
import uuid
from collections.abc import Callable
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from tsmdbench.experiments.execution.job import JobBatch
from tsmdbench.experiments.execution.supervisor import AbandonedError, Supervisor
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.store.rows import Outcome


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

    def run(
        self, batch: JobBatch, is_wanted: Callable[[], bool]
    ) -> list[list[Outcome]]:
        """Run a batch with an idle supervisor, or a new one."""
        try:
            supervisor = self._idle.get_nowait()
        except queue.Empty:
            supervisor = Supervisor(self._limits)
        supervisor.is_wanted = is_wanted
        try:
            return supervisor.run(batch.jobs)
        except AbandonedError:
            supervisor.stop()
            raise
        finally:
            self._idle.put(supervisor)
            if self._over:  # the experiment went away while this batch ran
                self.teardown(get_worker())


def run_batch(batch: JobBatch, plugin: str) -> list[list[Outcome]]:
    """Run a batch on the worker that this is called on: a list of outcomes per job."""
    worker = get_worker()
    supervision: Any = worker.plugins[plugin]
    key = worker.get_current_task()

    def is_wanted() -> bool:
        """Whether the driver lives: the scheduler cancels what nobody waits for."""
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    outcomes: list[list[Outcome]] = supervision.run(batch, is_wanted)
    return outcomes
