"""``tsmdbench methods``: list the methods."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tsmdbench.methods.info import MethodInfo

COLUMNS = (
    "name",
    "method",
    "variable_length",
    "multivariate",
    "symbolic",
    "parameters",
    "options",
    "summary",
)
HEADER = ("method", "variable length", "multivariate", "symbolic", "parameters")


def methods(
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON.")
    ] = False,
) -> None:
    """List the methods: what each can do, and which parameters it needs.

    Example: tsmdbench methods --json

    Methods of other packages are listed too, if they use the entry-point group
    tsmdbench.methods. Variable length: "inter" between sets, "intra" within a set.
    """
    from tsmdbench.methods.info import catalogue

    rows = catalogue()
    if as_json:
        typer.echo(
            json.dumps(
                [{key: getattr(row, key) for key in COLUMNS} for row in rows],
                default=str,
            )
        )
        return
    typer.echo(_table([HEADER, *map(_cells, rows)]))


def _cells(row: MethodInfo) -> tuple[str, ...]:
    return (
        row.name,
        _word(row.variable_length),
        _word(row.multivariate),
        _word(row.symbolic),
        ", ".join(row.parameters),
    )


def _word(fact: Any) -> str:
    """Return a fact as a word; a third-party class may not declare it."""
    if fact is None:
        return "?"
    return fact if isinstance(fact, str) else ("yes" if fact else "no")


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )
