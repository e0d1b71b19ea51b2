"""``tsmdbench run``: run methods on problems and store the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli.options import Python, Quiet, Scheduler, With, Workers, replaced
from tsmdbench.errors import InputError
from tsmdbench.registry import importable

if TYPE_CHECKING:
    from tsmdbench.experiments.specification import Specification


def run(
    experiment: Annotated[
        str | None,
        typer.Argument(
            help="demo, quick, paper, best, pvldb, recordings or dials; options "
            "override it."
        ),
    ] = None,
    *,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="Name from TSMD-Bench or the recordings suite, 'dials', folder/name "
            "written by 'build', module:function or file.py:function; may be repeated."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Name, module:object or file.py:object, a class or a function; may be "
            "repeated."
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="'test' or 'validation'.")] = "test",
    tune: Annotated[
        bool | None,
        typer.Option("--tune/--no-tune", help="Tune on the validation split first."),
    ] = None,
    params: Annotated[
        Path | None,
        typer.Option(help="TOML file: parameters per method.", metavar="FILE"),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(
            help="TOML file: values per method that a search tries.", metavar="FILE"
        ),
    ] = None,
    radius: Annotated[str, typer.Option(hidden=True)] = "own",
    limit: Annotated[
        int | None, typer.Option(help="Use only the first N problems per split.")
    ] = None,
    limit_validation: Annotated[
        int | None, typer.Option(help="Use only the first N validation problems.")
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(help="Seeds of each method that has a field named 'seed'."),
    ] = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Run also what is stored; replace it.")
    ] = False,
    out: Annotated[Path, typer.Option(help="The store; created or extended.")] = Path(
        "store"
    ),
    time_limit: Annotated[str, typer.Option(help="Time limit per run.")] = "600s",
    memory_limit: Annotated[str, typer.Option(help="Memory limit per run.")] = "4GiB",
    max_motifs: Annotated[
        int, typer.Option(help="Largest number of motifs that a run may return.")
    ] = 1_000_000,
    shard: Annotated[
        str | None,
        typer.Option(
            help="Only a part of the runs, like 3/40; 'store merge' joins the parts.",
            metavar="N/TOTAL",
        ),
    ] = None,
    python: Python = None,
    requirements: With = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
    preset: Annotated[
        str | None,
        replaced("--preset", "run the experiment 'paper' or 'best', with --dataset"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON.")
    ] = False,
) -> None:
    """Run methods on problems and store the results.

    Examples: tsmdbench run demo --out my-store

    tsmdbench run --dataset JapaneseVowels --method locomotif --method ./my_file.py:Mine

    'paper' and 'best' run all datasets: 'paper' with the defaults of the methods'
    public code, 'best' with the recommended parameters. 'quick' and 'demo' are smaller,
    with the parameters of 'best'. 'pvldb' takes the parameters of each run from the
    truth of its problem. 'recordings' runs the recordings suite in both ways: tuned,
    and with parameters from the truth. 'dials' runs generated problems, one difficulty
    dial moved at a time; it needs no data. Other datasets and methods can be given:
    'run paper --dataset Plane'.

    Runs that are in the store are not repeated, unless the code of the method has
    changed, or with --force. A run that fails or exceeds a limit is stored with that
    status and does not stop the others. 'tsmdbench resume' continues after an
    interruption.
    """
    from tsmdbench.experiments.environments.environment import environment_of
    from tsmdbench.experiments.limits import Limits
    from tsmdbench.experiments.progress import progress_for
    from tsmdbench.experiments.running import run_specification
    from tsmdbench.experiments.sources import check_typed

    del preset  # refused
    elsewhere = python is not None or bool(requirements)
    names = {name: name if elsewhere else importable(name) for name in method or ()}
    given: dict[str, Any] = {
        "datasets": tuple(importable(check_typed(d), "dataset") for d in dataset or ())
        or None,
        "methods": tuple(names.values()) or None,
        "tune": tune,
        "limit": limit,
        "limit_validation": limit_validation,
    }
    progress = progress_for(quiet=quiet or as_json)
    asked = _asked(
        experiment,
        {name: value for name, value in given.items() if value is not None},
        split=split,
        params=params,
        grid=grid,
        radius=radius,
        limits=Limits.of(time_limit, memory_limit, max_motifs=max_motifs),
        repeats=repeats,
        environment=environment_of(python, tuple(requirements or ())),
        told=progress.say,
        typed=names,
    )
    summary = run_specification(
        asked,
        out,
        workers=workers,
        scheduler=scheduler,
        progress=progress,
        force=force,
        shard=shard,
    )
    if as_json:
        typer.echo(json.dumps(summary.to_dict()))
    elif not quiet:
        typer.echo(summary)


def _asked(
    experiment: str | None,
    given: dict[str, Any],
    *,
    params: Path | None,
    grid: str | None,
    told: Callable[[str], None],
    typed: dict[str, str],
    **rest: Any,
) -> Specification:
    """Put experiment and options together; an option overrides the experiment."""
    from tsmdbench.experiments.grids import KINDS
    from tsmdbench.experiments.method_fields import added_params
    from tsmdbench.experiments.presets import experiment as options_of
    from tsmdbench.experiments.presets import obtainable
    from tsmdbench.experiments.sources import by_protocol, stored_name
    from tsmdbench.experiments.specification import Specification

    options: dict[str, Any] = options_of(experiment) if experiment else {}
    options |= given
    if experiment:
        names = map(stored_name, options["datasets"])
        options["datasets"] = by_protocol(names, options.pop("protocol", "validation"))
    if experiment and "datasets" not in given:
        options["datasets"] = obtainable(options["datasets"], told)
    for name in ("datasets", "methods"):
        if name not in options:
            raise InputError(f"name an experiment, or at least one --{name[:-1]}")
    if params:
        before = options.get("params", {})
        tables = _tables(params, "parameters", options["methods"], typed)
        options["params"] = added_params(before, tables)
    if grid:
        options["grid"] = (
            grid
            if grid in KINDS
            else _tables(Path(grid), "grids", options["methods"], typed)
        )
    return Specification(**options, **rest)


def _tables(
    file: Path, what: str, methods: tuple[str, ...], typed: dict[str, str]
) -> dict[str, Any]:
    """Read a table per method; a heading may be a method as it was typed."""
    from tsmdbench.experiments.toml_files import check_headings, read_toml

    tables = {typed.get(k, k): table for k, table in read_toml(file, what).items()}
    check_headings(tables, file, methods)
    return tables
