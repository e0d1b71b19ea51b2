"""``tsmdbench status``: count the runs in a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tsmdbench.cli.output import print_json, print_table
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.experiments.edit import FailureKind

LONGEST = 300  # characters of a message


def status(store: Path, *, tracebacks: bool = False, as_json: bool = False) -> None:
    """Count the runs in a store by status, and show why runs failed.

    Also shows whether the store is being written. Failed runs are counted by method
    and message, ignoring differences in numbers. Failures of older
    versions of a method are not shown.

    Examples: tsmdbench status my-store

    tsmdbench status my-store --traceback

    Options:
    store: Store written by 'run'.
    tracebacks --traceback: Also show where runs failed.
    """
    from tsmdbench.experiments.edit import contents, failure_kinds
    from tsmdbench.experiments.rows import STATUSES
    from tsmdbench.experiments.store import Store, writer_of

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
        print_json({"rows": rows, **about})
        return
    groups = sorted({what[:3] for what in counts})
    print_table(
        ("dataset", "split", "method", *STATUSES),
        [(*group, *(counts[(*group, s)] for s in STATUSES)) for group in groups],
        text=range(3),
    )
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
