"""``tsmdbench run``, ``resume``, ``status`` and ``reproduce``: experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tsmdbench.cli.options import Workers
from tsmdbench.cli.output import print_json, print_table
from tsmdbench.errors import InputError
from tsmdbench.plural import counted
from tsmdbench.registry import importable


def run(
    experiment: str | None = None,
    *,
    dataset: list[str] | None = None,
    method: list[str] | None = None,
    split: str = "test",
    tune: bool | None = None,
    params: Path | None = None,
    grid: str | None = None,
    radius: Annotated[str, typer.Option(hidden=True)] = "own",
    limit: int | None = None,
    limit_validation: int | None = None,
    repeats: int = 1,
    force: bool = False,
    out: Path = Path("store"),
    time_limit: str = "600s",
    memory_limit: str = "4GiB",
    max_motifs: int = 1000000,
    shard: str | None = None,
    python: str | None = None,
    requirements: list[str] | None = None,
    workers: Workers = None,
    scheduler: str | None = None,
    quiet: bool = False,
    as_json: bool = False,
) -> None:
    """Run methods on problems and store the results.

    Examples: tsmdbench run demo --out my-store

    tsmdbench run --dataset JapaneseVowels --method locomotif --method ./my_file.py:Mine

    'paper' and 'best' run all datasets: 'paper' with the defaults of the methods'
    public code, 'best' with the recommended parameters. 'quick' and 'demo' are smaller,
    with the parameters of 'best'. 'pvldb' takes the parameters of each run from the
    truth of its problem. 'recordings' runs the recordings suite in both ways: tuned,
    and with parameters from the truth. 'dials' runs generated problems, one difficulty
    dial moved at a time; it needs no data. 'subspace' runs problems whose patterns live
    in some of the channels. Other datasets and methods can be given:
    'run paper --dataset Plane'.

    Runs that are in the store are not repeated, unless the code of the method has
    changed, or with --force. A run that fails or exceeds a limit is stored with that
    status and does not stop the others. 'tsmdbench resume' continues after an
    interruption.

    Options:
    experiment: demo, quick, paper, best, pvldb, recordings, dials or subspace; options
        override it.
    dataset: Name from TSMD-Bench, the recordings or the subspace suite, 'dials',
        folder/name written by 'build', module:function or file.py:function; may be
        repeated.
    method: Name, module:object or file.py:object, a class or a function; may be
        repeated.
    tune --tune/--no-tune: Tune on the validation split first.
    params FILE: TOML file: parameters per method.
    limit: Use only the first N problems per split.
    force: Run also what is stored; replace it.
    out: The store; created or extended.
    time_limit: Time limit per run.
    memory_limit: Memory limit per run.

    Rare options:
    grid FILE: TOML file: values per method that a search tries.
    limit_validation: Use only the first N validation problems.
    repeats: Seeds of each method that has a field named 'seed'.
    max_motifs: Largest number of motifs that a run may return.
    shard N/TOTAL: Only a part of the runs, like 3/40; 'store merge' joins the parts.
    """
    from tsmdbench.experiments.environments import Environment
    from tsmdbench.experiments.presets import added_params, obtainable
    from tsmdbench.experiments.presets import experiment as options_of
    from tsmdbench.experiments.results import progress_for
    from tsmdbench.experiments.running import run_specification
    from tsmdbench.experiments.settings import KINDS, read_tables
    from tsmdbench.experiments.sources import by_protocol, check_typed, stored_name
    from tsmdbench.experiments.specification import Limits, Specification

    progress = progress_for(quiet=quiet or as_json)
    environment = None
    if python or requirements:
        environment = Environment(python, tuple(requirements or ()))
    typed = {name: name if environment else importable(name) for name in method or ()}
    given: dict[str, Any] = {
        "datasets": tuple(importable(check_typed(d), "dataset") for d in dataset or ()),
        "methods": tuple(typed.values()),
        "tune": tune,
        "limit": limit,
        "limit_validation": limit_validation,
    }
    # An option overrides the experiment.
    options: dict[str, Any] = options_of(experiment) if experiment else {}
    options |= {name: value for name, value in given.items() if value not in (None, ())}
    if experiment:
        stored = map(stored_name, options["datasets"])
        options["datasets"] = by_protocol(stored, options.pop("protocol", "validation"))
    if experiment and not dataset:
        options["datasets"] = obtainable(options["datasets"], progress.say)
    for name in ("datasets", "methods"):
        if name not in options:
            raise InputError(f"specify an experiment or at least one --{name[:-1]}")

    methods = options["methods"]
    if params:
        added = read_tables(params, "parameters", methods, typed)
        options["params"] = added_params(options.get("params", {}), added)
    if grid in KINDS:
        options["grid"] = grid
    elif grid:
        options["grid"] = read_tables(Path(grid), "grids", methods, typed)
    specification = Specification(
        **options,
        split=split,
        radius=radius,
        limits=Limits.of(time_limit, memory_limit, max_motifs=max_motifs),
        repeats=repeats,
        environment=environment,
    )
    summary = run_specification(
        specification,
        out,
        workers=workers,
        scheduler=scheduler,
        progress=progress,
        force=force,
        shard=shard,
    )
    if as_json:
        print_json(summary.to_dict())
    elif not quiet:
        typer.echo(summary)


def resume(
    store: Path,
    *,
    workers: Workers = None,
    scheduler: str | None = None,
    retry: list[str] | None = None,
    trust: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> None:
    """Continue an interrupted experiment: run only what is missing.

    Examples: tsmdbench resume my-store

    tsmdbench resume my-store --retry error --retry timeout

    Options:
    store: Store written by 'run'.
    retry: Repeat runs with this status: error, timeout or memory; may be given several
        times.
    trust: Import the methods and datasets that the store names as module:object; this
        runs their code.
    """
    from tsmdbench.experiments.results import progress_for
    from tsmdbench.experiments.running import resume as resume_all

    summaries = resume_all(
        store,
        workers=workers,
        scheduler=scheduler,
        progress=progress_for(quiet=quiet or as_json),
        retry=retry or (),
        trust=trust,
    )
    if as_json:
        print_json([summary.to_dict() for summary in summaries])
    elif not quiet:
        typer.echo("\n\n".join(map(str, summaries)))


LONGEST = 300  # characters of a message


def status(store: Path, *, tracebacks: bool = False, as_json: bool = False) -> None:
    """Count the runs in a store by status, and show why runs failed.

    Also shows whether the store is being written. Failed runs are counted by method
    and message, ignoring differences in numbers. Failures of older
    versions of a method are not shown.

    Examples: tsmdbench status my-store

    tsmdbench status my-store --traceback

    Options:
    store: Store written by 'run'.
    tracebacks --traceback: Also show where runs failed.
    """
    from tsmdbench.experiments.edit import contents, failure_kinds
    from tsmdbench.experiments.rows import STATUSES
    from tsmdbench.experiments.store import Store, writer_of

    opened = Store(store)
    counts = opened.counts()
    planned = opened.manifest.get("planned", [])
    writer = writer_of(store)
    failures = failure_kinds(opened)
    if as_json:
        names = ("dataset", "split", "method", "status")
        rows = [
            {**dict(zip(names, what, strict=True)), "runs": n}
            for what, n in sorted(counts.items())
        ]
        about = {
            "planned": planned,
            "writer": writer,
            "failures": [failure._asdict() for failure in failures],
        }
        print_json({"rows": rows, **about})
        return
    groups = sorted({what[:3] for what in counts})
    print_table(
        ("dataset", "split", "method", *STATUSES),
        [(*group, *(counts[(*group, s)] for s in STATUSES)) for group in groups],
        text=range(3),
    )
    found = contents(opened)
    newest = {(entry.method, entry.version) for entry in found if entry.newest}
    for failure in failures:
        if failure[:2] in newest:
            lines = failure.message.splitlines() or ["no message"]
            place = failure.traceback.splitlines()
            typer.echo(
                f"\n{failure.method} failed in {counted(failure.runs, 'run')} "
                f"({failure.status}), last on {failure.problem}:\n"
                f"  {lines[0][:LONGEST]}{' ...' if len(lines) > 1 else ''}"
            )
            for line in place if tracebacks else place[-1:]:
                typer.echo(f"    {line}")
    older = sum(entry.runs for entry in found if not entry.newest)
    total = sum(counts.values()) - older
    runs = counted(total, "run")
    if len(planned) == 1:
        runs = f"{total} of {counted(planned[0], 'requested run')}"
    if older:
        runs += f", and {counted(older, 'run')} of older versions"
    state = f"being written by {writer}" if writer else "no active writer"
    typer.echo(f"\n{runs}; {state}")


def reproduce(
    experiment: str = "quick",
    *,
    out: Path = Path("reproduction"),
    workers: Workers = None,
    scheduler: str | None = None,
    quiet: bool = False,
    as_json: bool = False,
) -> None:
    """Repeat the experiments of the paper and check each of its statements.

    Example: tsmdbench reproduce quick --out reproduction

    If interrupted, the same command continues. Datasets that are unavailable and
    cannot be downloaded are skipped with a message.

    Options:
    experiment: 'quick' (half an hour), 'paper' (hours) or 'demo'; methods have the
        defaults of their public code.
    out: Folder for the store, the report and the statements.
    quiet: Print only the summary.
    """
    from tsmdbench.experiments.results import progress_for
    from tsmdbench.paper.reproduction import reproduce as do
    from tsmdbench.paper.reproduction import summary

    made = do(
        experiment,
        out,
        progress=progress_for(quiet=quiet or as_json),
        workers=workers,
        scheduler=scheduler,
    )
    if as_json:
        rows = [
            {
                "key": verdict.statement.key,
                "statement": verdict.statement.text,
                "paper": verdict.statement.paper,
                "kind": verdict.statement.kind,
                "number": verdict.statement.number,
                "difference": verdict.difference,
                **verdict.finding._asdict(),
            }
            for verdict in made.verdicts
        ]
        print_json(rows)
        return
    typer.echo(summary(made.verdicts))
    typer.echo(f"statements {made.statements}")
    typer.echo(f"report     {made.report.page}")
