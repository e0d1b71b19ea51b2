"""Typer application: the commands and their groups."""

from __future__ import annotations

import logging
from typing import Annotated, Any

import typer

from tsmdbench.cli import Settings, datasets, store
from tsmdbench.cli.datasets import build
from tsmdbench.cli.discover import discover
from tsmdbench.cli.evaluate import evaluate, explain
from tsmdbench.cli.methods import demo, methods, metrics, warmup
from tsmdbench.cli.options import RARE, as_command
from tsmdbench.cli.report import board, leaderboard, report, submit
from tsmdbench.cli.run import reproduce, resume, run, status
from tsmdbench.cli.view import convert, view


class Command(typer.core.TyperCommand):
    """A command with two helps: --help fits a screen, --help-all says everything.

    The short one has the first sentence, the examples and the common options.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        panel = "rich_help_panel"
        self.rare = [p for p in self.params if getattr(p, panel, None) == RARE]
        self.whole_help = self.help or ""
        first, *others = self.whole_help.split("\n\n")
        shown = [part for part in others if part.startswith(("Example", "tsmdbench "))]
        self.help = "\n\n".join([first, *shown])
        for parameter in self.rare:
            parameter.hidden = True  # type: ignore[attr-defined]
        if self.rare or len(shown) < len(others):
            self.epilog = "All options and details: --help-all"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help with all options for --help-all."""
        if "--help-all" in args:
            for parameter in self.rare:
                parameter.hidden = False  # type: ignore[attr-defined]
            self.help, self.epilog = self.whole_help, None
            typer.echo(self.get_help(ctx))
            ctx.exit()
        return super().parse_args(ctx, args)


def group(**options: Any) -> typer.Typer:
    """Return a group of commands with plain help."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"max_content_width": 100},
        **options,
    )


app = group()
for function in (
    *(demo, evaluate, metrics, discover, view, convert, methods, warmup, build),
    *(run, resume, status, explain, report, leaderboard, reproduce, submit, board),
):
    app.command(cls=Command)(as_command(function))
_datasets = group(invoke_without_command=True)
_datasets.callback()(datasets.datasets)
_store = group(help="List, remove, repair, pack or merge the runs of stores.")
GROUPS: tuple[tuple[typer.Typer, tuple[Any, ...]], ...] = (
    (_datasets, (datasets.list_, datasets.fetch, datasets.select)),
    (_store, (store.list_, store.remove, store.repair, store.pack, store.merge)),
)
for of_group, functions in GROUPS:
    for each in functions:
        name = each.__name__.strip("_")  # list_ is named so for Python
        of_group.command(name, cls=Command)(as_command(each))
app.add_typer(_datasets, name="datasets")
app.add_typer(_store, name="store")


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
