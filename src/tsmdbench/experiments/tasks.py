"""Tasks of a specification: all its runs, and those that are missing.

`Plan` loads the methods and problems of a specification once, and yields its tasks. A
`Task` knows the key of each of its runs, so what is in a store already is left out, and
running again fills in what is missing. `next_batch` takes as many of the missing tasks
as are worth sending.

A batch has a fixed cost of some milliseconds: it is scheduled, sent and answered. It is
made as long as brings it to about `TARGET` seconds of work, by what the tasks of its
method on this dataset took so far, so that the cost is lost in it also for runs of ten
milliseconds. No batch is so long that the work left could not be spread over all
workers, and the first one of a method on a dataset, of which nothing is known, has one
task.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.rows import SEED, Run, parameters_text
from tsmdbench.experiments.settings import (
    DataFacts,
    TruthFacts,
    Winners,
    complete,
    data_facts,
    seeded_settings,
    settings_for,
    truth_facts,
    truth_setting,
    untuned,
)
from tsmdbench.experiments.sources import load_problems, uses_truth
from tsmdbench.experiments.specification import Specification, check_storable
from tsmdbench.experiments.truth import Truth, truth_of
from tsmdbench.methods.info import MethodInfo
from tsmdbench.types import Problem

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
    """

    method: str  # a name, or ``module:Class``
    settings: tuple[dict[str, Any], ...]  # all hyperparameters of each
    series: Any = None  # when the task is given out: problems are made when needed
    runs: tuple[Run, ...] = ()  # what each setting is stored as
    code: bytes = b""  # the method by value, if it is an object of the session
    environment: Environment | None = None  # of the method, if not ours
    load: Callable[[], Problem] | None = None  # one object for all tasks of a problem

    def __reduce__(self) -> tuple[type[Task], tuple[Any, ...]]:
        # Only the driver needs `runs` and `load`; they do not travel.
        travels = self.method, self.settings, self.series, (), self.code
        return Task, (*travels, self.environment)

    @property
    def kind(self) -> Kind:
        """Dataset, split and method."""
        run = self.runs[0]
        return run.dataset, run.split, run.method

    def part(self, places: Sequence[int]) -> Task:
        """Return the task of some of the settings, by their positions."""
        settings = tuple(self.settings[place] for place in places)
        runs = tuple(self.runs[place] for place in places if self.runs)
        return replace(self, settings=settings, runs=runs)

    def halves(self) -> tuple[Task, Task]:
        """Return two tasks with half of the settings each."""
        number = len(self.settings)
        return self.part(range(number // 2)), self.part(range(number // 2, number))


def missing(tasks: Sequence[Task], done: Set[str]) -> deque[Task]:
    """Return tasks without the settings whose runs are done."""
    left: deque[Task] = deque()
    for task in tasks:
        places = [n for n, run in enumerate(task.runs) if run.key not in done]
        if places:
            whole = len(places) == len(task.runs)
            left.append(task if whole else task.part(places))
    return left


def next_batch(
    left: deque[Task], spent: Mapping[Kind, tuple[float, int]], workers: int
) -> tuple[Task, ...] | None:
    """Take the next tasks with their series, all of one kind; None if there are none.

    They are removed from `left`. `spent` has seconds and number of the tasks of each
    kind that are done.
    """
    if not left:
        return None
    kind, count = left[0].kind, 1
    if kind in spent:
        seconds, number = spent[kind]
        worth = math.ceil(TARGET * number / max(seconds, 1e-9))
        fair = math.ceil(len(left) / (SPREAD * max(workers, 1)))
        count = min(LARGEST, max(math.ceil(worth / SHORTEST), min(worth, fair)))
    batch: list[Task] = []
    series: dict[Any, NDArray[np.float64]] = {}  # each is made, and travels, once
    while left and left[0].kind == kind and len(batch) < count:
        task = left.popleft()
        if task.load is not None and task.load not in series:
            series[task.load] = task.load().series
        batch.append(replace(task, series=series.get(task.load, task.series)))
        if sum(each.nbytes for each in series.values()) > BYTES:
            break
    return tuple(batch)


class Plan:
    """A specification with its methods and problems, which are loaded once.

    `session` has the methods that are objects of the session, by name. Attributes are
    the methods, the problems by dataset and split, and for each dataset the facts that
    follow from its validation problems; None where there are none.
    """

    def __init__(
        self, request: Specification, session: Mapping[str, MethodInfo] | None = None
    ) -> None:
        self._request = request
        known = session or {}
        self.methods = [
            known.get(name) or describe(name, request.environment)
            for name in request.methods
        ]
        self.problems: dict[tuple[str, str], Sequence[Problem]] = {}
        self.facts: dict[str, DataFacts | None] = dict.fromkeys(request.datasets)
        load = partial(load_problems, folders=request.folders)
        for dataset in request.datasets:
            if not uses_truth(dataset):
                # Facts come from the whole validation split, whatever the limit.
                every = load(dataset, "validation", may_be_empty=True)
                limit = request.limit_of("validation")
                some = every if limit is None else every[:limit]
                self.problems[dataset, "validation"] = some
                if len(every):
                    self.facts[dataset] = data_facts(every)
                elif request.tune:
                    raise InputError(
                        f"{dataset} has one annotated recording, so none is left to "
                        f"tune on; add a recording, or give parameters (--params FILE)"
                    )
            if not len(self.problems.get((dataset, request.split), ())):
                self.problems[dataset, request.split] = load(
                    dataset, request.split, request.limit_of(request.split)
                )

    @cached_property
    def truths(self) -> dict[tuple[str, str], dict[str, Truth]]:
        """The truth of each problem, by dataset and split, then by name."""
        found = {}
        for (dataset, split), problems in self.problems.items():
            truths = {problem.name: truth_of(problem) for problem in problems}
            if len(truths) < len(problems) or "" in truths:
                raise InputError(f"the problems of {dataset!r} must have unique names")
            for name in truths:
                check_storable(name, f"the name of a problem of {dataset!r}")
            found[dataset, split] = truths
        return found

    def check(self) -> None:
        """Check names and settings before a store is made."""
        repeats = self._request.repeats
        if repeats > 1 and not any(SEED in m.fields for m in self.methods):
            raise InputError(
                f"repeats={repeats} needs a method with a field named 'seed'; "
                f"{', '.join(m.name for m in self.methods)} would find the same each "
                f"time"
            )
        _ = self.truths  # names of problems
        for *_, settings in self._chosen({}):
            for setting in settings:
                parameters_text(setting)

    @property
    def planned(self) -> int:
        """Number of requested runs, those of searches included."""
        request = self._request
        tested = sum(len(self.problems[d, request.split]) for d in request.datasets)
        seeds = sum(request.repeats if SEED in m.fields else 1 for m in self.methods)
        searched = (
            len(settings) * len(self.problems[dataset, "validation"])
            for (_, dataset), settings in self.searches.items()
        )
        return sum(searched) + tested * seeds

    @cached_property
    def grids(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """All settings of each method for each dataset that has validation data."""
        request, found = self._request, {}
        for dataset, facts in self.facts.items():
            if facts is None:
                continue
            for method in self.methods:
                fixed, grid = self._fixed(method, dataset), request.grid
                settings = settings_for(
                    method, facts, fixed=fixed, grid=grid, radius=request.radius
                )
                found[method.name, dataset] = [complete(method, s) for s in settings]
        return found

    @property
    def searches(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """The requested grids that leave something to choose."""
        grids = self.grids if self._request.tune else {}
        return {key: settings for key, settings in grids.items() if len(settings) > 1}

    def search(self, method: str, dataset: str) -> list[Task]:
        """Return all settings of a grid on all validation problems."""
        (info,) = (one for one in self.methods if one.name == method)
        settings = self.grids[method, dataset]
        return list(self._tasks(info, dataset, "validation", None, settings))

    def runs(self, winners: Winners) -> list[Task]:
        """Return the tasks on the problems of the split that was requested.

        `winners` has what searches have chosen; other grids have one setting.
        """
        return [task for one in self._chosen(winners) for task in self._tasks(*one)]

    def _chosen(
        self, winners: Winners
    ) -> Iterator[tuple[MethodInfo, str, str, int | None, list[dict[str, Any]]]]:
        """Yield one setting per method and dataset: tuned, given, or of the data.

        A method that has a seed gets as many of them as there are repeats. Where the
        settings come from the truth, each problem, of which the position is given, has
        its own.
        """
        request = self._request
        for dataset, facts in self.facts.items():
            for method in self.methods:
                fixed, key = self._fixed(method, dataset), (method.name, dataset)
                some: Iterable[tuple[int | None, Mapping[str, Any]]]
                if uses_truth(dataset):
                    known = self._known[dataset]
                    some = enumerate(truth_setting(method, one, fixed) for one in known)
                elif request.tune and key in self.grids:
                    some = [(None, winners.get(key, self.grids[key][0]))]
                elif facts is None:
                    some = [(None, fixed)]
                else:
                    some = [(None, untuned(method, facts, fixed, request.radius))]
                for place, setting in some:
                    seeded = seeded_settings(method, setting, request.repeats)
                    full = [complete(method, one) for one in seeded]
                    yield method, dataset, request.split, place, full

    @cached_property
    def _known(self) -> dict[str, list[TruthFacts]]:
        """What the truth of each problem says, for datasets that use it."""
        split = self._request.split
        return {
            dataset: [truth_facts(one) for one in self.problems[dataset, split]]
            for dataset in filter(uses_truth, self.facts)
        }

    def _fixed(self, method: MethodInfo, dataset: str) -> dict[str, Any]:
        """Return the fields that are given; a seed that must be given is 0."""
        given = self._request.fixed_fields(method.name, dataset)
        return {SEED: 0, **given} if SEED in method.parameters else given

    def _tasks(
        self,
        method: MethodInfo,
        dataset: str,
        split: str,
        only: int | None,
        settings: Sequence[dict[str, Any]],
    ) -> Iterator[Task]:
        """Yield the tasks of all problems, or of `only` one, problem by problem.

        Settings that share work are found together, so they stay together.
        """
        problems = self.problems[dataset, split]
        texts = [parameters_text(setting) for setting in settings]
        every = range(len(settings))
        together = [every] if method.shares_work else [[place] for place in every]
        for number, (name, truth) in enumerate(self.truths[dataset, split].items()):
            if only not in (None, number):
                continue
            load = partial(problems.__getitem__, number)
            where = dataset, split, name, truth.data
            run = partial(Run, method.name, method.version)
            for places in together:
                yield Task(
                    method.name,
                    tuple(settings[n] for n in places),
                    None,
                    tuple(run(texts[n], *where) for n in places),
                    method.code,
                    method.environment,
                    load,
                )
