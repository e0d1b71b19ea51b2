"""``tsmdbench leaderboard``: rank a method among the published baselines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Version, chosen_baselines


def leaderboard(
    *,
    add: Annotated[
        list[Path] | None,
        typer.Option(
            help="Store with methods to add to the ranking; may be repeated.",
            metavar="STORE",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Use only this dataset; may be repeated.")
    ] = None,
    baselines: Annotated[
        str,
        typer.Option(
            help="'best' (recommended parameters), 'paper' (defaults of the methods' "
            "public code) or 'both', for TSMD-Bench; 'recordings' or "
            "'recordings-pvldb', for the recordings suite; 'none' ranks "
            "only the added methods.",
            metavar="NAME",
        ),
    ] = "best",
    only: Annotated[
        str | None,
        typer.Option(
            help="Compare only these methods, separated by commas; 'mine' means "
            "the added ones.",
            metavar="METHODS",
        ),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            help="Metric to rank by: a name of 'tsmdbench metrics', or "
            "./file.py:function."
        ),
    ] = "prom_f1",
    version: Version = "newest",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Rank methods among the published baselines without running those again.

    Example: tsmdbench leaderboard --add my-store

    Methods are compared on the problems of the added stores.
    """
    from tsmdbench.analysis import leaderboard as rank

    board = rank(
        add or (),
        metric=metric,
        datasets=dataset,
        baselines=chosen_baselines(baselines),
        version=version,
        only=only,
    )
    if as_json:
        rows = json.loads(board.table.to_json(orient="records"))
        typer.echo(json.dumps({"notes": list(board.notes), "rows": rows}))
    else:
        typer.echo(board)
