"""The runs that a specification stands for, and which of them are missing.

A group is one method with its settings on the problems of one split of a dataset. What
is in the store already is left out by key, so running again fills in what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tsmdbench.experiments.method_info import Described
from tsmdbench.experiments.store.rows import Run, parameters_text, run_keys
from tsmdbench.types import Problem


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

    def missing(self, done: Set[str]) -> list[Job]:
        """Return what is to be done: problem by problem, then setting by setting."""
        by_problem: list[list[int]] = [[] for _ in self.names]
        for setting, keys in enumerate(self.keys_by_setting()):
            for problem, key in enumerate(keys):
                if key not in done:
                    by_problem[problem].append(setting)
        jobs = []
        for problem, wanted in enumerate(by_problem):
            if self.method.shares_work:
                jobs += [Job(self, problem, tuple(wanted))] if wanted else []
            else:
                jobs += [Job(self, problem, (setting,)) for setting in wanted]
        return jobs

    def run(self, setting: int, problem: int) -> Run:
        """Return the run of one setting on one problem."""
        return Run(**{**vars(self.runs[setting]), "problem": self.names[problem]})


@dataclass(frozen=True, eq=False)
class Job:
    """Settings of a group that are found together on one problem."""

    group: Group
    problem: int
    settings: tuple[int, ...]

    @property
    def runs(self) -> list[Run]:
        """Return the runs that it stands for."""
        return [self.group.run(setting, self.problem) for setting in self.settings]
