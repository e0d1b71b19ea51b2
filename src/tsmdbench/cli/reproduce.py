"""``tsmdbench reproduce``: repeat the paper's experiments, check its statements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Workers, replaced
from tsmdbench.cli.output import print_json


def reproduce(
    experiment: str = "quick",
    *,
    out: Path = Path("reproduction"),
    workers: Workers = None,
    scheduler: str | None = None,
    quiet: bool = False,
    preset: Annotated[
        str | None, replaced("--preset", "write 'tsmdbench reproduce quick'")
    ] = None,
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
    del preset  # refused
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
