"""Which runs of a store failed, and why: one entry per method and kind of failure."""

from __future__ import annotations

import re
from typing import NamedTuple

from tsmdbench.experiments.store.rows import STATUSES
from tsmdbench.experiments.store.store import Store

NUMBER = re.compile(r"[+-]?[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?", re.IGNORECASE)


class FailureKind(NamedTuple):
    """Runs of one method that failed alike.

    Attributes
    ----------
    method, version, status : str
    runs : int
        How many.
    message : str
        What the last of them said; the others differ from it in numbers only.
    problem : str
        The problem of the last one, as ``dataset: problem``.
    traceback : str
        Where that raised, see `execution.tracebacks`; empty where it is not known.
    """

    method: str
    version: str
    status: str
    runs: int
    message: str
    problem: str
    traceback: str


def failure_kinds(store: Store) -> list[FailureKind]:
    """Return the failures of a store by method and kind, the most frequent first.

    Messages that differ in numbers only are of one kind.
    """
    columns = ["method", "version", "status", "message", "dataset", "problem"]
    table = store.table([*columns, "traceback"], {"status": STATUSES[1:]})
    found: dict[tuple[str, ...], FailureKind] = {}
    for row in table.to_pylist():
        kind = NUMBER.sub("#", row["message"])
        key = (row["method"], row["version"], row["status"], kind)
        before = found[key].runs if key in found else 0
        found[key] = FailureKind(
            *key[:3],
            before + 1,
            row["message"],
            f"{row['dataset']}: {row['problem']}",
            row["traceback"] or "",
        )
    return sorted(found.values(), key=lambda each: (each.method, -each.runs, each))
