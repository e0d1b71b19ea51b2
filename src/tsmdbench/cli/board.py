"""``tsmdbench board``: make a leaderboard site of submitted files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Quiet, chosen_baselines


def board(
    files: Annotated[
        list[Path], typer.Argument(help="Files written by 'submit'.", metavar="FILES")
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder for the site.")] = Path("site"),
    title: Annotated[
        str, typer.Option(help="Heading of the site.")
    ] = "Motif discovery leaderboard",
    baselines: Annotated[
        str,
        typer.Option(
            help="Published results to show: 'best', 'paper' or 'none'.", metavar="NAME"
        ),
    ] = "best",
    embed: Annotated[
        str,
        typer.Option(
            help="Series in the explorers: auto, all, none, or problems per dataset."
        ),
    ] = "auto",
    explorers: Annotated[
        bool,
        typer.Option("--explorers/--no-explorers", help="Write an explorer per entry."),
    ] = True,
    checks: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the receipts of your own checks: 'submit --check'.",
            metavar="FOLDER",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make a static leaderboard site from submitted files.

    Example: tsmdbench board mine.zip yours.zip --out site

    Every file is verified first. The site needs no server: it opens from a folder, and
    any web space can host it. Give all files again to add, replace or withdraw one.
    """
    from tsmdbench.report.board import write_board

    made = write_board(
        files,
        out,
        title=title,
        baselines=chosen_baselines(baselines),
        embed=embed,
        explorers=explorers,
        checks=checks,
        told=(lambda _: None) if quiet else _say,
    )
    if not quiet:
        typer.echo(made)


def _say(text: str) -> None:
    typer.echo(text, err=True)
