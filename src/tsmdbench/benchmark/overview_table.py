"""The overview of TSMD-Bench (table of section 5.2): ours beside the paper's.

The paper's text says that g is uniform on [1, g_max]. Its mean lengths say otherwise:
with c classes and no class that runs out, a problem with g sets has 2 (c - g) + 1
instances, and the paper's n_avg agrees with g >= 2 for ECG5000, Plane, Symbols, ERing
and NATOPS (also Mallat and PenDigits, within one percent), but with g >= 1 for
UWaveGestureLibrary. The frozen recipes follow the text; `g_min` is a parameter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tsmdbench.archive.catalogue import BENCHMARK, PAPER, PaperRow
from tsmdbench.archive.dataset import Dataset
from tsmdbench.archive.describe import describe
from tsmdbench.archive.loading import load
from tsmdbench.archive.places import locate, places
from tsmdbench.benchmark.construct import largest_g
from tsmdbench.benchmark.recipes import frozen_recipes, recipes_for
from tsmdbench.errors import DataError
from tsmdbench.io import PathLike

AGREES = 0.01  # of the paper's n_avg


class OverviewRow(NamedTuple):
    """One dataset; values are None if the data is unavailable.

    `trouble` says what is wrong with data that is here but cannot be used. `n_avg` is
    the mean length of the problems of the test split; `n_avg_g1` and
    `n_avg_g2` are what g uniform on [1, g_max] and on [2, g_max] lead one to expect
    where no class runs out of instances. `paper_g_min` is the one of the two that the
    paper's n_avg agrees with.
    """

    dataset: str
    available: str | None
    frozen: bool
    classes: int | None
    l_min: int | None
    l_max: int | None
    channels: int | None
    g_max: int | None
    n_avg: float | None
    n_avg_g1: float | None
    n_avg_g2: float | None
    paper: PaperRow
    paper_g_min: int | None
    trouble: str | None = None


def overview(folder: PathLike | None = None) -> list[OverviewRow]:
    """Return the 14 datasets in the order of the paper; nothing is downloaded."""
    places(folder)  # a folder that does not exist is no matter of one dataset
    return [_row(name, folder) for name in BENCHMARK]


def expected_length(classes: int, mean_length: float, g_min: int) -> float:
    """Return the expected length of a problem where no class runs out.

    >>> expected_length(5, 140, 1), expected_length(5, 140, 2)
    (1120.0, 980.0)
    """
    sets = range(g_min, largest_g(classes) + 1)
    return float(np.mean([2 * (classes - g) + 1 for g in sets]) * mean_length)


def _row(name: str, folder: PathLike | None) -> OverviewRow:
    try:
        place = locate(name, folder)
        dataset = load(name, folder, allow_download=False) if place else None
    except DataError as trouble:
        return _absent(name, str(trouble))
    if place is None or dataset is None:
        return _absent(name)
    frozen = (name, "test") in frozen_recipes()
    paper = PAPER[name]
    seen = describe(dataset)
    expected = _expected(seen.classes, seen.l_mean)
    return OverviewRow(
        name,
        place.kind,
        frozen,
        *seen[:4],
        largest_g(seen.classes),
        _mean_length(dataset),
        *expected,
        paper,
        _agreeing(expected, paper.n_avg),
    )


def _absent(name: str, trouble: str | None = None) -> OverviewRow:
    """Return what is known without the data: fixed lengths, and the paper's row."""
    paper = PAPER[name]
    fixed = float(paper.l_min) if paper.l_min == paper.l_max else None
    expected = _expected(paper.classes, fixed)
    return OverviewRow(
        name,
        None,
        (name, "test") in frozen_recipes(),
        *(None,) * 6,
        *expected,
        paper,
        _agreeing(expected, paper.n_avg),
        trouble,
    )


def _mean_length(dataset: Dataset) -> float:
    """Return the mean length of the problems of the test split."""
    lengths = dataset.lengths
    recipes = recipes_for(dataset, "test").recipes
    return float(np.mean([lengths[list(recipe)].sum() for recipe in recipes]))


def _expected(classes: int, mean: float | None) -> tuple[float | None, float | None]:
    if mean is None:
        return None, None
    return expected_length(classes, mean, 1), expected_length(classes, mean, 2)


def _agreeing(expected: tuple[float | None, float | None], n_avg: int) -> int | None:
    for g_min, value in enumerate(expected, start=1):
        if value is not None and abs(value - n_avg) <= AGREES * n_avg:
            return g_min
    return None
