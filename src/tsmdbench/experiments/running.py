"""Run what is asked for and not yet stored; resume what was interrupted.

Examples
--------
From Python, in a script whose main part is guarded as ``if __name__ == "__main__":``,
since workers import it::

    from tsmdbench.experiments import Specification, run

    asked = Specification(("JapaneseVowels",), ("locomotif", "my.module:Mine"))
    print(run(asked, "my-store", workers=4))
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.experiments.plan import Plan
from tsmdbench.experiments.platforms import check_platform
from tsmdbench.experiments.progress import Progress, Quiet, Summary
from tsmdbench.experiments.specification import Specification, provenance
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.store.rows import STATUSES
from tsmdbench.experiments.store.truth import TRUTH, read_truth, truth_parquet
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice


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
    cannot = check_platform()
    # Only now: these import what Windows does not have.
    from tsmdbench.experiments.execution.driver import Driver
    from tsmdbench.experiments.execution.engine import Engine

    begun = time.monotonic()
    plan = Plan(asked)
    plan.check()
    with _resumable(out), StoreWriter(out) as writer:
        told = progress or Quiet()
        for sentence in cannot:
            told.say(sentence)
        if writer.took_over:
            told.say(f"took over from {writer.took_over}, which was killed")
        _remember(asked, plan, writer)
        with Driver(
            writer, told, lambda: Engine(asked.limits, workers, scheduler)
        ) as driver:
            surfaces = driver.tune(plan.searches) if asked.tune else []
            driver.do("runs", plan.runs(surfaces))
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
    retry: Sequence[str] = (),
) -> list[Summary]:
    """Do what was ever asked for of a store and is missing; options as for `run`.

    Runs whose status is in `retry` (``"error"``, ``"timeout"``, ``"memory"``) are done
    again.
    """
    for status in retry:
        check_choice(status, "retry", STATUSES[1:])
    kept = Store(path).manifest["specifications"]
    if not kept:
        raise InputError(f"nothing was asked for of {path}; use 'tsmdbench run'")
    if retry:
        with StoreWriter(path) as writer:
            writer.forget(retry)
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


@contextmanager
def _resumable(path: PathLike) -> Iterator[None]:
    """Note on Ctrl-C how to continue; the command line prints it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(f"continue with 'tsmdbench resume {path}'")
        raise


def _remember(asked: Specification, plan: Plan, writer: StoreWriter) -> None:
    """Note in the manifest what is asked for, of which data, and who does it."""
    manifest = Store(writer.path).manifest
    known: list[Any] = manifest["specifications"]
    if asked.to_dict() not in [Specification.from_dict(k).to_dict() for k in known]:
        known.append(asked.to_dict())
        manifest.setdefault("planned", []).append(plan.planned)
    manifest["made_by"] = provenance()
    for name, facts in plan.about_data().items():
        manifest.setdefault("datasets", {})[name] = facts
    before = read_truth(writer.path)
    truth = plan.truth(before)
    if truth != before:
        writer.write_file(TRUTH, truth_parquet(truth))
    writer.write_manifest(manifest)
