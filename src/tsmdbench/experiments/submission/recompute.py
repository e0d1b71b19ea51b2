"""Do a random share of runs again, and compare what is found.

Runs that ended by a limit are not repeated: whether a limit is broken depends on the
machine.
"""

from __future__ import annotations

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

COLUMNS = [
    "method", "version", "dataset", "problem", "parameters", "status", "found",
]  # fmt: skip


@dataclass(frozen=True)
class Recomputed:
    """What came of doing runs again.

    Attributes
    ----------
    runs, equal : int
        How many were done again, and how many of them found the same.
    different : tuple of str
        The others, in words.
    """

    share: float
    seed: int
    runs: int
    equal: int
    different: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it, without the words."""
        return {
            "share": self.share,
            "seed": self.seed,
            "runs": self.runs,
            "equal": self.equal,
        }


def recompute(
    store: Store,
    methods: Sequence[str],
    *,
    share: float = 0.1,
    seed: int = 0,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Recomputed:
    """Do a random share of the test runs of some methods again.

    Parameters
    ----------
    store : Store
    methods : sequence of str
    share : float
        In [0, 1]; at least one run of each method if it is above 0.
    seed : int
        Which runs are drawn.
    told : callable
        Is told how many are done, and of how many.

    Raises
    ------
    InputError
        A method is not the version that made the runs.
    """
    if not (isinstance(share, float | int) and 0.0 <= share <= 1.0):
        raise InputError(f"the share to recompute must lie in [0, 1], got {share!r}")
    check_platform()
    rows = _drawn(store, methods, share, seed)
    environments = environments_of(store)
    _check_versions(rows, environments)
    different: list[str] = []
    from tsmdbench.experiments.execution.job import Job
    from tsmdbench.experiments.execution.supervisor import Supervisor

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
            job = Job(
                row["method"],
                (json.loads(row["parameters"]),),
                problems[dataset][row["problem"]].series,
                environment=environments.get(row["method"]),
            )
            ((outcome,),) = supervisor.run([job])
            if (outcome.status, outcome.found) != (row["status"], row["found"]):
                different.append(f"{_said(row)}: {_difference(row, outcome)}")
    finally:
        supervisor.stop()
    equal = len(rows) - len(different)
    return Recomputed(float(share), seed, len(rows), equal, tuple(different))


def _drawn(
    store: Store, methods: Sequence[str], share: float, seed: int
) -> list[dict[str, Any]]:
    """Return the runs that are done again, dataset by dataset."""
    rng = np.random.default_rng(seed)
    drawn = []
    for method in methods:
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
