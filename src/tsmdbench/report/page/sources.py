"""The series behind the runs, where they are here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from tsmdbench.benchmark import RECORDINGS_SUITE
from tsmdbench.datasets.archive import locate
from tsmdbench.errors import TsmdbenchError
from tsmdbench.experiments.sources import (
    dataset_of,
    identified,
    is_generated,
    is_identity,
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

    def __init__(
        self, dataset: str, split: str, folders: Mapping[str, str] | None = None
    ) -> None:
        self.reason = ""
        whole = dataset_of(dataset) in RECORDINGS_SUITE or is_identity(dataset)
        self.points = RECORDING_POINTS if whole else POINTS
        nothing: Mapping[str, Series] = {}
        self._get: Callable[[str], Series | None] = nothing.get
        if runs_code(dataset):
            self.reason = "made by code, which a report does not run"
            return
        try:
            self._get = _reader(without_protocol(dataset), split, folders)
        except TsmdbenchError as error:
            self.reason = str(error)

    def get(self, problem: str) -> Series | None:
        """Return the series of a problem, None where it is not here."""
        return self._get(problem)


def _reader(
    dataset: str, split: str, folders: Mapping[str, str] | None
) -> Callable[[str], Series | None]:
    name, own = identified(dataset)
    if (
        dataset in RECORDINGS_SUITE
        or is_generated(dataset)
        or _is_variant(dataset)
        or is_identity(name)
    ):
        problems = load_problems(name, split, folders={**(folders or {}), **own})
        return {item.name: item.series for item in problems}.get
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
