"""``tsmdbench run``: run methods on problems and store the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli.options import Workers, replaced
from tsmdbench.cli.output import print_json
from tsmdbench.errors import InputError
from tsmdbench.registry import importable

if TYPE_CHECKING:
    from tsmdbench.experiments.specification import Specification


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
    preset: Annotated[
        str | None,
        replaced("--preset", "run the experiment 'paper' or 'best', with --dataset"),
    ] = None,
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
    dial moved at a time; it needs no data. Other datasets and methods can be given:
    'run paper --dataset Plane'.

    Runs that are in the store are not repeated, unless the code of the method has
    changed, or with --force. A run that fails or exceeds a limit is stored with that
    status and does not stop the others. 'tsmdbench resume' continues after an
    interruption.

    Options:
    experiment: demo, quick, paper, best, pvldb, recordings or dials; options override
        it.
    dataset: Name from TSMD-Bench or the recordings suite, 'dials', folder/name written
        by 'build', module:function or file.py:function; may be repeated.
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
    from tsmdbench.experiments.environments import environment_of
    from tsmdbench.experiments.results import progress_for
    from tsmdbench.experiments.running import run_specification
    from tsmdbench.experiments.sources import check_typed
    from tsmdbench.experiments.specification import Limits

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
    specification = _specification(
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


def _specification(
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
    from tsmdbench.experiments.presets import added_params, obtainable
    from tsmdbench.experiments.presets import experiment as options_of
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
            raise InputError(f"specify an experiment or at least one --{name[:-1]}")
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
    from tsmdbench.experiments.grids import check_headings, read_toml

    tables = {typed.get(k, k): table for k, table in read_toml(file, what).items()}
    check_headings(tables, file, methods)
    return tables
