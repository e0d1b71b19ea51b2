"""``tsmdbench leaderboard``: a new method among the published baselines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.run import failures_in_one_sentence


def leaderboard(
    *,
    add: Annotated[
        list[Path] | None,
        typer.Option(
            help="Store whose methods are ranked too; may be repeated.",
            metavar="STORE",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Only these; may be repeated.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="What decides: prom_f1, prom_macro_f1, ...")
    ] = "prom_f1",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Rank methods among the baselines of the package, without running these again.

    Example: tsmdbench leaderboard --add my-store

    Everything is compared on the problems that the added stores have.
    """
    from tsmdbench.analysis.standings import leaderboard as rank

    with failures_in_one_sentence(Path()):
        board = rank(add or (), metric=metric, datasets=dataset)
    if as_json:
        rows = json.loads(board.table.to_json(orient="records"))
        typer.echo(json.dumps({"notes": list(board.notes), "rows": rows}))
    else:
        typer.echo(board)
