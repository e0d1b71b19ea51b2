"""``tsmdbench reproduce``: repeat the paper's experiments, check its statements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Scheduler, Workers, replaced


def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help="'quick' (half an hour), 'paper' (hours) or 'demo'; methods have "
            "the defaults of their public code."
        ),
    ] = "quick",
    *,
    out: Annotated[
        Path, typer.Option(help="Folder for the store, the report and the statements.")
    ] = Path("reproduction"),
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print only the summary.")
    ] = False,
    preset: Annotated[
        str | None, replaced("--preset", "write 'tsmdbench reproduce quick'")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the results as JSON.")
    ] = False,
) -> None:
    """Repeat the experiments of the paper and check each of its statements.

    Example: tsmdbench reproduce quick --out reproduction

    If interrupted, the same command continues. Datasets that are unavailable and
    cannot be downloaded are skipped with a message.
    """
    del preset  # refused
    from tsmdbench.experiments.progress import progress_for
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
        typer.echo(json.dumps(rows))
        return
    typer.echo(summary(made.verdicts))
    typer.echo(f"statements {made.statements}")
    typer.echo(f"report     {made.report.page}")
