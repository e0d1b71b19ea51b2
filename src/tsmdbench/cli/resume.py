"""``tsmdbench resume``: run what is missing from a store."""

from __future__ import annotations

from pathlib import Path

import typer

from tsmdbench.cli.options import Workers
from tsmdbench.cli.output import print_json


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
