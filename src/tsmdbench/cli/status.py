"""``tsmdbench status``: count the runs in a store."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import counted


def status(
    store: Annotated[Path, typer.Argument(help="Store written by 'run'.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Count the runs in a store by status, and show whether it is being written.

    Example: tsmdbench status my-store
    """
    from tsmdbench.experiments.store import Store
    from tsmdbench.experiments.store.lock import writer_of

    opened = Store(store)
    counts = opened.counts()
    planned = opened.manifest.get("planned", [])
    writer = writer_of(store)
    unverified = opened.unverified()
    if as_json:
        names = ("dataset", "split", "method", "status")
        rows = [
            {**dict(zip(names, what, strict=True)), "runs": n}
            for what, n in sorted(counts.items())
        ]
        about = {"planned": planned, "writer": writer, "unverified": unverified}
        typer.echo(json.dumps({"rows": rows, **about}))
        return
    typer.echo(_table(counts))
    total = sum(counts.values())
    runs = counted(total, "run")
    if len(planned) == 1:
        runs = f"{total} of {counted(planned[0], 'requested run')}"
    state = f"being written by {writer}" if writer else "no active writer"
    typer.echo(f"\n{runs}; {state}")
    if unverified:
        typer.echo(
            f"unverified: {counted(unverified, 'run')} stored without a hash of the "
            f"problem, so that a change of its series would not be noticed"
        )


def _table(counts: Counter[tuple[str, str, str, str]]) -> str:
    """Return a line per dataset, split and method, a column per status."""
    from tsmdbench.experiments.store.rows import STATUSES

    groups = sorted({what[:3] for what in counts})
    head = ("dataset", "split", "method")
    widths = [max(map(len, column)) for column in zip(head, *groups, strict=True)]
    lines = []
    for group in [head, *groups]:
        names = "  ".join(f"{n:<{w}}" for n, w in zip(group, widths, strict=True))
        cells = STATUSES if group is head else [counts[(*group, s)] for s in STATUSES]
        lines.append(names + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(lines)
