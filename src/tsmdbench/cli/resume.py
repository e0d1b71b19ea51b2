"""``tsmdbench resume``: run what is missing from a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Quiet, Scheduler, Workers


def resume(
    store: Annotated[Path, typer.Argument(help="Store written by 'run'.")],
    *,
    workers: Workers = None,
    scheduler: Scheduler = None,
    retry: Annotated[
        list[str] | None,
        typer.Option(
            help="Repeat runs with this status: error, timeout or memory; may be given "
            "several times."
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Import the methods and datasets that the store names as "
            "module:object; this runs their code.",
        ),
    ] = False,
    quiet: Quiet = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summaries as JSON.")
    ] = False,
) -> None:
    """Continue an interrupted experiment: run only what is missing.

    Examples: tsmdbench resume my-store

    tsmdbench resume my-store --retry error --retry timeout
    """
    from tsmdbench.experiments.progress import progress_for
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
        typer.echo(json.dumps([summary.to_dict() for summary in summaries]))
    elif not quiet:
        typer.echo("\n\n".join(map(str, summaries)))
