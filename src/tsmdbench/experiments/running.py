"""Run what is requested and not yet stored; resume what was interrupted."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.experiments.limits import Limits
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
    methods: str | Iterable[str],
    datasets: str | Iterable[str],
    out: PathLike,
    *,
    split: str = "test",
    tune: bool = False,
    params: Mapping[str, Any] | None = None,
    grid: Any = "powers",
    radius: str = "own",
    limit: int | None = None,
    limit_validation: int | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run methods on the problems of datasets; keep the results in a store.

    Runs that are in the store are not repeated. A run that fails or exceeds a limit is
    stored with that status and does not stop the others.

    Parameters
    ----------
    methods : str or iterable of str
        Names out of `METHODS`, or ``module:Class``.
    datasets : str or iterable of str
        Names of TSMD-Bench, ``folder/name`` of benchmarks that `write_benchmarks`
        wrote, or ``module:function`` that returns problems.
    out : path
        The store; created, or extended where there is one.
    split : {"test", "validation"}
        Which problems.
    tune : bool, default False
        Search each method's grid on the validation split first.
    params : mapping, optional
        Method to fields that are given; the others follow from the validation split.
    grid : "powers", "full", "paper" or mapping
        What a search tries: a grid by name, or values per method and field.
    radius : {"own", "stacked"}
        How a radius follows from the validation split, see `data_facts`.
    limit, limit_validation : int, optional
        Only the first problems of each split, or of the validation split.
    limits : Limits, optional
        Time and memory of a run; by default ``Limits()``.
    workers : int, optional
        Processes on this machine; by default one per core.
    scheduler : str, optional
        Address of a Dask scheduler to use instead.
    progress : Progress, optional
        Is told how far the work is, see `progress_for`.

    Returns
    -------
    Summary
        How many runs were done, skipped and failed.

    Raises
    ------
    InputError
        The request makes no sense; nothing was run.
    ExperimentError
        The store cannot be written, or the scheduler is gone. What was reported as done
        is in the store.

    Examples
    --------
    In a script, inside ``if __name__ == "__main__":``, since workers import it::

        run(["locomotif", "stomp"], "JapaneseVowels", "my-store", limit=10)
        run(**preset("demo"), out="my-store")
    """
    asked = Specification(
        _names(datasets),
        _names(methods),
        split=split,
        tune=tune,
        params={} if params is None else params,
        grid=grid,
        radius=radius,
        limit=limit,
        limit_validation=limit_validation,
        limits=Limits() if limits is None else limits,
    )
    return run_specification(
        asked, out, workers=workers, scheduler=scheduler, progress=progress
    )


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def run_specification(
    asked: Specification,
    out: PathLike,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run what a specification asks for and the store does not have yet.

    `run` makes the specification from its arguments; this is for one that was made
    before, for instance from the manifest of another store. The other options are those
    of `run`.

    Parameters
    ----------
    asked : Specification
    out : path
        The store; created, or extended where there is one.
    workers : int, optional
    scheduler : str, optional
    progress : Progress, optional

    Raises
    ------
    InputError
        The request is invalid; nothing was run.
    ExperimentError
        The store cannot be written, or the scheduler is gone. What was reported as done
        is in the store.
    """
    if workers is not None and scheduler is not None:
        raise InputError("give the number of workers or a scheduler, not both")
    cannot = check_platform()
    # Only now: these import what Windows does not have.
    from tsmdbench.experiments.execution.address import check_address
    from tsmdbench.experiments.execution.driver import Driver
    from tsmdbench.experiments.execution.engine import Engine

    if scheduler is not None:
        check_address(scheduler)
    begun = time.monotonic()
    plan = Plan(asked)
    plan.check()
    with _resumable(out, asked), StoreWriter(out) as writer:
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
    trust: bool = False,
) -> list[Summary]:
    """Do what was requested of a store and is missing; options as for `run`.

    Runs whose status is in `retry` (``"error"``, ``"timeout"``, ``"memory"``) are done
    again.

    A store names what it was filled by. Methods and datasets of the form
    ``module:object`` are imported only with `trust`, since that runs their code: a
    store of somebody else may name anything.
    """
    for status in retry:
        check_choice(status, "retry", STATUSES[1:])
    kept = [Specification.from_dict(one) for one in Store(path).specifications]
    if not kept:
        raise InputError(f"nothing was requested of {path}; use 'tsmdbench run'")
    imports = sorted({name for one in kept for name in one.imports})
    if imports and not trust:
        raise InputError(
            f"{path} asks to import and run {', '.join(imports)}; if you trust these, "
            f"add --trust"
        )
    if retry:
        with StoreWriter(path) as writer:
            writer.forget(retry)
    return [
        run_specification(
            one,
            path,
            workers=workers,
            scheduler=scheduler,
            progress=progress,
        )
        for one in kept
    ]


@contextmanager
def _resumable(path: PathLike, asked: Specification) -> Iterator[None]:
    """Note on Ctrl-C how to continue; the command line prints it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if is_kept(path, asked):
            trust = " --trust" if asked.imports else ""
            command = f"tsmdbench resume {shlex.quote(str(path))}{trust}"
            stop.add_note(f"continue with '{command}'")
        else:
            stop.add_note("nothing was stored; give the same command again")
        raise


def is_kept(path: PathLike, asked: Specification) -> bool:
    """Tell whether a store knows that something was asked of it."""
    try:
        kept = Store(path).specifications
        known = [Specification.from_dict(one).to_dict() for one in kept]
        return asked.to_dict() in known
    except (TsmdbenchError, OSError):
        return False


def _remember(asked: Specification, plan: Plan, writer: StoreWriter) -> None:
    """Note in the manifest what is requested, of which data, and who does it."""
    manifest = Store(writer.path).manifest
    known: list[Any] = Store(writer.path).specifications
    manifest["specifications"] = known
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
