"""The driver: plan, hand out, store, until nothing is missing.

It is the only one that writes. Rows are stored about every `FLUSH` seconds, and only
then reported as done, so a driver that is killed at any moment has lost nothing that it
reported; whoever resumes does what is missing and nothing twice.

Examples
--------
From Python, in a script whose main part is guarded as ``if __name__ == "__main__":``,
since workers import it::

    from tsmdbench.experiments.run import run
    from tsmdbench.experiments.specification import Specification

    asked = Specification(("JapaneseVowels",), ("locomotif", "my.module:Mine"))
    print(run(asked, "my-store", workers=4))
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set
from contextlib import ExitStack
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.experiments.batching import Batcher
from tsmdbench.experiments.describe import Described, describe
from tsmdbench.experiments.engine import Done, Engine
from tsmdbench.experiments.failure import ExperimentError, StoreError
from tsmdbench.experiments.grids import settings_for, untuned
from tsmdbench.experiments.plan import Group, Job
from tsmdbench.experiments.progress import Progress, Quiet, Summary
from tsmdbench.experiments.settings import data_facts
from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.specification import Specification, provenance
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.tune import Surface, surface_of, tuned_toml
from tsmdbench.io import PathLike

FLUSH = 2.0  # seconds between parts; a killed driver loses no more than that
TUNED = "tuning/tuned.toml"
ROWS = 20_000  # rows that are not kept waiting


def run(
    asked: Specification,
    out: PathLike,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Do what is asked for and not yet in the store.

    Parameters
    ----------
    asked : Specification
    out : path
        The store; made where there is none, filled up where there is one.
    workers : int, optional
        Processes on this machine; by default one per core.
    scheduler : str, optional
        Address of a Dask scheduler to use instead.
    progress : Progress, optional
        Is told how far the work is.

    Raises
    ------
    InputError
        What is asked for makes no sense; nothing was run.
    ExperimentError
        The store cannot be written, or the scheduler is gone. What was reported as done
        is in the store.
    """
    if workers is not None and scheduler is not None:
        raise InputError("give the number of workers or a scheduler, not both")
    begun = time.monotonic()
    groups = _Groups(asked)
    groups.check()
    with StoreWriter(out) as writer:
        told = progress or Quiet()
        if writer.took_over:
            told.say(f"took over from {writer.took_over}, which was killed")
        _remember(asked, groups, writer)
        with _Driver(writer, told, _engine_of(asked, workers, scheduler)) as driver:
            surfaces = driver.tune(groups.searches) if asked.tune else []
            driver.do("runs", groups.runs(surfaces))
        writer.flush()
        writer.compact()
    driver.summary.seconds = time.monotonic() - begun
    return driver.summary


def resume(
    path: PathLike,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> list[Summary]:
    """Do what was ever asked for of a store and is missing; options as for `run`."""
    kept = Store(path).manifest["specifications"]
    if not kept:
        raise InputError(f"nothing was asked for of {path}; use 'tsmdbench run'")
    return [
        run(
            Specification.from_dict(one),
            path,
            workers=workers,
            scheduler=scheduler,
            progress=progress,
        )
        for one in kept
    ]


def _remember(asked: Specification, groups: _Groups, writer: StoreWriter) -> None:
    """Note in the manifest what is asked for, of which data, and who does it."""
    manifest = Store(writer.path).manifest
    known: list[Any] = manifest["specifications"]
    if asked.to_dict() not in [Specification.from_dict(k).to_dict() for k in known]:
        known.append(asked.to_dict())
        manifest.setdefault("planned", []).append(groups.planned)
    manifest["made_by"] = provenance()
    for name, facts in groups.about_data().items():
        manifest.setdefault("datasets", {})[name] = facts
    writer.write_manifest(manifest)


class _Groups:
    """Methods, problems and settings of a specification, each loaded once."""

    def __init__(self, asked: Specification) -> None:
        self._asked = asked
        self._methods = [describe(name) for name in asked.methods]
        self._problems = {
            (dataset, split): load_problems(dataset, split, asked.limit)
            for dataset in asked.datasets
            for split in dict.fromkeys(["validation", asked.split])
        }
        # Facts come from the whole validation split, whatever the limit.
        self._facts = {
            dataset: data_facts(load_problems(dataset, "validation"))
            for dataset in asked.datasets
        }

    def about_data(self) -> dict[str, Any]:
        """Return what identifies the data, and what hyperparameters follow from it."""
        about: dict[str, Any] = {
            dataset: {"facts": asdict(facts), "recipe_sha256": {}}
            for dataset, facts in self._facts.items()
        }
        for (dataset, split), problems in self._problems.items():
            recipes = getattr(problems, "recipe_sha256", None)
            about[dataset]["recipe_sha256"][split] = recipes
        return about

    def check(self) -> None:
        """Find out what is wrong with names and settings, before a store is made."""
        for group in self.runs([]):
            _ = group.names, group.runs

    @property
    def planned(self) -> int:
        """Number of runs that are asked for, those of searches included."""
        tested = sum(
            len(self._problems[dataset, self._asked.split])
            for dataset in self._asked.datasets
        )
        searched = sum(group.size for group in self.searches) if self._asked.tune else 0
        return searched + tested * len(self._methods)

    @property
    def searches(self) -> list[Group]:
        """The grids that leave something to choose."""
        return [group for group in self.grids if len(group.settings) > 1]

    @cached_property
    def grids(self) -> list[Group]:
        """All settings of each method on the validation problems of each dataset."""
        groups = []
        for dataset in self._asked.datasets:
            for method in self._methods:
                fixed = self._asked.fixed_fields(method.name, dataset)
                settings = settings_for(
                    method, self._facts[dataset], fixed=fixed, grid=self._asked.grid
                )
                groups.append(self._group(method, dataset, "validation", settings))
        return groups

    def runs(self, surfaces: Sequence[Surface]) -> list[Group]:
        """Return one setting per method and dataset: tuned, given, or of the data."""
        tuned = {
            (group.dataset, group.method.name): group.settings[0]
            for group in (self.grids if self._asked.tune else ())
        }
        tuned |= {(s.group.dataset, s.group.method.name): s.winner for s in surfaces}
        return [
            self._group(
                method,
                dataset,
                self._asked.split,
                [tuned.get((dataset, method.name)) or self._untuned(method, dataset)],
            )
            for dataset in self._asked.datasets
            for method in self._methods
        ]

    def _untuned(self, method: Described, dataset: str) -> dict[str, Any]:
        fixed = self._asked.fixed_fields(method.name, dataset)
        return untuned(method, self._facts[dataset], fixed)

    def _group(
        self, method: Described, dataset: str, split: str, settings: Any
    ) -> Group:
        full = [method.parameters(setting) for setting in settings]
        return Group(method, dataset, split, self._problems[dataset, split], full)


def _engine_of(
    asked: Specification, workers: int | None, scheduler: str | None
) -> Callable[[], Engine]:
    return lambda: Engine(asked.limits, workers, scheduler)


class _Driver:
    """Keep an engine busy and a store filled."""

    def __init__(
        self, writer: StoreWriter, told: Progress, engine: Callable[[], Engine]
    ) -> None:
        self._writer = writer
        self._told = told
        self._make_engine = engine
        self._engine: Engine | None = None
        self._stack = ExitStack()
        self.summary = Summary(str(Path(writer.path)))

    def __enter__(self) -> _Driver:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def tune(self, groups: Sequence[Group]) -> list[Surface]:
        """Do the searches, store their surfaces, and return them."""
        self.do("search", groups)
        store = Store(self._writer.path)
        surfaces = [surface_of(store, group) for group in groups]
        for surface in surfaces:
            self._writer.write_file(surface.file, surface.to_parquet())
        if surfaces:
            file = self._writer.path / TUNED
            before = file.read_text() if file.exists() else ""
            self._writer.write_file(TUNED, tuned_toml(surfaces, before).encode())
        return surfaces

    def do(self, title: str, groups: Sequence[Group]) -> None:
        """Do all runs of some groups that are not in the store."""
        done: Set[str] = self._writer.done
        jobs = [job for group in groups for job in group.missing(done)]
        total = sum(group.size for group in groups)
        missing = sum(len(job.settings) for job in jobs)
        self.summary.planned += total
        self.summary.skipped += total - missing
        self._told.begin(title, total, total - missing)
        try:
            if jobs:
                self._work(jobs)
        finally:
            self._told.end()

    def _work(self, jobs: list[Job]) -> None:
        if self._engine is None:
            self._engine = self._stack.enter_context(self._make_engine())
        batcher = Batcher(jobs)
        waiting: list[str] = []
        flushed = time.monotonic()
        try:
            for result in self._engine.stream(batcher.next_batch):
                if result is not None:
                    batcher.learn(result.label, result.results)
                    waiting += self._add(result)
                if time.monotonic() - flushed > FLUSH or len(waiting) > ROWS:
                    waiting = self._store(waiting)
                    flushed = time.monotonic()
        except StoreError:
            raise
        except (ExperimentError, KeyboardInterrupt):
            self._store(waiting)  # whatever is gone, what came back is kept
            raise
        self._store(waiting)

    def _add(self, result: Done) -> list[str]:
        """Give the rows of a batch to the writer; return their statuses."""
        statuses = []
        jobs: Sequence[Job] = result.label
        for job, outcomes in zip(jobs, result.results.outcomes, strict=True):
            for one, outcome in zip(job.runs, outcomes, strict=True):
                self._writer.add([one.row(outcome)])
                statuses.append(outcome.status)
        return statuses

    def _store(self, statuses: list[str]) -> list[str]:
        """Write what is waiting, and only then report it."""
        self._writer.flush()
        self.summary.ran.update(statuses)
        failed = sum(status != "ok" for status in statuses)
        self._told.advance(len(statuses), failed)
        return []
