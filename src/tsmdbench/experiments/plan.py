"""The plan: all runs that a specification stands for, as groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, partial
from typing import Any

from tsmdbench.experiments.grids import settings_for, untuned
from tsmdbench.experiments.group import Group
from tsmdbench.experiments.method_info import Described, describe
from tsmdbench.experiments.settings import data_facts
from tsmdbench.experiments.sources import load_problems, problem_names
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store.truth import Place, Truth, joined, truth_of
from tsmdbench.experiments.tune import Surface


class Plan:
    """The runs of a specification; its methods and problems are loaded once.

    Parameters
    ----------
    asked : Specification
    """

    def __init__(self, asked: Specification) -> None:
        self._asked = asked
        self._methods = [describe(name) for name in asked.methods]
        self._problems = {
            (dataset, split): load_problems(dataset, split, asked.limit_of(split))
            for dataset in asked.datasets
            for split in dict.fromkeys(["validation", asked.split])
        }
        self._names = {
            (dataset, split): problem_names(dataset, problems)
            for (dataset, split), problems in self._problems.items()
        }
        # Facts come from the whole validation split, whatever the limit.
        self._facts = {
            dataset: data_facts(load_problems(dataset, "validation"))
            for dataset in asked.datasets
        }

    def about_data(self) -> dict[str, Any]:
        """Return what identifies the data, and what hyperparameters follow from it."""
        about: dict[str, Any] = {
            dataset: {"facts": asdict(facts), "recipe_sha256": {}}
            for dataset, facts in self._facts.items()
        }
        for (dataset, split), problems in self._problems.items():
            recipes = getattr(problems, "recipe_sha256", None)
            about[dataset]["recipe_sha256"][split] = recipes
        return about

    def truth(self, known: Mapping[Place, Truth]) -> dict[Place, Truth]:
        """Return what is known with the truth of all requested problems."""
        for (dataset, split), truths in self._truths.items():
            known = joined(known, dataset, split, truths)
        return dict(known)

    @cached_property
    def _truths(self) -> dict[tuple[str, str], dict[str, Truth]]:
        """The truth of each problem by name; every problem is put together for it."""
        return {
            where: {problem.name: truth_of(problem) for problem in problems}
            for where, problems in self._problems.items()
        }

    def _data(self, where: tuple[str, str]) -> tuple[str, ...]:
        """Return the hashes of problems."""
        return tuple(truth.data for truth in self._truths[where].values())

    def check(self) -> None:
        """Find out what is wrong with names and settings, before a store is made."""
        for group in self.runs([]):
            _ = group.runs

    @property
    def planned(self) -> int:
        """Number of requested runs, those of searches included."""
        tested = sum(
            len(self._problems[dataset, self._asked.split])
            for dataset in self._asked.datasets
        )
        searched = sum(group.size for group in self.searches) if self._asked.tune else 0
        return searched + tested * len(self._methods)

    @property
    def searches(self) -> list[Group]:
        """The grids that leave something to choose."""
        return [group for group in self.grids if len(group.settings) > 1]

    @cached_property
    def grids(self) -> list[Group]:
        """All settings of each method on the validation problems of each dataset."""
        groups = []
        for dataset in self._asked.datasets:
            for method in self._methods:
                fixed = self._asked.fixed_fields(method.name, dataset)
                settings = settings_for(
                    method,
                    self._facts[dataset],
                    fixed=fixed,
                    grid=self._asked.grid,
                    radius=self._asked.radius,
                )
                groups.append(self._group(method, dataset, "validation", settings))
        return groups

    def runs(self, surfaces: Sequence[Surface]) -> list[Group]:
        """Return one setting per method and dataset: tuned, given, or of the data."""
        tuned = {
            (group.dataset, group.method.name): group.settings[0]
            for group in (self.grids if self._asked.tune else ())
        }
        tuned |= {(s.group.dataset, s.group.method.name): s.winner for s in surfaces}
        return [
            self._group(
                method,
                dataset,
                self._asked.split,
                [tuned.get((dataset, method.name)) or self._untuned(method, dataset)],
            )
            for dataset in self._asked.datasets
            for method in self._methods
        ]

    def _untuned(self, method: Described, dataset: str) -> dict[str, Any]:
        fixed = self._asked.fixed_fields(method.name, dataset)
        return untuned(method, self._facts[dataset], fixed, self._asked.radius)

    def _group(
        self, method: Described, dataset: str, split: str, settings: Any
    ) -> Group:
        full = [method.parameters(setting) for setting in settings]
        where = dataset, split
        return Group(
            method,
            *where,
            self._problems[where],
            full,
            self._names[where],
            partial(self._data, where),
        )
