"""A group: one method with its settings on the problems of one split of a dataset.

It knows the key of each of its runs, so what is in a store already is left out, and
running again fills in what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.experiments.execution.job import Job
from tsmdbench.experiments.method_info import Described
from tsmdbench.experiments.store.rows import Run, parameters_text, run_keys
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
    """

    method: Described
    dataset: str
    split: str
    problems: Sequence[Problem]
    settings: Sequence[Mapping[str, Any]]
    names: tuple[str, ...]

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """One run per setting; its problem is left open."""
        return tuple(
            Run(
                self.method.name,
                self.method.version,
                parameters_text(setting),
                self.dataset,
                self.split,
                "",
            )
            for setting in self.settings
        )

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.settings) * len(self.problems)

    def keys_by_setting(self) -> Iterator[list[str]]:
        """Yield for each setting the keys of its runs, problem by problem."""
        for run in self.runs:
            yield run_keys(run, self.names)

    def missing(self, done: Set[str]) -> list[Missing]:
        """Return what is not done: problem by problem, then setting by setting.

        Settings that share work are found together, so they stay together.
        """
        by_problem: list[list[int]] = [[] for _ in self.names]
        for setting, keys in enumerate(self.keys_by_setting()):
            for problem, key in enumerate(keys):
                if key not in done:
                    by_problem[problem].append(setting)
        if self.method.shares_work:
            return [(n, tuple(wanted)) for n, wanted in enumerate(by_problem) if wanted]
        return [(n, (one,)) for n, wanted in enumerate(by_problem) for one in wanted]

    def run(self, setting: int, problem: int) -> Run:
        """Return the run of one setting on one problem."""
        return Run(**{**vars(self.runs[setting]), "problem": self.names[problem]})

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
        )
