"""Run jobs in the calling process: for debugging, and for runs too short to send.

What a method prints is seen, a breakpoint stops in it, and Ctrl-C ends it. Time and
memory are measured as elsewhere, but no limit can end a run, and a method that crashes
takes the session with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from tsmdbench.experiments.execution import child
from tsmdbench.experiments.execution.job import Job, JobBatch
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.method_info import Described
from tsmdbench.experiments.store.rows import Outcome


class InProcess:
    """The engine without workers, as a context.

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def stream(
        self, next_batch: Callable[[int], JobBatch | None]
    ) -> Iterator[tuple[JobBatch, list[list[Outcome]]] | None]:
        """Yield batches that are done, one after the other."""
        while (batch := next_batch(1)) is not None:
            yield batch, [self._outcomes(job) for job in batch.jobs]

    def _outcomes(self, job: Job) -> list[Outcome]:
        """Return an outcome per setting; a sweep that fails is tried by halves."""
        answer = child.answer(
            job,
            self._warm,
            lambda _: None,
            self._limits.max_motifs,
            self._limits.memory,
            self._method_of,
        )
        if isinstance(answer, list):
            return answer
        if len(job.settings) == 1:
            return [answer]
        return [outcome for half in job.halves() for outcome in self._outcomes(half)]

    def _method_of(self, job: Job) -> Any:
        known = self._session.get(job.method)
        return child.method_of(job) if known is None else known.cls
