"""The series behind the runs, where they are here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.archive.places import locate
from tsmdbench.errors import TsmdbenchError
from tsmdbench.experiments.sources import (
    dataset_of,
    has_recordings,
    is_generated,
    load_problems,
    runs_code,
    without_protocol,
)
from tsmdbench.report.page.series import POINTS, RECORDING_POINTS

Series = NDArray[np.float64]


class SeriesSource:
    """The series of one dataset by problem, or why there are none.

    Nothing is downloaded, and no code is run that a store names (``module:function``):
    looking at somebody's results must be safe.
    """

    def __init__(self, dataset: str, split: str) -> None:
        self.reason = ""
        self.points = RECORDING_POINTS if has_recordings(dataset) else POINTS
        nothing: Mapping[str, Series] = {}
        self._get: Callable[[str], Series | None] = nothing.get
        if runs_code(dataset):
            self.reason = "made by code, which a report does not run"
            return
        try:
            self._get = _reader(without_protocol(dataset), split)
        except TsmdbenchError as error:
            self.reason = str(error)

    def get(self, problem: str) -> Series | None:
        """Return the series of a problem, None where it is not here."""
        return self._get(problem)


def _reader(dataset: str, split: str) -> Callable[[str], Series | None]:
    from pathlib import Path

    problems: Any
    if has_recordings(dataset) or is_generated(dataset) or _is_variant(dataset):
        problems = load_problems(dataset, split)
        return {item.name: item.series for item in problems}.get
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


def _is_variant(dataset: str) -> bool:
    """Tell whether a dataset is a variant of one of TSMD-Bench that is here."""
    name = dataset_of(dataset)
    return name != dataset and locate(name) is not None
