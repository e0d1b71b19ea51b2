"""From a request to tasks: what runs a specification stands for, and what is missing.

`Plan` loads the methods and problems of a specification once, and yields groups. A
`Group` is one method with its settings on the problems of one split of a dataset. It
knows the key of each of its runs, so what is in a store already is left out, and
running again fills in what is missing. The `Batcher` makes tasks of the missing runs
and puts them into batches that are worth sending.

A batch has a fixed cost of some milliseconds: it is scheduled, sent and answered. It is
made as long as brings it to about `TARGET` seconds of work, by what the tasks of its
group took so far, so that the cost is lost in it also for runs of ten milliseconds. No
batch is so long that the work left could not be spread over all workers, and the first
ones of a group, about which nothing is known, have one task each.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.grids import (
    seeded_settings,
    settings_for,
    truth_setting,
    untuned,
)
from tsmdbench.experiments.method_info import Described, cards, describe
from tsmdbench.experiments.rows import SEED, Outcome, Run, parameters_text, run_keys
from tsmdbench.experiments.settings import (
    DataFacts,
    TruthFacts,
    data_facts,
    truth_facts,
)
from tsmdbench.experiments.sources import (
    load_problems,
    problem_names,
    uses_truth,
    validation_problems,
)
from tsmdbench.experiments.specification import WHOLE, Shard, Specification
from tsmdbench.experiments.truth import (
    Place,
    Truth,
    data_digest,
    joined,
    truth_of,
)
from tsmdbench.types import Problem

if TYPE_CHECKING:
    from tsmdbench.experiments.grids import Surface

Missing = tuple[int, tuple[int, ...]]  # positions of a problem and of settings on it
TARGET = 2.0  # seconds of work in a batch; what is lost when a worker dies
SHORTEST = 10  # part of that which a batch has also when little work is left
LARGEST = 500  # tasks in a batch
BYTES = 16 * 2**20  # samples in a batch
SPREAD = 4  # batches per worker that the work left should make at least
Kind = tuple[str, str, str]  # dataset, split, method: runs that take about as long


@dataclass(frozen=True, eq=False)
class Task:
    """One or more settings of a method on one series, which are found together.

    The same object is made by the driver, travels in a batch to a worker, and is handed
    by the worker to the process that computes.

    Parameters
    ----------
    method : str
        Name of the method, or ``module:Class``.
    settings : tuple of dict
        All hyperparameters of each setting.
    series : float64[n] or float64[n, d]
    runs : tuple of Run
        What each setting is stored as. Only the driver needs them: they do not travel,
        and are empty on the other side.
    code : bytes
        The method itself, by value, where it is an object of the driver's session that
        cannot be imported (`tsmdbench.experiments.method_info.by_value`).
    environment : Environment, optional
        Where the method is, if not here.
    """

    method: str
    settings: tuple[dict[str, Any], ...]
    series: NDArray[np.float64]
    runs: tuple[Run, ...] = ()
    code: bytes = b""
    environment: Environment | None = None

    def __reduce__(self) -> tuple[type[Task], tuple[Any, ...]]:
        travels = self.method, self.settings, self.series, (), self.code
        return Task, (*travels, self.environment)

    def halves(self) -> tuple[Task, Task]:
        """Return two tasks with half of the settings each."""
        middle = len(self.settings) // 2
        first, second = (
            replace(self, settings=self.settings[part], runs=self.runs[part])
            for part in (slice(middle), slice(middle, None))
        )
        return first, second


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

    def tasks(self) -> list[Missing]:
        """Return all tasks, problem by problem, then setting by setting.

        Settings that share work are found together, so they stay together.
        """
        every = tuple(range(len(self.settings)))
        together = [every] if self.method.shares_work else [(one,) for one in every]
        return [
            (n, some) for n in range(len(self.problems)) for some in together if some
        ]

    def missing(
        self, done: Set[str], tasks: Sequence[Missing] | None = None
    ) -> list[Missing]:
        """Return what is not done of some tasks, by default of all."""
        keys = list(self.stored_keys(done))
        left = (
            (problem, tuple(one for one in some if keys[one][problem] is None))
            for problem, some in (self.tasks() if tasks is None else tasks)
        )
        return [task for task in left if task[1]]

    def run(self, setting: int, problem: int) -> Run:
        """Return the run of one setting on one problem."""
        open_ones = {"problem": self.names[problem], "data": self.digests[problem]}
        return Run(**{**vars(self.runs[setting]), **open_ones})

    def task(
        self, problem: int, settings: Sequence[int], series: NDArray[np.float64]
    ) -> Task:
        """Return the task of some settings on one problem, of which this is the series.

        The series is given because a benchmark puts it together whenever it is asked.
        """
        return Task(
            self.method.name,
            tuple(dict(self.settings[setting]) for setting in settings),
            series,
            tuple(self.run(setting, problem) for setting in settings),
            self.method.code,
            self.method.environment,
        )


class Plan:
    """The runs of a specification; its methods and problems are loaded once.

    Parameters
    ----------
    asked : Specification
    session : mapping, optional
        The methods that are objects of the session, by name.
    """

    def __init__(
        self, asked: Specification, session: Mapping[str, Described] | None = None
    ) -> None:
        self._asked = asked
        known, place = session or {}, asked.environment
        self._methods = [
            known.get(name) or describe(name, place) for name in asked.methods
        ]
        self._problems = {
            (dataset, split): self._load(dataset, split)
            for dataset in asked.datasets
            for split in self._splits(dataset)
        }
        self._names = {
            (dataset, split): problem_names(dataset, problems)
            for (dataset, split), problems in self._problems.items()
        }
        # Facts come from the whole validation split, whatever the limit.
        self._facts = {
            dataset: self._validation_facts(dataset) for dataset in asked.datasets
        }

    def _splits(self, dataset: str) -> list[str]:
        """Return the splits that runs or their settings come from."""
        if uses_truth(dataset):
            return [self._asked.split]
        return list(dict.fromkeys(["validation", self._asked.split]))

    def _load(self, dataset: str, split: str) -> Sequence[Problem]:
        limit, folders = self._asked.limit_of(split), self._asked.folders
        if split == "validation" and self._asked.split != "validation":
            return validation_problems(dataset, limit, folders=folders)
        return load_problems(dataset, split, limit, folders=folders)

    def _validation_facts(self, dataset: str) -> DataFacts | None:
        """Return what follows from validation data; None where there is none."""
        if uses_truth(dataset):
            return None
        problems = validation_problems(dataset, folders=self._asked.folders)
        if len(problems):
            return data_facts(problems)
        if self._asked.tune:
            raise InputError(
                f"{dataset} has one annotated recording, so none is left to tune on; "
                f"add a recording, or give parameters (--params FILE)"
            )
        return None

    def about_data(self) -> dict[str, Any]:
        """Return what identifies the data, and what hyperparameters follow from it."""
        about: dict[str, Any] = {
            dataset: {"facts": asdict(facts) if facts else None, "recipe_sha256": {}}
            for dataset, facts in self._facts.items()
        }
        for (dataset, split), problems in self._problems.items():
            recipes = getattr(problems, "recipe_sha256", None)
            about[dataset]["recipe_sha256"][split] = recipes
        return about

    def cards(self) -> dict[str, Any]:
        """Return what is to be noted about methods that are not ours."""
        return cards(self._methods)

    def environments(self) -> dict[str, Any]:
        """Return Python and packages of the other environments, by version of method.

        Not the folders that they are in: those describe a machine, not a result.
        """
        return {
            f"{method.name} {method.version}": {
                "requirements": list(method.environment.requirements),
                **method.cls.about,
            }
            for method in self._methods
            if method.environment is not None
        }

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

    def _data_at(self, where: tuple[str, str], place: int) -> tuple[str, ...]:
        return self._data(where)[place : place + 1]

    def check(self) -> None:
        """Find out what is wrong with names and settings, before a store is made."""
        if self._asked.repeats > 1 and not any(m.has_seed for m in self._methods):
            raise InputError(
                f"repeats={self._asked.repeats} needs a method with a field named "
                f"'seed'; {', '.join(m.name for m in self._methods)} would find the "
                f"same each time"
            )
        self.cards()
        for group in self.runs([]):
            _ = group.runs

    @property
    def versions(self) -> dict[str, str]:
        """The version of each method."""
        return {method.name: method.version for method in self._methods}

    @property
    def doubts(self) -> dict[str, str]:
        """Why the version of a method is not certain, for those where it is not."""
        return {method.name: method.doubt for method in self._methods if method.doubt}

    def untunable(self) -> list[Described]:
        """Return the methods of others whose grids leave nothing to choose."""
        searched = {group.method.name for group in self.searches}
        return [m for m in self._methods if not m.is_ours and m.name not in searched]

    @property
    def planned(self) -> int:
        """Number of requested runs, those of searches included."""
        tested = sum(
            len(self._problems[dataset, self._asked.split])
            for dataset in self._asked.datasets
        )
        searched = sum(group.size for group in self.searches) if self._asked.tune else 0
        seeds = (self._asked.repeats if m.has_seed else 1 for m in self._methods)
        return searched + tested * sum(seeds)

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
                facts = self._facts[dataset]
                if facts is None:
                    continue
                fixed = self._fixed(method, dataset)
                settings = settings_for(
                    method,
                    facts,
                    fixed=fixed,
                    grid=self._asked.grid,
                    radius=self._asked.radius,
                )
                groups.append(self._group(method, dataset, "validation", settings))
        return groups

    def runs(self, surfaces: Sequence[Surface]) -> list[Group]:
        """Return one setting per method and dataset: tuned, given, or of the data.

        A method that has a seed gets as many of them as there are repeats.
        """
        tuned = {
            (group.dataset, group.method.name): group.settings[0]
            for group in (self.grids if self._asked.tune else ())
        }
        tuned |= {(s.group.dataset, s.group.method.name): s.winner for s in surfaces}
        groups: list[Group] = []
        for dataset in self._asked.datasets:
            for method in self._methods:
                if uses_truth(dataset):
                    groups += self._told_groups(method, dataset)
                    continue
                setting = tuned.get((dataset, method.name))
                chosen = seeded_settings(
                    method,
                    setting or self._untuned(method, dataset),
                    self._asked.repeats,
                )
                groups.append(self._group(method, dataset, self._asked.split, chosen))
        return groups

    def _untuned(self, method: Described, dataset: str) -> dict[str, Any]:
        fixed = self._fixed(method, dataset)
        facts = self._facts[dataset]
        if facts is None:
            return fixed
        return untuned(method, facts, fixed, self._asked.radius)

    def _told_groups(self, method: Described, dataset: str) -> list[Group]:
        """Return a group per problem, with the setting from its truth."""
        where = dataset, self._asked.split
        fixed = self._fixed(method, dataset)
        groups = []
        for place, (name, known) in enumerate(
            zip(self._names[where], self._told[where], strict=True)
        ):
            setting = truth_setting(method, known, fixed)
            settings = seeded_settings(method, setting, self._asked.repeats)
            chosen = [method.parameters(one) for one in settings]
            problems = self._problems[where][place : place + 1]
            data = partial(self._data_at, where, place)
            groups.append(Group(method, *where, problems, chosen, (name,), data))
        return groups

    @cached_property
    def _told(self) -> dict[tuple[str, str], list[TruthFacts]]:
        """What the truth of each problem says, for the protocol that uses it."""
        return {
            where: [truth_facts(problem) for problem in problems]
            for where, problems in self._problems.items()
            if uses_truth(where[0])
        }

    def _fixed(self, method: Described, dataset: str) -> dict[str, Any]:
        """Return the fields that are given; a seed that must be given is 0."""
        given = self._asked.fixed_fields(method.name, dataset)
        return {SEED: 0, **given} if SEED in method.required else given

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


class Batcher:
    """Give out the missing runs of groups in batches, in order; learn what they take.

    Parameters
    ----------
    groups : sequence of Group
    done : set of str
        Keys of the runs that are not missing.
    shard : Shard
        Which part of the tasks to give out.

    Attributes
    ----------
    total, runs : int
        Number of runs of this part, and of those that are missing.
    """

    def __init__(
        self, groups: Sequence[Group], done: Set[str], shard: Shard = WHOLE
    ) -> None:
        self.total, place = 0, 1 - shard.number
        self._left: deque[tuple[Group, int, tuple[int, ...]]] = deque()
        for group in groups:
            every = group.tasks()
            mine = every[-place % shard.total :: shard.total]
            place += len(every)
            self.total += sum(len(some) for _, some in mine)
            self._left += [(group, *task) for task in group.missing(done, mine)]
        self._spent: dict[Kind, tuple[float, int]] = {}
        self.runs = sum(len(settings) for *_, settings in self._left)

    def next_batch(self, threads: int) -> tuple[Task, ...] | None:
        """Return the next tasks, all of one group; None when there are no more."""
        if not self._left:
            return None
        group = self._left[0][0]
        count = self._size((group.dataset, group.split, group.method.name), threads)
        tasks: list[Task] = []
        series: dict[int, NDArray[np.float64]] = {}
        size = 0
        while self._left and self._left[0][0] is group and len(tasks) < count:
            _, problem, settings = self._left.popleft()
            if problem not in series:
                series[problem] = group.problems[problem].series
                size += series[problem].nbytes
            tasks.append(group.task(problem, settings, series[problem]))
            if size > BYTES:
                break
        return tuple(tasks)

    def _size(self, kind: Kind, threads: int) -> int:
        if kind not in self._spent:
            return 1
        seconds, tasks = self._spent[kind]
        worth = math.ceil(TARGET * tasks / max(seconds, 1e-9))
        fair = math.ceil(len(self._left) / (SPREAD * max(threads, 1)))
        return min(LARGEST, max(math.ceil(worth / SHORTEST), min(worth, fair)))

    def learn(
        self, batch: Sequence[Task], outcomes: Sequence[Sequence[Outcome]]
    ) -> None:
        """Remember what tasks took, without warming up."""
        spent = sum(outcome.seconds for each in outcomes for outcome in each)
        run = batch[0].runs[0]
        kind = run.dataset, run.split, run.method
        seconds, tasks = self._spent.get(kind, (0.0, 0))
        self._spent[kind] = seconds + spent, tasks + len(batch)
