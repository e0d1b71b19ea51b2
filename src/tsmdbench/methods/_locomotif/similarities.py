"""The similarities of a series, and their quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import similarity
from tsmdbench.arrays import Floats, Integers
from tsmdbench.methods._locomotif.threads import Threads

STORED = 1 << 24  # cells up to which all similarities are kept, four bytes each
BLOCK = 1 << 24  # cells between which a search may be interrupted
SPREAD = 4.0  # standard errors by which the rank of a sampled quantile may be off


class Similarities:
    """The similarities of a series: all, if that is requested, or as they are needed.

    Parameters
    ----------
    x : float32[n, d]
        The series. Its variance is taken over all channels and summed in memory
        order, as NumPy does.
    threads : Threads, optional
        Share the work. Results do not depend on them.
    most : int, optional
        Cells up to which all similarities are kept, for several searches.
    """

    def __init__(
        self,
        x: NDArray[np.float32],
        threads: Threads | None = None,
        *,
        most: int = STORED,
    ) -> None:
        deviation = np.std(x, axis=None)
        self.n = len(x)
        self.threads = threads or Threads(1)
        self.constant = bool(deviation == 0)
        self.x = np.ascontiguousarray(x[::-1].T)  # in reversed time
        self.gamma = 0.0 if self.constant else float(1 / deviation**2)
        self.packed = np.empty(0, np.float32)
        count = self.n * (self.n + 1) // 2
        if not self.constant and count <= most:
            self.packed = np.empty(count, np.float32)
            self._by_rows(similarity.similarities_inplace, self.packed)

    @property
    def source(self) -> tuple[NDArray[np.float32], float, NDArray[np.float32]]:
        """What kernels compute similarities from: x, gamma, and all, if these are."""
        return self.x, self.gamma, self.packed

    def along(self, cells: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the similarities of pairs of samples, [m, 2], the earlier first."""
        reverse = self.n - 1 - cells
        values: NDArray[np.float32]
        values = similarity.similarities_of(*self.source, reverse)
        return values

    def quantiles(self, rhos: Sequence[float]) -> list[np.float32]:
        """Return the quantiles of all similarities, as `np.quantile` gives them.

        NumPy does all of this in float32, also the position ``rho (m - 1)``, which for
        many values is a rough one; so do we. A sample of the cells tells between which
        exponents the wanted ones lie. Only those are listed, all others are counted:
        `np.partition` of all takes as long as the rest of a search.
        """
        total = self.n * (self.n + 1) // 2
        places = [(total - 1) * np.float32(rho) for rho in rhos]
        ranks = [
            [
                0 if place >= np.float32(total - 1) else max(0, total - 1 - int(rank))
                for rank in (np.floor(place), np.floor(place) + 1)
            ]
            for place in places
        ]  # among exponents: the larger its exponent, the smaller is a similarity
        count = min(total, max(1 << 12, round(total ** (2 / 3))))
        sample = np.sort(similarity.sampled_exponents(self.x, self.gamma, count))
        sample = np.concatenate([[0.0], sample, [np.finfo(float).max]])
        found: dict[int, list[np.float32]] = {}
        spread = SPREAD
        while len(found) < len(rhos):
            margin = spread * 0.5 * math.sqrt(count) + 2
            left = [t for t in range(len(rhos)) if t not in found]
            around = [
                [min(ranks[t]) / total * count - margin for t in left],
                [max(ranks[t]) / total * count + margin for t in left],
            ]
            bounds = sample[np.clip(np.round(around), -1, count).astype(int) + 1].T
            for t, pair, counts, listed in zip(
                left, bounds, *self._between(bounds), strict=True
            ):
                if counts[0] <= min(ranks[t]) and max(ranks[t]) < counts[3]:
                    values = _of_ranks(ranks[t], pair, counts, listed)
                    found[t] = [np.float32(math.exp(-e)) for e in values]
            spread *= 4
        return [
            _interpolated(found[t][0], found[t][1], np.float32(place - np.floor(place)))
            for t, place in enumerate(places)
        ]

    def _between(self, bounds: Floats) -> tuple[Integers, list[Floats]]:
        """Count exponents around bounds and list those between; see the kernel."""
        parts = self._by_rows(similarity.exponents_between, bounds.copy())
        lists = [
            np.split(listed, np.cumsum(counts[:-1, 2] - counts[:-1, 1]))
            for counts, listed in parts
        ]
        counts = np.sum([counts for counts, _ in parts], axis=0)
        return counts, [np.concatenate(own) for own in zip(*lists, strict=True)]

    def _by_rows(self, work: Callable[..., Any], given: NDArray[Any]) -> list[Any]:
        """Return what a kernel gives for blocks of rows of all cells."""
        step = max(1, BLOCK // self.n)
        edges = [*range(0, self.n, step), self.n]
        return self.threads.map(
            lambda *rows: work(self.x, self.gamma, given, *rows), edges
        )


def _of_ranks(
    ranks: list[int], bounds: Floats, counts: Integers, listed: Floats
) -> list[float]:
    """Return exponents of ranks, of which `counts` are below and up to each bound."""
    inside = {int(r - counts[1]) for r in ranks if counts[1] <= r < counts[2]}
    if inside:
        listed.partition(sorted(inside))
    return [
        float(bounds[int(rank >= counts[2])])
        if rank < counts[1] or rank >= counts[2]
        else float(listed[rank - counts[1]])
        for rank in ranks
    ]


def _interpolated(low: np.float32, high: np.float32, share: np.float32) -> np.float32:
    """Interpolate as `np.quantile` does: from the nearer end."""
    if share >= 0.5:
        return high - (high - low) * (1 - share)
    return low + (high - low) * share
