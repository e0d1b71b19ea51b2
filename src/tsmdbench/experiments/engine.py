"""Do batches of tasks on this machine, and get outcomes back.

`LocalEngine` has as many threads as runs can go on at the same time. Each thread
watches over one process that computes (`supervisor`); no other process is started, and
nothing of the calling program is imported again. `InProcess` calls the methods in the
calling process, for a debugger. `cluster` has the engine of a Dask cluster.
All three are contexts with one method, `stream`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, Self

from tsmdbench.experiments import child
from tsmdbench.experiments.method_info import Described
from tsmdbench.experiments.rows import Outcome
from tsmdbench.experiments.specification import Limits
from tsmdbench.experiments.supervisor import (
    AbandonedError,
    Supervisor,
    failed,
    outcomes_of,
)
from tsmdbench.experiments.tasks import Task
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import class_of

TICK = 0.5  # seconds after which the driver gets a chance to save and to report
AHEAD = 2  # batches per worker that are under way: one runs, one waits

Outcomes = list[list[Outcome]]  # of a batch: for each task one per setting
Batch = tuple[Task, ...]  # that are done one after the other
NextBatch = Callable[[int], Batch | None]


class Engine(Protocol):
    """What does batches, as a context."""

    def __enter__(self) -> Self:
        """Make the engine ready."""

    def __exit__(self, *error: Any) -> None:
        """End all runs that are under way."""

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, and None at least every `TICK` seconds.

        Parameters
        ----------
        next_batch : callable
            Is given the number of workers, and returns a batch, or None when there are
            no more.
        """


class LocalEngine:
    """Processes of this machine.

    Parameters
    ----------
    limits : Limits
        Of every run.
    workers : int, optional
        Runs at the same time; by default one per core.
    """

    def __init__(self, limits: Limits, workers: int | None = None) -> None:
        from dask.system import CPU_COUNT  # knows the share of a container

        self._limits = limits
        self._over = threading.Event()
        self._waiting: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[tuple[Batch, Outcomes] | Exception]
        self._finished = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(CPU_COUNT if workers is None else workers)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._over.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        """Do batches one after the other, until the engine is left."""
        supervisor = Supervisor(self._limits, lambda: not self._over.is_set())
        try:
            while (batch := self._waiting.get()) is not None:
                self._finished.put((batch, supervisor.run(batch)))
        except AbandonedError:
            pass  # the engine is being left
        except Exception as error:  # noqa: BLE001 (raised by `stream`)
            self._finished.put(error)
        finally:
            supervisor.stop()

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, see `Engine`."""
        workers, under_way, more = len(self._threads), 0, True
        while more or under_way:
            while more and under_way < AHEAD * workers:
                batch = next_batch(workers)
                more = batch is not None
                if batch is not None:
                    self._waiting.put(batch)
                    under_way += 1
            if under_way:
                try:
                    done = self._finished.get(timeout=TICK)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(done, Exception):
                    raise done
                under_way -= 1
                yield done


class InProcess:
    """The calling process.

    What a method prints is seen, a breakpoint stops in it, and Ctrl-C ends it. Time and
    memory are measured as elsewhere, but no limit can end a run, and a method that
    crashes takes the session with it.

    Parameters
    ----------
    limits : Limits
        Only that on the number of motifs holds.
    session : mapping
        Methods that are objects of the session, by name; they are used as they are.
    """

    def __init__(self, limits: Limits, session: Mapping[str, Described]) -> None:
        self._limits = limits
        self._session = session
        self._warm: set[tuple[Any, ...]] = set()
        self._elsewhere = Supervisor(limits)  # other environments are never here

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._elsewhere.stop()

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, one after the other."""
        while (batch := next_batch(1)) is not None:
            yield batch, [self._outcomes(task) for task in batch]

    def _outcomes(self, task: Task) -> list[Outcome]:
        """Return an outcome per setting; a sweep that fails is tried by halves."""
        if task.environment is not None:
            return self._elsewhere.run([task])[0]
        kind = (task.method, task.series.ndim, len(task.settings) > 1)
        try:
            answer = child.find(
                lambda: self._method(task.method),
                list(task.settings),
                task.series,
                cold=kind not in self._warm,
                clock=lambda _: None,
                read=child.read_ours,
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
            found = failed({**child.failure(error), **child.memory()})
            if len(task.settings) == 1:
                return [found]
            return [one for half in task.halves() for one in self._outcomes(half)]
        self._warm.add(kind)
        answer |= {"ok": True, **child.memory()}
        outcomes = outcomes_of(answer, task, self._limits.max_motifs)
        return outcomes if isinstance(outcomes, list) else [outcomes]

    def _method(self, name: str) -> Any:
        known = self._session.get(name)
        return class_of(METHODS[name]) if known is None else known.cls
