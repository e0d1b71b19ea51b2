"""What a store has: versions of methods, and kinds of failures."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from tsmdbench.experiments.seeds import SEED
from tsmdbench.experiments.store.rows import STATUSES
from tsmdbench.experiments.store.store import Store
from tsmdbench.experiments.store.versions import noted_since

NUMBER = re.compile(r"[+-]?[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?", re.IGNORECASE)


class Contents(NamedTuple):
    """The runs of one version of a method.

    Attributes
    ----------
    method, version : str
    newest : bool
        Whether this version is what a leaderboard shows.
    runs, failed, datasets : int
        How many there are, those of searches included.
    seeds : int
        Different values of the field `seed`; 0 where the method has none.
    since : str
        When it was asked for last, in local time; empty if that was not noted.
    """

    method: str
    version: str
    newest: bool
    runs: int
    failed: int
    datasets: int
    seeds: int
    since: str


def contents(store: Store) -> list[Contents]:
    """Return what a store has, by method and version, the newest version last."""
    names = ["method", "version", "status", "dataset", "parameters"]
    table = store.table(names)
    rows: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    columns = (table[name].to_pylist() for name in names)
    for method, version, *rest in zip(*columns, strict=True):
        rows.setdefault((method, version), []).append((rest[0], rest[1], rest[2]))
    manifest = store.manifest
    return [
        Contents(
            method,
            version,
            version == versions[-1],
            len(rows[method, version]),
            sum(status != "ok" for status, _, _ in rows[method, version]),
            len({dataset for _, dataset, _ in rows[method, version]}),
            _count_seeds({text for _, _, text in rows[method, version]}),
            noted_since(manifest, method, version),
        )
        for method, versions in store.versions().items()
        for version in versions
    ]


def _count_seeds(parameters: set[str]) -> int:
    given = [json.loads(text) for text in parameters]
    return len({json.dumps(fields[SEED]) for fields in given if SEED in fields})


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
        Where that raised, see `execution.child`; empty where it is not known.
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
