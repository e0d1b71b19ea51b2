"""The similarities of a series, and their quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import similarity
from tsmdbench._kernels.threads import nothing, run_jobs
from tsmdbench.arrays import Floats
from tsmdbench.methods._locomotif.sizes import USUAL, Sizes

SPREAD = 4.0  # standard errors by which the rank of a sampled quantile may be off

Pairs = list[tuple[int, ...]]


class Similarities:
    """The similarities of a series: all, if that is requested, or as they are needed.

    Parameters
    ----------
    x : float32[n, d]
        The series. Its variance is taken over all channels and summed in memory
        order, as NumPy does.
    n_jobs : int, default 1
        Threads that share the work. Results do not depend on it.
    store : bool, default False
        Whether to keep all, four bytes each, for several searches.
    sizes : Sizes, optional
        How much is held at once, here and by `find_paths`.
    """

    def __init__(
        self,
        x: NDArray[np.float32],
        n_jobs: int = 1,
        *,
        store: bool = False,
        sizes: Sizes | None = None,
    ) -> None:
        self.sizes = sizes or USUAL
        deviation = np.std(x, axis=None)
        self.n = len(x)
        self.constant = bool(deviation == 0)
        # In reversed time, see `_kernels.locomotif.triangle`.
        self.x = np.ascontiguousarray(x[::-1].T)
        self.gamma = 0.0 if self.constant else float(1 / deviation**2)
        self.packed = np.empty(0, np.float32)
        count = self.n * (self.n + 1) // 2
        if not self.constant and (store or count <= self.sizes.stored):
            self.packed = np.empty(count, np.float32)
            arguments = self.x, self.gamma, self.packed
            run_jobs(similarity.similarities_inplace, arguments, n_jobs, nothing)

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

    def quantiles(self, rhos: Sequence[float], n_jobs: int = 1) -> list[np.float32]:
        """Return the quantiles of all similarities, as `np.quantile` gives them.

        NumPy does all of this in float32, also the position ``rho (m - 1)``, which for
        many values is a rough one; so do we.
        """
        last = self.n * (self.n + 1) // 2 - 1
        places = [last * np.float32(rho) for rho in rhos]
        floors = [np.floor(place) for place in places]
        ranks = [
            tuple(last if place >= np.float32(last) else int(r) for r in (low, low + 1))
            for place, low in zip(places, floors, strict=True)
        ]
        find = self._counted if len(self.packed) else self._sampled
        return [
            _between(values[0], values[1], np.float32(place - low))
            for values, place, low in zip(
                find(ranks, n_jobs), places, floors, strict=True
            )
        ]

    def _counted(self, ranks: Pairs, n_jobs: int) -> list[list[np.float32]]:
        """Return values of given ranks, counting the halves of their bits."""
        bits = self.packed.view(np.uint32)
        count, count_rest = similarity.count_upper_halves, similarity.count_lower_halves
        below = np.cumsum(run_jobs(count, (bits,), n_jobs, np.add))
        halves = np.searchsorted(below, np.array(ranks), side="right")
        wanted = np.unique(halves)
        slots = np.full(len(below), -1, np.int32)
        slots[wanted] = np.arange(len(wanted))
        arguments = bits, slots, len(wanted)
        rest = np.cumsum(run_jobs(count_rest, arguments, n_jobs, np.add), axis=1)
        found = []
        for pair, upper in zip(ranks, halves.tolist(), strict=True):
            values = []
            for rank, half in zip(pair, upper, strict=True):
                left = rank - (int(below[half - 1]) if half else 0)
                low = int(np.searchsorted(rest[slots[half]], left, side="right"))
                value = np.array([half << similarity.HALF | low], np.uint32)
                values.append(value.view(np.float32)[0])
            found.append(values)
        return found

    def _sampled(self, ranks: Pairs, n_jobs: int) -> list[list[np.float32]]:
        """Return values of given ranks without the similarities of all cells."""
        return [
            [np.float32(math.exp(-e)) for e in self._exponents(list(pair), n_jobs)]
            for pair in ranks
        ]

    def _exponents(self, ranks: list[int], n_jobs: int) -> list[float]:
        """Return the exponents of the similarities of given, neighbouring ranks.

        The larger its exponent, the smaller is a similarity. A sample tells between
        which exponents the wanted ones lie; those are listed, all others only counted.
        """
        total = self.n * (self.n + 1) // 2
        wanted = [total - 1 - rank for rank in ranks]  # ranks among exponents
        count = min(total, max(1 << 12, round(total ** (2 / 3))))
        sample = np.sort(similarity.sampled_exponents(self.x, self.gamma, count))
        spread = SPREAD
        while True:
            margin = spread * 0.5 * math.sqrt(count) + 2
            low = math.floor(min(wanted) / total * count - margin)
            high = math.ceil(max(wanted) / total * count + margin)
            bounds = (
                sample[low] if low >= 0 else 0.0,
                sample[high] if high < count else np.finfo(float).max,
            )
            arguments = self.x, self.gamma, *bounds
            below, listed = run_jobs(
                similarity.exponents_between, arguments, n_jobs, _joined
            )
            if below <= min(wanted) and max(wanted) < below + len(listed):
                listed.partition(sorted({w - below for w in wanted}))
                return [float(listed[w - below]) for w in wanted]
            spread *= 4


def _joined(one: tuple[int, Floats], other: tuple[int, Floats]) -> tuple[int, Floats]:
    """Merge counts and lists of two threads."""
    return one[0] + other[0], np.concatenate([one[1], other[1]])


def _between(low: np.float32, high: np.float32, share: np.float32) -> np.float32:
    """Interpolate as `np.quantile` does: from the nearer end."""
    if share >= 0.5:
        return high - (high - low) * (1 - share)
    return low + (high - low) * share
