"""Which window seeds the next motif set, where only rounding can tell.

MMotifs starts at the window that is nearest to another one. There are always two such
windows, the nearest pair, and mathematics does not prefer one; stumpy takes the one for
which its floating-point numbers come out lower. Members of the set are looked for
around the seed, so the choice can matter. `Seeds` makes it as stumpy 1.14.1 does: for
the windows that tie, and for them only, it computes the distances again with the
operations of stumpy in the order of stumpy (see `rounding`).

Windows tie whose profile is within `TIE` of the lowest value: far more than rounding
makes of it, so that no window is missed, and far less than what tells windows apart.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tsmdbench._kernels.distance import rounding
from tsmdbench.methods._windows import Distances, Windows, overlapping
from tsmdbench.methods.base import Series

TIE = 1e-5  # of sqrt(length); the largest distance is twice that
FEW = 32  # ties that are decided pair by pair; more of them by whole rows


class Seeds:
    """The profile of a series, and its lowest windows as stumpy orders them.

    Parameters
    ----------
    x : float64[n] or float64[n, d]
        A checked series.
    windows : Windows
        Its windows.
    gap : int
        Smallest difference between the starts of neighbours.

    Attributes
    ----------
    profile : float64[N]
        Distance of every window to its nearest neighbour.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> seeds = Seeds(x, Windows.of(x, 10), 11)
    >>> seeds.lowest(seeds.profile) in np.argsort(seeds.profile)[:2]
    True
    """

    def __init__(self, x: Series, windows: Windows, gap: int) -> None:
        self.x, self.windows, self.gap = x, windows, gap
        self.profile = windows.nearest(gap)[0]
        self._known: dict[int, float] = {}

    def lowest(self, profile: Distances) -> int:
        """Return the lowest window of a profile, from which windows were taken out."""
        lowest = int(profile.argmin())
        with np.errstate(invalid="ignore"):  # infinite: nothing is left
            tied = np.flatnonzero(profile <= profile[lowest] + self._tolerance)
        if len(tied) < 2 or not math.isfinite(profile[lowest]):
            return lowest
        self._round([int(i) for i in tied if int(i) not in self._known])
        return int(min(tied, key=lambda i: self._known[int(i)]))

    @property
    def _tolerance(self) -> float:
        return TIE * math.sqrt(self.windows.length)

    def _round(self, windows: list[int]) -> None:
        """Compute the profile of some windows with the rounding of stumpy."""
        if len(windows) <= FEW:
            for i in windows:
                self._known[i] = min(
                    self._distance(i, int(j)) for j in self._neighbours(i)
                )
            return
        wanted = np.zeros(self.windows.count, np.bool_)
        wanted[windows] = True
        every = self._moments(np.arange(self.windows.count))
        nearest = rounding.nearest_distances(
            *self._products, every, self.windows.length, self.gap, wanted
        )
        self._known.update((i, float(nearest[i])) for i in windows)

    def _neighbours(self, i: int) -> NDArray[np.int64]:
        """Return the windows that tie for the nearest neighbour of one."""
        distances = self.windows.distances(i)
        distances[overlapping(np.array([i]), len(distances), self.gap)] = np.inf
        return np.flatnonzero(distances <= distances.min() + self._tolerance)

    def _distance(self, i: int, j: int) -> float:
        moments = self._moments(np.array([i, j]))
        return float(
            rounding.pair_distance(*self._products, moments, self.windows.length, i, j)
        )

    @cached_property
    def _samples(self) -> Distances:
        """Channels as rows, NaN where they are not finite."""
        samples = np.ascontiguousarray(np.atleast_2d(self.x.T))
        return np.where(np.isfinite(samples), samples, np.nan)

    @cached_property
    def _products(self) -> tuple[Distances, Distances]:
        """Samples, 0 where they are not finite, and products of the first window."""
        # Imported here: scipy.signal takes long to import, and few need it.
        from scipy.signal import convolve

        length, n = self.windows.length, len(self.x)
        samples = np.where(np.isnan(self._samples), 0.0, self._samples)
        with np.errstate(over="ignore", invalid="ignore"):  # then rounding cannot tell
            products = [convolve(np.flipud(x[:length]), x) for x in samples]
        return samples, np.stack([each[length - 1 : n] for each in products])

    def _moments(self, starts: NDArray[np.int64]) -> Distances:
        """Return what the kernels ask of windows, ``float64[d, 3, k]``."""
        length = self.windows.length
        some = sliding_window_view(self._samples, length, axis=1)
        if len(starts) < self.windows.count:  # all of them would fill the memory
            some = some[:, starts]
        moments = np.empty((len(some), 3, len(starts)))
        with np.errstate(over="ignore", invalid="ignore"):
            mean = some.mean(axis=2)
            moments[:, rounding.MEAN] = np.where(np.isnan(mean), np.inf, mean)
            moments[:, rounding.CONSTANT] = np.ptp(some, axis=2) == 0
        for channel, x in enumerate(self._samples):
            deviations = rounding.window_deviations(x, length, starts)
            moments[channel, rounding.DEVIATION] = deviations
        return moments
