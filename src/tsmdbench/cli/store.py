"""``tsmdbench store``: list what is in a store, remove from it, repair, pack, merge."""

from __future__ import annotations

from pathlib import Path

import typer

from tsmdbench.cli.output import print_json, print_table
from tsmdbench.plural import counted


def list_(path: Path, *, as_json: bool = False) -> None:
    """List the methods of a store with their versions, oldest first.

    Example: tsmdbench store list my-store

    The newest version of a method is the one requested last; the leaderboard
    and the report show that one unless --version is given.

    Options:
    path STORE: The store.
    """
    from tsmdbench.experiments.edit import contents
    from tsmdbench.experiments.store import Store

    found = contents(Store(path))
    if as_json:
        print_json([entry._asdict() for entry in found])
        return
    head = ("method", "version", "", "runs", "failed", "datasets", "seeds", "requested")
    rows = [
        (
            entry.method,
            entry.version,
            "newest" if entry.newest else "",
            entry.runs,
            entry.failed,
            entry.datasets,
            entry.seeds or "-",
            entry.since or "-",
        )
        for entry in found
    ]
    print_table(head, rows, text=(0, 1, 2, 7))


def remove(
    path: Path,
    *,
    method: str,
    version: str | None = None,
    setting: str | None = None,
    dry_run: bool = False,
) -> None:
    """Delete the runs of a method, of one version or of one setting, from a store.

    Examples: tsmdbench store remove my-store --method my_file:Mine

    tsmdbench store remove my-store --method my_file:Mine --setting untuned

    Without --version and --setting, 'tsmdbench resume' no longer runs the method, and
    the results of its tuning are deleted. '--setting untuned' keeps the winners of the
    search on each dataset, so that a store that was run without and then with --tune
    can be submitted. This cannot be undone.

    Options:
    path STORE: The store.
    method: As 'tsmdbench store list' shows it.
    setting: Only test runs with this setting: 'untuned', 'tuned', or values of fields
        as JSON.
    dry_run: Only count the runs.
    version: Only this version; all of them by default.
    """
    from tsmdbench.experiments.edit import remove_method

    gone = remove_method(path, method, version, setting=setting, dry_run=dry_run)
    verb = "would be removed" if dry_run else "removed"
    typer.echo(f"{counted(gone, 'run')} {verb} from {path}")


def repair(path: Path, *, dry_run: bool = False, as_json: bool = False) -> None:
    """Check every part of a store and rename damaged parts.

    Example: tsmdbench store repair my-store

    A damaged part is renamed, not deleted. 'tsmdbench resume' then repeats its runs.

    Options:
    path STORE: The store.
    dry_run: Only list damaged parts.
    """
    from tsmdbench.experiments.edit import set_aside
    from tsmdbench.experiments.store import Store

    broken = Store(path).damaged_parts() if dry_run else set_aside(path)
    if as_json:
        print_json({str(part): fault for part, fault in broken.items()})
        return
    for part, fault in broken.items():
        typer.echo(f"{part}: {fault}{'' if dry_run else '; renamed'}")
    if not broken:
        typer.echo(f"{path}: no damaged part")
    elif not dry_run:
        typer.echo(f"continue with 'tsmdbench resume {path}'")


def pack(path: Path, out: Path, *, split: str = "test") -> None:
    """Write the runs of one split, without those of tuning, to a new store.

    Example: tsmdbench store pack my-store published

    Options:
    path STORE: The store.
    out: Folder of the packed store.
    """
    from tsmdbench.experiments.edit import pack as write

    packed = write(path, out, split=split)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    typer.echo(f"{counted(len(packed), 'run')} in {out} ({size / 2**20:.1f} MiB)")


def merge(paths: list[Path], *, out: Path) -> None:
    """Join the stores of the parts of one experiment into a new one.

    Example: tsmdbench store merge part-* --out all

    The parts are made by 'tsmdbench run --shard'. Stores of another request, other data
    or another version of a method are refused.

    Options:
    paths STORE...: The stores of the parts.
    out: Folder of the new store.
    """
    from tsmdbench.experiments.edit import merge_stores

    made = merge_stores(paths, out)
    planned = made.manifest.get("planned", [])
    runs = counted(len(made), "run")
    if len(planned) == 1:
        runs = f"{len(made)} of {counted(planned[0], 'requested run')}"
    typer.echo(f"{runs} in {out}")
