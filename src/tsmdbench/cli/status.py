"""``tsmdbench status``: count the runs in a store."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.experiments.store.contents import FailureKind

LONGEST = 300  # characters of a message


def status(
    store: Annotated[Path, typer.Argument(help="Store written by 'run'.")],
    *,
    tracebacks: Annotated[
        bool,
        typer.Option("--traceback", help="Also show where runs failed."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Count the runs in a store by status, and show why runs failed.

    Also shows whether the store is being written. Failed runs are counted by method
    and message, ignoring differences in numbers. Failures of older
    versions of a method are not shown.

    Examples: tsmdbench status my-store

    tsmdbench status my-store --traceback
    """
    from tsmdbench.experiments.store import Store
    from tsmdbench.experiments.store.contents import contents, failure_kinds
    from tsmdbench.experiments.store.lock import writer_of

    opened = Store(store)
    counts = opened.counts()
    planned = opened.manifest.get("planned", [])
    writer = writer_of(store)
    failures = failure_kinds(opened)
    if as_json:
        names = ("dataset", "split", "method", "status")
        rows = [
            {**dict(zip(names, what, strict=True)), "runs": n}
            for what, n in sorted(counts.items())
        ]
        about = {
            "planned": planned,
            "writer": writer,
            "failures": [failure._asdict() for failure in failures],
        }
        typer.echo(json.dumps({"rows": rows, **about}))
        return
    typer.echo(_table(counts))
    found = contents(opened)
    newest = {(entry.method, entry.version) for entry in found if entry.newest}
    for failure in failures:
        if failure[:2] in newest:
            typer.echo(_described(failure, tracebacks=tracebacks))
    older = sum(entry.runs for entry in found if not entry.newest)
    total = sum(counts.values()) - older
    runs = counted(total, "run")
    if len(planned) == 1:
        runs = f"{total} of {counted(planned[0], 'requested run')}"
    if older:
        runs += f", and {counted(older, 'run')} of older versions"
    state = f"being written by {writer}" if writer else "no active writer"
    typer.echo(f"\n{runs}; {state}")


def _described(failure: FailureKind, *, tracebacks: bool) -> str:
    """Return how often a method failed in one way, and what it said last."""
    lines = failure.message.splitlines() or ["no message"]
    more = " ..." if len(lines) > 1 else ""
    place = failure.traceback.splitlines()
    said = [
        f"\n{failure.method} failed in {counted(failure.runs, 'run')} "
        f"({failure.status}), last on {failure.problem}:",
        f"  {lines[0][:LONGEST]}{more}",
    ]
    if tracebacks and place:
        said += [f"    {line}" for line in place]
    elif place:
        said.append(f"    {place[-1]}")
    return "\n".join(said)


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
