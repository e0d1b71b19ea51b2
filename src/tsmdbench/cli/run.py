"""``tsmdbench run``: run methods on problems and store the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli.options import Python, Quiet, Scheduler, With, Workers
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.experiments.specification import Specification


def run(
    experiment: Annotated[
        str | None,
        typer.Argument(help="demo, quick, paper or best; options override it."),
    ] = None,
    *,
    preset: Annotated[
        str | None,
        typer.Option(
            help="Fields of the methods: 'paper' (public code) or 'best' (recommended)."
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="Name from TSMD-Bench, folder/name written by 'build', or "
            "module:function; may be repeated."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="Name, or module:Class; may be repeated."),
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
            help="'powers' (default), 'full', 'paper', or a TOML file: values per "
            "method."
        ),
    ] = None,
    radius: Annotated[
        str,
        typer.Option(
            help="Radius from the data: 'own' distance of a method, or 'stacked'."
        ),
    ] = "own",
    limit: Annotated[
        int | None, typer.Option(help="Use only the first N problems per split.")
    ] = None,
    limit_validation: Annotated[
        int | None, typer.Option(help="Use only the first N validation problems.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The store; created or extended.")] = Path(
        "store"
    ),
    time_limit: Annotated[str, typer.Option(help="Time limit per run.")] = "600s",
    memory_limit: Annotated[str, typer.Option(help="Memory limit per run.")] = "4GiB",
    max_motifs: Annotated[
        int, typer.Option(help="Most motifs that a run may return; more is an error.")
    ] = 1_000_000,
    python: Python = None,
    requirements: With = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON.")
    ] = False,
) -> None:
    """Run methods on problems and store the results.

    Examples: tsmdbench run demo --out my-store

    tsmdbench run --dataset JapaneseVowels --method locomotif --method my.module:Mine

    'paper' runs everything with each method as its public code is, 'best' everything
    with each method as we recommend it; 'quick' and 'demo' are smaller, with the fields
    of 'best' unless --preset is given.

    Runs that are in the store are not repeated. A run that fails or exceeds a limit is
    stored with that status and does not stop the others. 'tsmdbench resume' continues
    after an interruption.
    """
    from tsmdbench.experiments.environments.environment import environment_of
    from tsmdbench.experiments.limits import Limits
    from tsmdbench.experiments.progress import progress_for
    from tsmdbench.experiments.running import run_specification

    given: dict[str, Any] = {
        "datasets": tuple(dataset) if dataset else None,
        "methods": tuple(method) if method else None,
        "tune": tune,
        "limit": limit,
        "limit_validation": limit_validation,
    }
    progress = progress_for(quiet=quiet or as_json)
    asked = _asked(
        experiment,
        preset,
        {name: value for name, value in given.items() if value is not None},
        split=split,
        params=params,
        grid=grid,
        radius=radius,
        limits=Limits.of(time_limit, memory_limit, max_motifs=max_motifs),
        environment=environment_of(python, tuple(requirements or ())),
        told=progress.say,
    )
    summary = run_specification(
        asked, out, workers=workers, scheduler=scheduler, progress=progress
    )
    if as_json:
        typer.echo(json.dumps(summary.to_dict()))
    elif not quiet:
        typer.echo(summary)


def _asked(
    experiment: str | None,
    preset: str | None,
    given: dict[str, Any],
    *,
    params: Path | None,
    grid: str | None,
    told: Callable[[str], None],
    **rest: Any,
) -> Specification:
    """Put experiment and options together; an option overrides the experiment."""
    from tsmdbench.experiments.grids import KINDS
    from tsmdbench.experiments.method_fields import GRIDS, added_params, preset_params
    from tsmdbench.experiments.presets import obtainable
    from tsmdbench.experiments.presets import preset as options_of
    from tsmdbench.experiments.specification import Specification, read_toml

    options: dict[str, Any] = {}
    if experiment:
        options = options_of(experiment, preset)
    elif preset:
        options = {"params": preset_params(preset), "grid": GRIDS[preset]}
    options |= given
    if experiment and "datasets" not in given:
        options["datasets"] = obtainable(options["datasets"], told)
    for name in ("datasets", "methods"):
        if name not in options:
            raise InputError(f"name an experiment, or at least one --{name[:-1]}")
    if params:
        before = options.get("params", {})
        options["params"] = added_params(before, read_toml(params, "parameters"))
    if grid:
        options["grid"] = grid if grid in KINDS else read_toml(grid, "grids")
    return Specification(**options, **rest)
