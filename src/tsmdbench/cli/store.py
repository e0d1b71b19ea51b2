"""``tsmdbench store``: look after a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.run import failures_in_one_sentence

store = typer.Typer(help="Look after a store.", rich_markup_mode=None)


@store.callback()
def options() -> None:
    """Look after a store: repair, pack."""


@store.command()
def repair(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what is damaged.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Read every byte of a store and set damaged parts aside.

    Example: tsmdbench store repair my-store

    A damaged part is renamed, not deleted; its runs are missing afterwards and
    'tsmdbench resume' does them again.
    """
    from tsmdbench.experiments.store.damage import damaged_parts, set_aside

    with failures_in_one_sentence(path):
        broken = damaged_parts(path) if dry_run else set_aside(path)
    if as_json:
        typer.echo(json.dumps({str(part): fault for part, fault in broken.items()}))
        return
    for part, fault in broken.items():
        typer.echo(f"{part}: {fault}{'' if dry_run else '; set aside'}")
    if not broken:
        typer.echo(f"{path}: every part is whole")
    elif not dry_run:
        typer.echo(f"continue with 'tsmdbench resume {path}'")


@store.command()
def pack(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    out: Annotated[Path, typer.Argument(help="Folder for the packed one.")],
    *,
    split: Annotated[str, typer.Option(help="'test' or 'validation'.")] = "test",
) -> None:
    """Write the runs of one split, without those of searches, to a store to publish.

    Example: tsmdbench store pack my-store published
    """
    from tsmdbench.experiments.store.pack import pack as write

    with failures_in_one_sentence(path):
        packed = write(path, out, split=split)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    typer.echo(f"{len(packed)} runs in {out} ({size / 2**20:.1f} MiB)")
