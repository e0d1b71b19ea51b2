"""``tsmdbench board``: make a leaderboard site of submitted files."""

from __future__ import annotations

from pathlib import Path

import typer

from tsmdbench.cli.options import chosen_baselines
from tsmdbench.cli.output import say


def board(
    files: list[Path],
    *,
    out: Path = Path("site"),
    title: str = "Motif discovery leaderboard",
    baselines: str = "best",
    embed: str = "auto",
    explorers: bool = True,
    checks: Path | None = None,
    quiet: bool = False,
) -> None:
    """Make a static leaderboard site from submitted files.

    Example: tsmdbench board mine.zip yours.zip --out site

    Every file is verified first. The site needs no server: it opens from a folder, and
    any web space can host it. Give all files again to add, replace or withdraw one.

    Options:
    files FILES: Files written by 'submit'.
    out: Folder for the site.
    baselines NAME: Published results to show: 'best', 'paper' or 'none'.
    checks FOLDER: Folder with the receipts of your own checks: 'submit --check'.

    Rare options:
    title: Heading of the site.
    embed: Series in the explorers: auto, all, none, or problems per dataset.
    explorers --explorers/--no-explorers: Write the explorer of each suite.
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
        told=(lambda _: None) if quiet else say,
    )
    if not quiet:
        typer.echo(made)
