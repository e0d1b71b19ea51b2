"""The driver: keep an engine busy and a store filled, until nothing is missing.

It is the only one that writes. Rows are stored about every `FLUSH` seconds, and only
then reported as done, so a driver that is killed at any moment has lost nothing that it
reported; a resumed run does what is missing and nothing twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from tsmdbench.errors import ExperimentError, StoreError
from tsmdbench.experiments.execution.engine import Batch, Engine, Outcomes
from tsmdbench.experiments.execution.supervisor import ATTEMPTS, KILLED
from tsmdbench.experiments.progress import CompileWatch, Progress, Summary
from tsmdbench.experiments.specification import WHOLE, Shard
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.store.rows import run_keys
from tsmdbench.experiments.tasks import Batcher, Group
from tsmdbench.experiments.tune import TUNED, Surface, surface_of, tuned_toml
from tsmdbench.plural import counted

FLUSH = 2.0  # seconds between parts; a killed driver loses no more than that
ROWS = 20_000  # rows that are not kept waiting


class Driver:
    """Do groups of runs, as a context.

    Parameters
    ----------
    writer : StoreWriter
    told : Progress
    engine : callable
        Makes the engine, when the first run is to be done.
    force : bool
        Do also what is in the store, and forget what it came to before.
    shard : Shard
        Which part of the runs to do.
    """

    def __init__(
        self,
        writer: StoreWriter,
        told: Progress,
        engine: Callable[[], Engine],
        *,
        force: bool = False,
        shard: Shard = WHOLE,
    ) -> None:
        self._writer = writer
        self._told = told
        self._make_engine = engine
        self._engine: Engine | None = None
        self._force = force
        self._shard = shard
        self._renewed: set[str] = set()  # runs of this session are not forgotten
        self._lost: list[str] = []  # why runs have no result
        self._stack = ExitStack()
        self.summary = Summary(str(Path(writer.path)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def tune(self, groups: Sequence[Group]) -> list[Surface] | None:
        """Do the searches, store their surfaces, and return them.

        None where runs of other shards are missing.
        """
        self.do("search", groups)
        if any(group.missing(self._writer.done) for group in groups):
            return None
        store = Store(self._writer.path)
        surfaces = [surface_of(store, group) for group in groups]
        for surface in surfaces:
            self._writer.write_file(surface.file, surface.to_parquet())
        if surfaces:
            file = self._writer.path / TUNED
            before = file.read_text("utf-8") if file.exists() else ""
            self._writer.write_file(TUNED, tuned_toml(surfaces, before).encode())
        return surfaces

    def do(self, title: str, groups: Sequence[Group]) -> None:
        """Do all runs of some groups that are not in the store."""
        if not groups:
            return
        if self._force:
            self._forget(groups)
        batcher = Batcher(groups, self._writer.done, self._shard)
        stored = batcher.total - batcher.runs
        self.summary.planned += batcher.total
        self.summary.skipped += stored
        self._told.begin(title, batcher.total, stored)
        try:
            if batcher.runs:
                self._work(batcher)
        finally:
            self._told.end()

    def _forget(self, groups: Sequence[Group]) -> None:
        """Take what groups came to before out of the store."""
        done = self._writer.done
        stored = {
            key
            for group in groups
            for keys in group.stored_keys(done)
            for key in keys
            if key is not None
        }
        old = stored - self._renewed
        if old:
            self._writer.forget({"key": sorted(old)})
        for group in groups:
            for run in group.runs:
                self._renewed.update(run_keys(run, group.names, group.digests))

    def _work(self, batcher: Batcher) -> None:
        if self._engine is None:
            self._engine = self._make_engine()
            self._stack.enter_context(self._engine)
        waiting: list[str] = []
        compiling = CompileWatch(self._told)
        flushed = time.monotonic()
        try:
            for done in self._engine.stream(batcher.next_batch):
                if done is not None:
                    batcher.learn(*done)
                    waiting += self._add(*done)
                if time.monotonic() - flushed > FLUSH or len(waiting) > ROWS:
                    waiting = self._store(waiting)
                    compiling.look()
                    flushed = time.monotonic()
        except StoreError:
            raise
        except (ExperimentError, KeyboardInterrupt):
            self._store(waiting)  # whatever is gone, what came back is kept
            raise
        self._store(waiting)
        if self._lost:
            raise ExperimentError(
                f"{counted(len(self._lost), 'run')} could not be completed: "
                f"{self._lost[-1]} in {ATTEMPTS} attempts. Was it ended by somebody, "
                f"or by the system for lack of memory? Then resume; all other runs are "
                f"stored"
            )

    def _add(self, batch: Batch, outcomes: Outcomes) -> list[str]:
        """Give the rows of a batch to the writer; return their statuses."""
        statuses = []
        for task, each in zip(batch, outcomes, strict=True):
            for run, outcome in zip(task.runs, each, strict=True):
                if outcome.status == KILLED:  # by whom, the method cannot know
                    self._lost.append(f"for {run.method}, {outcome.message}")
                    continue
                self._writer.add([run.row(outcome)])
                statuses.append(outcome.status)
        return statuses

    def _store(self, statuses: list[str]) -> list[str]:
        """Write what is waiting, and only then report it."""
        self._writer.flush()
        self.summary.ran.update(statuses)
        failed = sum(status != "ok" for status in statuses)
        self._told.advance(len(statuses), failed)
        return []
