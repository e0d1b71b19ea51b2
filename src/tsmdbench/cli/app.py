"""The commands, gathered: each comes from the file of its name."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from tsmdbench.cli import Settings
from tsmdbench.cli.board import board
from tsmdbench.cli.build import build
from tsmdbench.cli.convert import convert
from tsmdbench.cli.datasets import app as datasets
from tsmdbench.cli.demo import demo
from tsmdbench.cli.discover import discover
from tsmdbench.cli.evaluate import evaluate
from tsmdbench.cli.explain import explain
from tsmdbench.cli.leaderboard import leaderboard
from tsmdbench.cli.methods import methods
from tsmdbench.cli.metrics import metrics
from tsmdbench.cli.report import report
from tsmdbench.cli.reproduce import reproduce
from tsmdbench.cli.resume import resume
from tsmdbench.cli.run import run
from tsmdbench.cli.status import status
from tsmdbench.cli.store import store
from tsmdbench.cli.submit import submit
from tsmdbench.cli.view import view
from tsmdbench.cli.warmup import warmup

app = typer.Typer(
    help="Measure how well a method finds motif sets in time series.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.command()(demo)
app.command()(evaluate)
app.command()(metrics)
app.command()(discover)
app.command()(view)
app.command()(convert)
app.command()(methods)
app.command()(warmup)
app.command()(build)
app.add_typer(datasets, name="datasets")
app.command()(run)
app.command()(resume)
app.command()(status)
app.command()(explain)
app.command()(report)
app.command()(leaderboard)
app.command()(reproduce)
app.command()(submit)
app.command()(board)
app.add_typer(store, name="store")


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            help="Print the traceback of an error; TSMDBENCH_DEBUG=1 does the same.",
        ),
    ] = False,
) -> None:
    """Measure how well a method finds motif sets in time series."""
    context.ensure_object(Settings).debug |= debug
    # Dask reports every lost connection; what matters is in our own messages.
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if version:
        from tsmdbench import __version__

        typer.echo(f"tsmdbench {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
