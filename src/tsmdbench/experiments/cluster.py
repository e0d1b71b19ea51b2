"""The engine of a Dask cluster, by the address of its scheduler; and its workers' part.

Batches travel to the workers and outcomes travel back; a worker needs no disk and
writes nothing. Each of its threads has a supervisor with a process that computes. A
plugin keeps them from batch to batch and ends them with the worker. A batch is
ended, too, when the driver is gone. Only as many batches are under way as keep the
workers busy, so that problems are made when they are needed; Dask gives them to idle
workers.

What may die, and what then happens:

* a worker: Dask gives its batches to others, and its nanny starts a new one;
* all workers: the engine waits for new ones for `PATIENCE`, then gives up;
* the scheduler: the engine stops at once, with an error message.
"""

from __future__ import annotations

import logging
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

import dask
from distributed import (
    Client,
    Future,
    KilledWorker,
    Worker,
    WorkerPlugin,
    get_worker,
)
from distributed.comm.core import CommClosedError

from tsmdbench.errors import ExperimentError, InputError
from tsmdbench.experiments.engine import (
    TICK,
    AbandonedError,
    Batch,
    Engine,
    Outcomes,
    Supervisors,
)
from tsmdbench.experiments.rows import KILLED, Outcome
from tsmdbench.experiments.specification import Limits

SCHEMES = ("tcp", "tls", "ws", "wss")
LISTEN = 5.0  # seconds to wait for an answer at an address
CONNECT = 15.0  # seconds for a scheduler to answer
GATHER = 30.0  # seconds for outcomes to come from a worker
PATIENCE = 300.0  # seconds without any worker
CONFIG = {
    # Problems travel with their tasks, which is what this warns of.
    "distributed.admin.large-graph-warning-threshold": "4GiB",
    "distributed.comm.timeouts.connect": f"{CONNECT:g}s",
}


def check_address(address: str) -> tuple[str, int]:
    """Return host and port of an address; `InputError` if it is not one.

    >>> check_address("tcp://10.0.0.7:8786"), check_address("localhost:8786")
    (('10.0.0.7', 8786), ('localhost', 8786))
    """
    whole = address if "://" in address else f"tcp://{address}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    plain = address.isascii() and not any(map(str.isspace, address))
    if not (plain and host and port and parts.scheme in SCHEMES):
        raise InputError(
            f"the address of a scheduler must be written like tcp://host:8786, got "
            f"{address!r}"
        )
    return host, port


class ClusterEngine(Engine):
    """The workers of a running Dask scheduler, which is given by its address."""

    def __init__(self, limits: Limits, scheduler: str) -> None:
        super().__init__()
        self._plugin = Supervision(limits)
        self._scheduler = scheduler
        self._threads, self._counted = 0, -float("inf")
        self._last_seen = time.monotonic()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            # Dask reports every lost connection; what matters we say ourselves.
            for name in ("distributed", "tornado", "asyncio"):
                logger = logging.getLogger(name)
                stack.callback(logger.setLevel, logger.level)
                logger.setLevel(logging.CRITICAL)
            stack.enter_context(dask.config.set(CONFIG))
            try:
                socket.create_connection(check_address(self._scheduler), LISTEN).close()
                self._client: Any = Client(  # type: ignore[no-untyped-call]
                    self._scheduler, timeout=CONNECT, set_as_default=False
                )
            except Exception as error:  # noqa: BLE001 (any program may answer)
                raise ExperimentError(
                    f"no Dask scheduler answers at {self._scheduler!r} ({error}); "
                    f"start one with 'dask scheduler', or use this machine, without "
                    f"--scheduler"
                ) from None
            stack.enter_context(self._client)
            with self._explaining():
                self._client.register_plugin(self._plugin)
            self.callback(stack.pop_all().close)
            self.callback(self._cancel)
        self._last_seen = time.monotonic()
        return self

    def _cancel(self) -> None:
        """End what is under way, and the supervisors of this experiment."""
        if self._client.status == "running":
            with suppress(OSError, TimeoutError):  # the scheduler may go just now
                self._client.cancel(list(self.under_way))
                self._client.unregister_worker_plugin(self._plugin.name)
        self.under_way.clear()

    def workers(self) -> int:
        """Return the number of threads of all workers as of a moment ago, or 1."""
        now = time.monotonic()
        if now - self._counted > 4 * TICK:
            self._counted, self._threads = now, 0
            with suppress(OSError, TimeoutError):
                self._threads = sum(self._client.nthreads().values())
            if self._threads:
                self._last_seen = now
        return max(self._threads, 1)

    def submit(self, batch: Batch) -> Future[Outcomes]:
        """Send a batch to the scheduler, which finds a worker for it."""
        self._check_connected()
        # Dask would look into an argument, and send each task by itself; so a series
        # that several of them share travels once.
        work = partial(run_batch, batch, self._plugin.name)
        future: Future[Outcomes] = self._client.submit(work, pure=False)
        return future

    def result(self, future: Future[Outcomes], batch: Batch) -> Outcomes | None:
        """Return the outcomes of a batch; None if it must be sent again."""
        if future.status in ("cancelled", "lost"):
            self._check_connected()
            return None  # its worker went away without a trace
        with self._explaining():
            try:
                return future.result(timeout=GATHER)
            except TimeoutError:  # the connection is slow, or the worker went away
                self.check()
                again = future.status == "finished"
                return self.result(future, batch) if again else None
            except KilledWorker as error:
                said = f"the workers that ran it died: {error}"[:500]
                lost = Outcome(KILLED, message=said)
                return [[lost] * len(task.settings) for task in batch]
            except AbandonedError:  # it was cancelled, and then wanted again
                return None

    def check(self) -> None:
        """Raise if the scheduler is gone, or no worker has been there for long."""
        self._check_connected()
        self.workers()
        if not self._threads and time.monotonic() - self._last_seen > PATIENCE:
            raise ExperimentError(
                f"there has been no worker for {PATIENCE:g} s; start some, then resume"
            )

    def _check_connected(self, *, connected: bool = True) -> None:
        if self._client.status != "running" or not connected:
            raise ExperimentError(
                f"the Dask scheduler {self._scheduler} is gone; what was reported as "
                f"done is stored: start a scheduler, then resume"
            )

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise `ExperimentError` for whatever a worker raises."""
        try:
            yield
        except ExperimentError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a worker raises)
            # A connection may be closed before the client has noticed.
            self._check_connected(connected=not isinstance(error, CommClosedError))
            raise ExperimentError(
                f"a worker cannot do its work ({type(error).__name__}: {error}); is "
                f"the same version of tsmdbench installed on all of them? Fix it, then "
                f"resume"
            ) from None


class Supervision(WorkerPlugin):
    """The supervisors of a worker; each experiment has its own, by its name."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.name = f"tsmdbench-{uuid.uuid4().hex}"

    def setup(self, worker: Worker) -> None:  # noqa: ARG002 (Dask's signature)
        """Begin with none: a supervisor is made by the first batch."""
        self.supervisors = Supervisors(self._limits)

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002
        """End the processes that compute, or see to it that they end."""
        self.supervisors.stop()


def run_batch(batch: Batch, plugin: str) -> Outcomes:
    """Run a batch on the worker that this is called on."""
    worker = get_worker()
    supervision: Any = worker.plugins[plugin]
    key = worker.get_current_task()

    def is_wanted() -> bool:
        """Return True if the driver lives: the scheduler cancels abandoned batches."""
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    outcomes: Outcomes = supervision.supervisors.run(batch, is_wanted)
    return outcomes
