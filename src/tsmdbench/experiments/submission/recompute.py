"""Repeat a share of the runs, and compare what is found.

The author of a submission repeats a sample that follows from the hash of the runs: it
cannot be chosen, and a run that is changed afterwards changes it. The keeper of a board
repeats a sample that the author cannot know. Runs that ended by a limit are not
repeated: whether a limit is broken depends on the machine.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.experiments.environments.environment import Environment
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.platforms import check_platform
from tsmdbench.experiments.sources import folders_of, load_problems
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.submission.check import SPLIT

LEAST = 0.1  # share of the runs
COLUMNS = [
    "method", "version", "dataset", "problem", "parameters", "status", "found",
]  # fmt: skip


@dataclass(frozen=True)
class Recomputed:
    """The outcome of repeating runs.

    Attributes
    ----------
    share : float
        Part of the runs that was repeated.
    of : str
        Hash of all runs, see `runs_digest`.
    runs, equal : int
        How many were repeated, and how many of them found the same.
    different : tuple of str
        The others, in words.
    """

    share: float
    of: str
    runs: int
    equal: int
    different: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it, without the words."""
        names = ("share", "of", "runs", "equal")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_dict(cls, given: Any) -> Recomputed:
        """Return what `to_dict` gave; raise `ValueError` for anything else."""
        if not isinstance(given, dict):
            raise ValueError("'recomputed' must have names and values")
        share, of, runs, equal = (
            given.get(n) for n in ("share", "of", "runs", "equal")
        )
        number = isinstance(share, float | int) and not isinstance(share, bool)
        if not number or not LEAST <= float(str(share)) <= 1.0:
            raise ValueError(
                f"the share recomputed must be a number in [{LEAST:g}, 1], got "
                f"{share!r:.80}"
            )
        if not isinstance(runs, int) or not isinstance(equal, int):
            raise ValueError("the runs recomputed must be whole numbers")
        if not isinstance(of, str):
            raise ValueError("the hash of the runs must be a text")
        return cls(float(str(share)), of, runs, equal)


def recompute(
    store: Store,
    methods: Sequence[str],
    *,
    share: float = LEAST,
    seed: int | None = None,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Recomputed:
    """Repeat a share of the test runs of some methods.

    Parameters
    ----------
    store : Store
    methods : sequence of str
    share : float
        In [0.1, 1].
    seed : int, optional
        Of the draw; by default it follows from the hash of the runs.
    told : callable
        Is told how many are done, and of how many.

    Raises
    ------
    InputError
        The share is too small, or a method is not the version that made the runs.
    """
    check_share(share)
    check_platform()
    digest = runs_digest(store, methods)
    rows = sample(store, methods, share, int(digest, 16) if seed is None else seed)
    environments = environments_of(store)
    _check_versions(rows, environments)
    different: list[str] = []
    from tsmdbench.experiments.execution.supervisor import Supervisor
    from tsmdbench.experiments.execution.task import Task

    problems: dict[str, dict[str, Any]] = {}
    folders = folders_of(store.manifest)
    supervisor = Supervisor(_limits(store))
    try:
        for done, row in enumerate(rows):
            told(done, len(rows))
            dataset = row["dataset"]
            if dataset not in problems:
                loaded = load_problems(dataset, SPLIT, folders=folders)
                problems = {dataset: {p.name: p for p in loaded}}
            if row["problem"] not in problems[dataset]:
                different.append(f"{_said(row)}: there is no such problem")
                continue
            task = Task(
                row["method"],
                (json.loads(row["parameters"]),),
                problems[dataset][row["problem"]].series,
                environment=environments.get(row["method"]),
            )
            ((outcome,),) = supervisor.run([task])
            if (outcome.status, outcome.found) != (row["status"], row["found"]):
                different.append(f"{_said(row)}: {_difference(row, outcome)}")
    finally:
        supervisor.stop()
    equal = len(rows) - len(different)
    return Recomputed(float(share), digest, len(rows), equal, tuple(different))


def check_share(share: float) -> None:
    """Raise unless a share of the runs is large enough to be recomputed."""
    if not (isinstance(share, float | int) and LEAST <= share <= 1.0):
        raise InputError(
            f"at least a tenth of the runs must be recomputed: the share must lie in "
            f"[{LEAST:g}, 1], got {share!r}"
        )


def runs_digest(store: Store, methods: Sequence[str]) -> str:
    """Return a hash of the test runs of some methods, in whatever order they are."""
    rows = store.table(COLUMNS, {"split": SPLIT, "method": list(methods)}).to_pylist()
    lines = sorted(json.dumps([row[name] for name in COLUMNS]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def sample(
    store: Store, methods: Sequence[str], share: float, seed: int
) -> list[dict[str, Any]]:
    """Return the runs that are repeated, dataset by dataset."""
    rng = np.random.default_rng(seed)
    drawn = []
    for method in sorted(methods):
        rows = store.table(COLUMNS, {"split": SPLIT, "method": method}).to_pylist()
        rows = [row for row in rows if row["status"] in ("ok", "error")]
        rows.sort(key=lambda row: (row["dataset"], row["problem"], row["parameters"]))
        number = math.ceil(share * len(rows))
        drawn += [rows[n] for n in rng.choice(len(rows), number, replace=False)]
    return sorted(drawn, key=lambda row: (row["dataset"], row["method"]))


def environments_of(store: Store) -> dict[str, Environment]:
    """Return where the methods of a store were run, if not here."""
    kept = [Specification.from_dict(one) for one in store.specifications]
    return {
        method: one.environment
        for one in kept
        if one.environment is not None
        for method in one.methods
    }


def _limits(store: Store) -> Limits:
    """Return the largest limits that runs of a store had."""
    kept = [Specification.from_dict(one).limits for one in store.specifications]
    if not kept:
        return Limits()
    return max(kept, key=lambda limits: (limits.seconds, limits.memory))


def _check_versions(
    rows: Sequence[dict[str, Any]], environments: dict[str, Environment]
) -> None:
    for method in {row["method"] for row in rows}:
        here = describe(method, environments.get(method)).version
        stored = {row["version"] for row in rows if row["method"] == method}
        if stored != {here}:
            raise InputError(
                f"{method} is version {here} here, but the runs are of "
                f"{', '.join(sorted(stored))}: run it again, or use that version"
            )


def _said(row: dict[str, Any]) -> str:
    return f"{row['method']} on {row['problem']} of {row['dataset']}"


def _difference(row: dict[str, Any], outcome: Any) -> str:
    if outcome.status != row["status"]:
        return f"{row['status']} became {outcome.status} {outcome.message}".strip()
    return f"{len(row['found'])} stored sets, {len(outcome.found)} now, not the same"
