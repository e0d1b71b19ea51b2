"""Tasks of a specification: all its runs, and those that are missing.

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
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cached_property
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
    check_names,
    load_problems,
    uses_truth,
    validation_problems,
)
from tsmdbench.experiments.specification import WHOLE, Shard, Specification
from tsmdbench.experiments.truth import (
    Place,
    Truth,
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
class Part:
    """Problems of one split of a dataset; each is put together once for its truth."""

    dataset: str
    split: str
    problems: Sequence[Problem]

    @cached_property
    def truths(self) -> dict[str, Truth]:
        """The truth of each problem by name; both identify runs."""
        known = [(problem.name, truth_of(problem)) for problem in self.problems]
        check_names(self.dataset, [name for name, _ in known])
        return dict(known)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the problems."""
        return tuple(self.truths)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The hash of each problem, which is part of the keys of its runs."""
        return tuple(truth.data for truth in self.truths.values())

    @cached_property
    def single(self) -> list[tuple[Part, TruthFacts]]:
        """Each problem by itself, with what its truth says."""
        found = []
        for place, name in enumerate(self.names):
            part = replace(self, problems=self.problems[place : place + 1])
            vars(part)["truths"] = {name: self.truths[name]}  # not computed again
            found.append((part, truth_facts(part.problems[0])))
        return found


@dataclass(frozen=True, eq=False)
class Group:
    """One method with its settings on some problems.

    Parameters
    ----------
    method : Described
    part : Part
        The problems.
    settings : sequence of mapping
        All hyperparameters of each setting.
    """

    method: Described
    part: Part
    settings: Sequence[Mapping[str, Any]]

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """One run per setting; problem and data are left open."""
        method, part = self.method, self.part
        texts = map(parameters_text, self.settings)
        return tuple(
            Run(method.name, method.version, text, part.dataset, part.split, "")
            for text in texts
        )

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.settings) * len(self.part.problems)

    def run_keys(self) -> Iterator[list[str]]:
        """Yield for each setting, problem by problem, the key of the run."""
        for run in self.runs:
            yield run_keys(run, self.part.names, self.part.digests)

    def tasks(self) -> list[Missing]:
        """Return all tasks, problem by problem, then setting by setting.

        Settings that share work are found together, so they stay together.
        """
        every = tuple(range(len(self.settings)))
        together = [every] if self.method.shares_work else [(one,) for one in every]
        problems = range(len(self.part.problems))
        return [(n, some) for n in problems for some in together if some]

    def missing(
        self, done: Set[str], tasks: Sequence[Missing] | None = None
    ) -> list[Missing]:
        """Return the tasks that are not done, by default of all."""
        keys = list(self.run_keys())
        left = (
            (problem, tuple(one for one in some if keys[one][problem] not in done))
            for problem, some in (self.tasks() if tasks is None else tasks)
        )
        return [task for task in left if task[1]]

    def run(self, setting: int, problem: int) -> Run:
        """Return the run of one setting on one problem."""
        name, data = self.part.names[problem], self.part.digests[problem]
        return replace(self.runs[setting], problem=name, data=data)

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

    Attributes
    ----------
    methods : list of Described
    """

    def __init__(
        self, asked: Specification, session: Mapping[str, Described] | None = None
    ) -> None:
        self._asked = asked
        known, place = session or {}, asked.environment
        self.methods = [
            known.get(name) or describe(name, place) for name in asked.methods
        ]
        self._parts: dict[tuple[str, str], Part] = {}
        self._facts: dict[str, DataFacts | None] = {}
        for dataset in asked.datasets:
            self._facts[dataset] = None
            if not uses_truth(dataset):
                self._load_validation(dataset)
            if (dataset, asked.split) not in self._parts:
                limit, folders = asked.limit_of(asked.split), asked.folders
                problems = load_problems(dataset, asked.split, limit, folders=folders)
                self._parts[dataset, asked.split] = Part(dataset, asked.split, problems)

    def _load_validation(self, dataset: str) -> None:
        """Load the problems that settings come from, and derive what they say."""
        asked, split = self._asked, "validation"
        # Facts come from the whole validation split, whatever the limit.
        every = validation_problems(dataset, folders=asked.folders)
        limit = asked.limit_of(split)
        if asked.split == split:
            problems = load_problems(dataset, split, limit, folders=asked.folders)
        else:
            problems = every if limit is None else every[:limit]
        self._parts[dataset, split] = Part(dataset, split, problems)
        if len(every):
            self._facts[dataset] = data_facts(every)
        elif asked.tune:
            raise InputError(
                f"{dataset} has one annotated recording, so none is left to tune on; "
                f"add a recording, or give parameters (--params FILE)"
            )

    def about_data(self) -> dict[str, Any]:
        """Return what identifies the data, and what hyperparameters follow from it."""
        about: dict[str, Any] = {
            dataset: {"facts": asdict(facts) if facts else None, "recipe_sha256": {}}
            for dataset, facts in self._facts.items()
        }
        for (dataset, split), part in self._parts.items():
            recipes = getattr(part.problems, "recipe_sha256", None)
            about[dataset]["recipe_sha256"][split] = recipes
        return about

    def environments(self) -> dict[str, Any]:
        """Return Python and packages of the other environments, by version of method.

        Not the folders that they are in: those describe a machine, not a result.
        """
        return {
            f"{method.name} {method.version}": {
                "requirements": list(method.environment.requirements),
                **method.cls.about,
            }
            for method in self.methods
            if method.environment is not None
        }

    def truth(self, known: Mapping[Place, Truth]) -> dict[Place, Truth]:
        """Return what is known with the truth of all requested problems."""
        for (dataset, split), part in self._parts.items():
            known = joined(known, dataset, split, part.truths)
        return dict(known)

    def check(self) -> None:
        """Check names and settings before a store is made."""
        if self._asked.repeats > 1 and not any(m.has_seed for m in self.methods):
            raise InputError(
                f"repeats={self._asked.repeats} needs a method with a field named "
                f"'seed'; {', '.join(m.name for m in self.methods)} would find the "
                f"same each time"
            )
        cards(self.methods)
        for part in self._parts.values():
            _ = part.names
        for group in self.runs([]):
            _ = group.runs

    @property
    def versions(self) -> dict[str, str]:
        """The version of each method."""
        return {method.name: method.version for method in self.methods}

    @property
    def doubts(self) -> dict[str, str]:
        """Why the version of a method is not certain, for those where it is not."""
        return {method.name: method.doubt for method in self.methods if method.doubt}

    def untunable(self) -> list[Described]:
        """Return the methods of others whose grids leave nothing to choose."""
        searched = {group.method.name for group in self.searches}
        return [m for m in self.methods if not m.is_ours and m.name not in searched]

    @property
    def planned(self) -> int:
        """Number of requested runs, those of searches included."""
        asked = self._asked
        tested = sum(len(self._parts[d, asked.split].problems) for d in asked.datasets)
        searched = sum(group.size for group in self.searches) if asked.tune else 0
        seeds = (asked.repeats if m.has_seed else 1 for m in self.methods)
        return searched + tested * sum(seeds)

    @property
    def searches(self) -> list[Group]:
        """The grids that leave something to choose."""
        return [group for group in self.grids if len(group.settings) > 1]

    @cached_property
    def grids(self) -> list[Group]:
        """All settings of each method on the validation problems of each dataset."""
        asked, groups = self._asked, []
        for dataset, facts in self._facts.items():
            if facts is None:
                continue
            for method in self.methods:
                settings = settings_for(
                    method,
                    facts,
                    fixed=self._fixed(method, dataset),
                    grid=asked.grid,
                    radius=asked.radius,
                )
                part = self._parts[dataset, "validation"]
                groups.append(Group(method, part, _complete(method, settings)))
        return groups

    def runs(self, surfaces: Sequence[Surface]) -> list[Group]:
        """Return one setting per method and dataset: tuned, given, or of the data.

        A method that has a seed gets as many of them as there are repeats. Where the
        settings come from the truth, there is a group per problem.
        """
        asked = self._asked
        tuned = {
            (group.part.dataset, group.method.name): group.settings[0]
            for group in (self.grids if asked.tune else ())
        }
        for surface in surfaces:
            group = surface.group
            tuned[group.part.dataset, group.method.name] = surface.winner
        groups: list[Group] = []
        for dataset, facts in self._facts.items():
            part = self._parts[dataset, asked.split]
            for method in self.methods:
                fixed = self._fixed(method, dataset)
                if uses_truth(dataset):
                    chosen = [
                        (one, truth_setting(method, known, fixed))
                        for one, known in part.single
                    ]
                elif (dataset, method.name) in tuned:
                    chosen = [(part, dict(tuned[dataset, method.name]))]
                elif facts is None:
                    chosen = [(part, fixed)]
                else:
                    chosen = [(part, untuned(method, facts, fixed, asked.radius))]
                for some, setting in chosen:
                    seeded = seeded_settings(method, setting, asked.repeats)
                    groups.append(Group(method, some, _complete(method, seeded)))
        return groups

    def _fixed(self, method: Described, dataset: str) -> dict[str, Any]:
        """Return the fields that are given; a seed that must be given is 0."""
        given = self._asked.fixed_fields(method.name, dataset)
        return {SEED: 0, **given} if SEED in method.required else given


def _complete(
    method: Described, settings: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return all hyperparameters of settings."""
    return [method.parameters(setting) for setting in settings]


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
        part = group.part
        count = self._size((part.dataset, part.split, group.method.name), threads)
        tasks: list[Task] = []
        series: dict[int, NDArray[np.float64]] = {}
        size = 0
        while self._left and self._left[0][0] is group and len(tasks) < count:
            _, problem, settings = self._left.popleft()
            if problem not in series:
                series[problem] = part.problems[problem].series
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
        """Record the times of tasks, without warm-up."""
        spent = sum(outcome.seconds for each in outcomes for outcome in each)
        run = batch[0].runs[0]
        kind = run.dataset, run.split, run.method
        seconds, tasks = self._spent.get(kind, (0.0, 0))
        self._spent[kind] = seconds + spent, tasks + len(batch)
