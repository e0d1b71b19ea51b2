"""A group: one method with its settings on the problems of one split of a dataset.

It knows the key of each of its runs, so what is in a store already is left out, and
running again fills in what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.experiments.execution.job import Job
from tsmdbench.experiments.method_info import Described
from tsmdbench.experiments.store.rows import Run, parameters_text, run_keys
from tsmdbench.experiments.store.truth import data_digest
from tsmdbench.types import Problem

Missing = tuple[int, tuple[int, ...]]  # positions of a problem and of settings on it


@dataclass(frozen=True, eq=False)
class Group:
    """One method with its settings on some problems.

    Parameters
    ----------
    method : Described
    dataset, split : str
    problems : sequence of Problem
    settings : sequence of mapping
        All hyperparameters of each setting.
    names : tuple of str
        Of the problems: a benchmark would have to put them together to know.
    data : callable, optional
        Returns the hash of each problem where that is known; otherwise each problem is
        put together once for it.
    """

    method: Described
    dataset: str
    split: str
    problems: Sequence[Problem]
    settings: Sequence[Mapping[str, Any]]
    names: tuple[str, ...]
    data: Callable[[], tuple[str, ...]] | None = None

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The hash of each problem, which is part of the keys of its runs."""
        if self.data is not None:
            return self.data()
        return tuple(data_digest(problem) for problem in self.problems)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """One run per setting; problem and data are left open."""
        return tuple(
            Run(
                self.method.name,
                self.method.version,
                parameters_text(setting),
                self.dataset,
                self.split,
                "",
                "",
            )
            for setting in self.settings
        )

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.settings) * len(self.problems)

    def stored_keys(self, done: Set[str]) -> Iterator[list[str | None]]:
        """Yield for each setting, problem by problem, the key of a run that is done.

        None where it is missing.
        """
        for run in self.runs:
            keys = run_keys(run, self.names, self.digests)
            yield [key if key in done else None for key in keys]

    def missing(self, done: Set[str]) -> list[Missing]:
        """Return what is not done: problem by problem, then setting by setting.

        Settings that share work are found together, so they stay together.
        """
        by_problem: list[list[int]] = [[] for _ in self.names]
        for setting, keys in enumerate(self.stored_keys(done)):
            for problem, key in enumerate(keys):
                if key is None:
                    by_problem[problem].append(setting)
        if self.method.shares_work:
            return [(n, tuple(wanted)) for n, wanted in enumerate(by_problem) if wanted]
        return [(n, (one,)) for n, wanted in enumerate(by_problem) for one in wanted]

    def run(self, setting: int, problem: int) -> Run:
        """Return the run of one setting on one problem."""
        open_ones = {"problem": self.names[problem], "data": self.digests[problem]}
        return Run(**{**vars(self.runs[setting]), **open_ones})

    def job(
        self, problem: int, settings: Sequence[int], series: NDArray[np.float64]
    ) -> Job:
        """Return the job of some settings on one problem, of which this is the series.

        The series is given because a benchmark puts it together whenever it is asked.
        """
        return Job(
            self.method.name,
            tuple(dict(self.settings[setting]) for setting in settings),
            series,
            tuple(self.run(setting, problem) for setting in settings),
            self.method.code,
            self.method.environment,
        )
