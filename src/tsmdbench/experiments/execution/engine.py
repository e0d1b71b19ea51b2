"""Hand batches to Dask and get outcomes back, on one machine or many.

By default a `LocalCluster`: one process per core, one thread each. With the address of
a scheduler the workers are those that it has, wherever they are. The rest is the same
code. Only so many batches are under way as keep the workers busy, so that problems are
made when they are needed; Dask gives them to idle workers.

What may die, and what then happens:

* a worker: Dask gives its batches to others, and the nanny starts a new one;
* all workers: the engine waits for new ones for `PATIENCE`, then gives up;
* the scheduler: the engine stops at once, with an error message.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

import dask
from distributed import Client, Future, KilledWorker, LocalCluster

from tsmdbench.errors import ExperimentError
from tsmdbench.experiments.execution.address import check_listening, no_scheduler
from tsmdbench.experiments.execution.job import JobBatch
from tsmdbench.experiments.execution.supervisor import AbandonedError
from tsmdbench.experiments.execution.worker import Supervision, run_batch
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.store.rows import Outcome

TICK = 0.5  # seconds after which the driver gets a chance to save and to report
AHEAD = 2  # batches per thread that are under way: one runs, one waits
PATIENCE = 300.0  # seconds without any worker
CONNECT = 15.0  # seconds for a scheduler to answer
CONFIG = {
    # Problems travel with their tasks, which is what this warns of.
    "distributed.admin.large-graph-warning-threshold": "4GiB",
    "distributed.scheduler.allowed-failures": 5,
    "distributed.worker.memory.terminate": False,
    "distributed.comm.timeouts.connect": f"{CONNECT:g}s",
}


Outcomes = list[list[Outcome]]  # of a batch: for each job one per setting


class Engine:
    """Workers, as a context.

    Parameters
    ----------
    limits : Limits
        Of every run.
    workers : int, optional
        Processes on this machine; by default one per core.
    scheduler : str, optional
        Address of a running Dask scheduler, instead of processes on this machine.
    """

    def __init__(
        self, limits: Limits, workers: int | None = None, scheduler: str | None = None
    ) -> None:
        self._plugin = Supervision(limits)
        self._workers = workers
        self._scheduler = scheduler
        self._stack = ExitStack()
        self._finished: queue.SimpleQueue[Future[Outcomes]] = queue.SimpleQueue()
        self._under_way: dict[Future[Outcomes], JobBatch] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(dask.config.set(CONFIG))
            self._client = stack.enter_context(self._connect(stack))
            self._register()
            self._stack = stack.pop_all()
        self._threads, self._counted = 0, -TICK
        self._last_seen = time.monotonic()
        return self

    def _register(self) -> None:
        try:
            self._client.register_plugin(self._plugin)
        except Exception as error:  # noqa: BLE001 (whatever a worker raises)
            raise _cannot_work(error) from None

    def _connect(self, stack: ExitStack) -> Client:
        if self._scheduler is None:
            cluster = stack.enter_context(
                LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=self._workers,
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=0,
                    dashboard_address="127.0.0.1:0",  # any free port: others may run
                    silence_logs=logging.CRITICAL,  # what matters we say ourselves
                )
            )
            return Client(cluster)  # type: ignore[no-untyped-call]
        try:
            check_listening(self._scheduler)
            return Client(  # type: ignore[no-untyped-call]
                self._scheduler, timeout=CONNECT, set_as_default=False
            )
        except ExperimentError:
            raise
        except Exception as error:  # noqa: BLE001 (a stranger may answer anything)
            raise no_scheduler(self._scheduler, str(error)) from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_connected():
            with suppress(OSError, TimeoutError):  # the scheduler may go just now
                self._client.cancel(list(self._under_way))
                self._client.unregister_worker_plugin(self._plugin.name)
        self._under_way.clear()
        self._stack.close()

    @property
    def threads(self) -> int:
        """Number of batches that can run at the same time, as of a moment ago."""
        now = time.monotonic()
        if now - self._counted > 4 * TICK:
            self._counted = now
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, TimeoutError):
                self._threads = 0
            if self._threads:
                self._last_seen = now
        return self._threads

    def stream(
        self, next_batch: Callable[[int], JobBatch | None]
    ) -> Iterator[tuple[JobBatch, Outcomes] | None]:
        """Yield batches that are done, and None at least every `TICK` seconds.

        Parameters
        ----------
        next_batch : callable
            Is given the number of threads, and returns a batch, or None when there are
            no more.
        """
        more = True
        while more or self._under_way:
            while more and len(self._under_way) < AHEAD * max(self.threads, 1):
                batch = next_batch(self.threads)
                more = batch is not None
                if batch is not None:
                    self._submit(batch)
            if self._under_way:
                yield self._next_done()

    def _submit(self, batch: JobBatch) -> None:
        self._check_connected()
        future = self._client.submit(run_batch, batch, self._plugin.name, pure=False)
        self._under_way[future] = batch
        future.add_done_callback(self._finished.put)

    def _next_done(self) -> tuple[JobBatch, Outcomes] | None:
        try:
            future = self._finished.get(timeout=TICK)
        except queue.Empty:
            self._check_alive()
            return None
        batch = self._under_way.pop(future)
        if future.status in ("cancelled", "lost"):
            self._check_connected()
            self._submit(batch)  # its worker went away without a trace
            return None
        try:
            outcomes: Outcomes = future.result()
        except KilledWorker as error:
            outcomes = _lost(batch, error)
        except AbandonedError:  # it was cancelled, and then wanted again
            self._submit(batch)
            return None
        except ExperimentError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a worker raises)
            self._check_connected()
            raise _cannot_work(error) from None
        return batch, outcomes

    def _check_alive(self) -> None:
        self._check_connected()
        if not self.threads and time.monotonic() - self._last_seen > PATIENCE:
            raise ExperimentError(
                f"there has been no worker for {PATIENCE:g} s; start some, then resume"
            )

    def _is_connected(self) -> bool:
        return bool(self._client.status == "running")

    def _check_connected(self) -> None:
        if not self._is_connected():
            where = self._scheduler or "of this machine"
            raise ExperimentError(
                f"the Dask scheduler {where} is gone; what was reported as done is "
                f"stored: start a scheduler, then resume"
            )


def _cannot_work(error: Exception) -> ExperimentError:
    return ExperimentError(
        f"a worker cannot do its work ({type(error).__name__}: {error}); is the same "
        f"version of tsmdbench installed on all of them? Fix it, then resume"
    )


def _lost(batch: JobBatch, error: KilledWorker) -> Outcomes:
    """Return outcomes for a batch whose workers died again and again."""
    outcome = Outcome("error", message=f"the workers that ran it died: {error}"[:500])
    return [[outcome] * len(job.settings) for job in batch.jobs]
