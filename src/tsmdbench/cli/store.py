"""``tsmdbench store``: repair and pack a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import counted

store = typer.Typer(help="Repair or pack a store.", rich_markup_mode=None)


@store.callback()
def options() -> None:
    """Repair or pack a store."""


@store.command()
def repair(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list damaged parts.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Check every part of a store and set damaged parts aside.

    Example: tsmdbench store repair my-store

    A damaged part is renamed, not deleted. 'tsmdbench resume' then repeats its runs.
    """
    from tsmdbench.experiments.store.damage import damaged_parts, set_aside

    broken = damaged_parts(path) if dry_run else set_aside(path)
    if as_json:
        typer.echo(json.dumps({str(part): fault for part, fault in broken.items()}))
        return
    for part, fault in broken.items():
        typer.echo(f"{part}: {fault}{'' if dry_run else '; set aside'}")
    if not broken:
        typer.echo(f"{path}: no damaged part")
    elif not dry_run:
        typer.echo(f"continue with 'tsmdbench resume {path}'")


@store.command()
def pack(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    out: Annotated[Path, typer.Argument(help="Folder of the packed store.")],
    *,
    split: Annotated[str, typer.Option(help="'test' or 'validation'.")] = "test",
) -> None:
    """Write the runs of one split, without those of tuning, to a new store.

    Example: tsmdbench store pack my-store published
    """
    from tsmdbench.experiments.store.pack import pack as write

    packed = write(path, out, split=split)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    typer.echo(f"{counted(len(packed), 'run')} in {out} ({size / 2**20:.1f} MiB)")
