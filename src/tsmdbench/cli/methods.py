"""``tsmdbench methods``: list the methods."""

from __future__ import annotations

from typing import Any

from tsmdbench.cli.output import print_json, print_table

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


def methods(*, as_json: bool = False) -> None:
    """List the methods: what each can do, and which parameters it needs.

    Example: tsmdbench methods --json

    Methods of other packages are listed too, if they use the entry-point group
    tsmdbench.methods. Variable length: "inter" between sets, "intra" within a set.
    """
    from tsmdbench.methods.info import catalogue

    rows = catalogue()
    if as_json:
        print_json([{key: getattr(row, key) for key in COLUMNS} for row in rows])
        return
    cells = [
        (
            row.name,
            *map(_word, (row.variable_length, row.multivariate, row.symbolic)),
            ", ".join(row.parameters),
        )
        for row in rows
    ]
    print_table(HEADER, cells, text=range(len(HEADER)))


def _word(fact: Any) -> str:
    """Return a fact as a word; a third-party class may not declare it."""
    if fact is None:
        return "?"
    return fact if isinstance(fact, str) else ("yes" if fact else "no")
