"""``tsmdbench reproduce``: the paper's experiments, and each of its statements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Scheduler, Workers
from tsmdbench.cli.run import failures_in_one_sentence


def reproduce(
    *,
    preset: Annotated[
        str, typer.Option(help="'quick' (half an hour), 'paper' (hours) or 'demo'.")
    ] = "quick",
    out: Annotated[
        Path, typer.Option(help="Folder for the store, the report and the statements.")
    ] = Path("reproduction"),
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only the end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what came out as JSON.")
    ] = False,
) -> None:
    """Build, tune and run what the paper did, and compare each of its statements.

    Example: tsmdbench reproduce --preset quick --out reproduction

    Interrupted, the same command continues. Datasets that are not here and cannot be
    downloaded are left out, and said.
    """
    from tsmdbench.experiments.progress import progress_for
    from tsmdbench.report.reproduction import reproduce as do
    from tsmdbench.report.statements import summary

    with failures_in_one_sentence(out / "store"):
        made = do(
            preset,
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
                **verdict.finding._asdict(),
            }
            for verdict in made.verdicts
        ]
        typer.echo(json.dumps(rows))
        return
    typer.echo(summary(made.verdicts))
    typer.echo(f"statements {made.statements}")
    typer.echo(f"report     {made.report.page}")
