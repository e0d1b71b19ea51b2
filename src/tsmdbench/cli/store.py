"""``tsmdbench store``: list what is in a store, remove from it, repair, pack, merge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.plural import counted

store = typer.Typer(
    help="List, remove, repair, pack or merge the runs of stores.",
    rich_markup_mode=None,
)


@store.callback()
def options() -> None:
    """List, remove, repair, pack or merge the runs of stores."""


@store.command(name="list")
def show(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the methods of a store with their versions, oldest first.

    Example: tsmdbench store list my-store

    The newest version of a method is the one requested last; the leaderboard
    and the report show that one unless --version is given.
    """
    from tsmdbench.experiments.store import Store
    from tsmdbench.experiments.store.contents import contents

    found = contents(Store(path))
    if as_json:
        typer.echo(json.dumps([entry._asdict() for entry in found]))
        return
    head = ("method", "version", "", "runs", "failed", "datasets", "seeds", "requested")
    rows = [
        (
            entry.method,
            entry.version,
            "newest" if entry.newest else "",
            str(entry.runs),
            str(entry.failed),
            str(entry.datasets),
            str(entry.seeds or "-"),
            entry.since or "-",
        )
        for entry in found
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = (
            f"{cell:>{width}}" if place in range(3, 7) else f"{cell:<{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        typer.echo("  ".join(cells).rstrip())


@store.command()
def remove(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    *,
    method: Annotated[str, typer.Option(help="As 'tsmdbench store list' shows it.")],
    version: Annotated[
        str | None, typer.Option(help="Only this version; all of them by default.")
    ] = None,
    setting: Annotated[
        str | None,
        typer.Option(
            help="Only test runs with this setting: 'untuned', 'tuned', or values of "
            "fields as JSON."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count the runs.")
    ] = False,
) -> None:
    """Delete the runs of a method, of one version or of one setting, from a store.

    Examples: tsmdbench store remove my-store --method my_file:Mine

    tsmdbench store remove my-store --method my_file:Mine --setting untuned

    Without --version and --setting, 'tsmdbench resume' no longer runs the method, and
    the results of its tuning are deleted. '--setting untuned' keeps the winners of the
    search on each dataset, so that a store that was run without and then with --tune
    can be submitted. This cannot be undone.
    """
    from tsmdbench.experiments.store.edit import remove_method

    gone = remove_method(path, method, version, setting=setting, dry_run=dry_run)
    verb = "would be removed" if dry_run else "removed"
    typer.echo(f"{counted(gone, 'run')} {verb} from {path}")


@store.command()
def repair(
    path: Annotated[Path, typer.Argument(help="The store.", metavar="STORE")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list damaged parts.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Check every part of a store and rename damaged parts.

    Example: tsmdbench store repair my-store

    A damaged part is renamed, not deleted. 'tsmdbench resume' then repeats its runs.
    """
    from tsmdbench.experiments.store.edit import damaged_parts, set_aside

    broken = damaged_parts(path) if dry_run else set_aside(path)
    if as_json:
        typer.echo(json.dumps({str(part): fault for part, fault in broken.items()}))
        return
    for part, fault in broken.items():
        typer.echo(f"{part}: {fault}{'' if dry_run else '; renamed'}")
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
    from tsmdbench.experiments.store.edit import pack as write

    packed = write(path, out, split=split)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    typer.echo(f"{counted(len(packed), 'run')} in {out} ({size / 2**20:.1f} MiB)")


@store.command()
def merge(
    paths: Annotated[
        list[Path], typer.Argument(help="The stores of the parts.", metavar="STORE...")
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the new store.")],
) -> None:
    """Join the stores of the parts of one experiment into a new one.

    Example: tsmdbench store merge part-* --out all

    The parts are made by 'tsmdbench run --shard'. Stores of another request, other data
    or another version of a method are refused.
    """
    from tsmdbench.experiments.store.edit import merge_stores

    made = merge_stores(paths, out)
    planned = made.manifest.get("planned", [])
    runs = counted(len(made), "run")
    if len(planned) == 1:
        runs = f"{len(made)} of {counted(planned[0], 'requested run')}"
    typer.echo(f"{runs} in {out}")
