"""The commands, gathered: each comes from the file of its name."""

from __future__ import annotations

import logging
from typing import Annotated, Any

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

# Options that the ordinary help leaves out.
RARE = frozenset(
    {
        # reading of files in unusual forms
        *("time_unit", "case", "separator", "decimal", "thousands", "header"),
        *("skip_rows", "day_first", "encoding", "time_axis", "max_bytes", "tier"),
        *("length", "background", "file_format", "found_format", "truth_format"),
        *("series_format", "out_format"),
        # other environments, clusters, limits
        *("python", "requirements", "scheduler", "max_motifs", "shard", "grid"),
        *("limit_validation", "repeats", "port"),
        # details of built problems
        *("normalize", "noise", "noise_where", "g_min", "g_max", "overlapping"),
        *("skip_unannotated", "share"),
        # details of reports, submissions and boards
        *("transpose", "parquet", "embed", "version", "name", "licence", "contact"),
        *("explorers", "title"),
    }
)


class Command(typer.core.TyperCommand):
    """A command whose help leaves out options that are `RARE`, without --help-all."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.rare = [p for p in self.params if p.name in RARE and not is_argument(p)]
        for parameter in self.rare:
            parameter.hidden = True  # type: ignore[attr-defined]
        if self.rare:
            self.epilog = "Rarely used options: --help-all"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help with all options for --help-all."""
        if "--help-all" in args:
            for parameter in self.rare:
                parameter.hidden = False  # type: ignore[attr-defined]
            self.epilog = None
            typer.echo(self.get_help(ctx))
            ctx.exit()
        return super().parse_args(ctx, args)


def is_argument(parameter: Any) -> bool:
    """Return True for an argument, which has no name on the command line."""
    return bool(parameter.param_type_name == "argument")


app.command(cls=Command)(demo)
app.command(cls=Command)(evaluate)
app.command(cls=Command)(metrics)
app.command(cls=Command)(discover)
app.command(cls=Command)(view)
app.command(cls=Command)(convert)
app.command(cls=Command)(methods)
app.command(cls=Command)(warmup)
app.command(cls=Command)(build)
app.add_typer(datasets, name="datasets")
app.command(cls=Command)(run)
app.command(cls=Command)(resume)
app.command(cls=Command)(status)
app.command(cls=Command)(explain)
app.command(cls=Command)(report)
app.command(cls=Command)(leaderboard)
app.command(cls=Command)(reproduce)
app.command(cls=Command)(submit)
app.command(cls=Command)(board)
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
