"""The problems behind the runs: true sets with labels, and series if they are here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.experiments.store import Store
from tsmdbench.types import Problem

Series = NDArray[np.float64]


class Truth(NamedTuple):
    """What is known of a problem without its series."""

    n: int
    channels: int
    labels: tuple[str, ...]
    sets: list[list[list[int]]]


def read_truths(stores: list[Store], dataset: str, split: str) -> dict[str, Truth]:
    """Return the truths of a dataset's problems by name.

    Raises
    ------
    InputError
        No store knows them, and the data is not here.
    """
    from tsmdbench.experiments.sources import load_problems

    return {problem.name: _truth(problem) for problem in load_problems(dataset, split)}


def _truth(problem: Problem) -> Truth:
    x = problem.series
    return Truth(
        n=len(x),
        channels=1 if x.ndim == 1 else x.shape[1],
        labels=tuple(map(str, problem.truth)),
        sets=[motifs.segments.tolist() for motifs in problem.truth.values()],
    )


class SeriesSource:
    """The series of one dataset by problem, or why there are none.

    Nothing is downloaded, and no code is run that a store names (``module:function``):
    looking at somebody's results must be safe.
    """

    def __init__(self, dataset: str, split: str) -> None:
        self.reason = ""
        self._get: Callable[[str], Series | None] = {}.get
        if ":" in dataset:
            self.reason = "made by code, which a report does not run"
            return
        try:
            self._get = _reader(dataset, split)
        except InputError as error:
            self.reason = str(error)

    def get(self, problem: str) -> Series | None:
        """Return the series of a problem, None where it is not here."""
        return self._get(problem)


def _reader(dataset: str, split: str) -> Callable[[str], Series | None]:
    from pathlib import Path

    problems: Any
    if Path(f"{dataset}-{split}.parquet").is_file():
        from tsmdbench.benchmark import read_problems

        problems = read_problems(f"{dataset}-{split}.parquet")
        series: Mapping[str, Series] = {item.name: item.series for item in problems}
        return series.get
    from tsmdbench.benchmark import load_benchmark

    bench = load_benchmark(dataset, split, allow_download=False)
    places = {
        f"{bench.name}/{bench.split}/{number:03d}": place
        for place, number in enumerate(bench.numbers)
    }
    return lambda name: bench[places[name]].series if name in places else None
