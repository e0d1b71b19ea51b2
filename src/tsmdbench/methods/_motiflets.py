"""`k_motiflets`: the most similar sets of k windows, and the elbows of their extent.

The *extent* of a set of windows is the largest pairwise distance in it. See
`tsmdbench.methods.motiflets` for the idea, the conventions and the references.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import motiflet, neighbours, sliding
from tsmdbench.errors import InputError
from tsmdbench.methods._windows import overlapping
from tsmdbench.methods.base import Series, check_fits, check_length, check_n_jobs
from tsmdbench.validation import check_integer, check_number, check_series

Indices = NDArray[np.int64]

FLAT = 1e-4  # deviation below which a window has no shape
ELBOW = 2.0  # an elbow is where the slope grows by more than this factor
EQUAL = 1e-9  # extents that differ by less do so by rounding
SLOPE_FLOOR = 1e-5  # added to slopes, so that a plateau of extents has one


class KMotiflets(NamedTuple):
    """The k-motiflets of one length.

    Attributes
    ----------
    length : int
        Window length.
    dists : float64[k_max]
        Extent (squared) at index k; the first two repeat that of k = 2. inf where
        there is no set.
    candidates : tuple of int64[k]
        Sorted window starts at index k, empty below 2 and where there is no set.
    elbows : int64[e]
        The k of the motif sets, ascending.
    """

    length: int
    dists: NDArray[np.float64]
    candidates: tuple[Indices, ...]
    elbows: Indices


def k_motiflets(
    series: Any,
    length: int,
    k_max: int,
    *,
    slack: float = 0.5,
    elbow_deviation: float = 1.0,
    n_jobs: int = 1,
) -> KMotiflets:
    """Find the k-motiflets for all ``2 <= k < k_max``.

    Parameters
    ----------
    series : array-like of shape (n,)
        One channel.
    length : int
        Window length.
    k_max : int
        Exclusive; lowered to the number of windows that fit, but not below 3.
    slack, elbow_deviation, n_jobs
        As for `Motiflets`.

    Examples
    --------
    >>> import numpy as np
    >>> series = np.random.default_rng(1).normal(size=200)
    >>> series[50:70] = series[90:110] = series[130:150] = np.sin(np.arange(20))
    >>> found = k_motiflets(series, length=20, k_max=6)
    >>> found.candidates[3], found.elbows
    (array([ 50,  90, 130]), array([3]))
    """
    x = check_series(series)
    if x.ndim > 1:
        raise InputError(
            f"k_motiflets takes one channel, got {x.shape[1]}; choose series[:, i]"
        )
    check_fits(x, check_length(length))
    check_integer(k_max, "k_max", minimum=3)
    check_slack(slack)
    check_number(elbow_deviation, "elbow_deviation")
    check_n_jobs(n_jobs)
    return Extents(x, length, slack, n_jobs).search(k_max, elbow_deviation)


def check_slack(slack: Any) -> float:
    """Return a share of the length in (0, 1]."""
    number = check_number(slack, "slack")
    if not 0 < number <= 1:
        raise InputError(f"slack must lie in (0, 1], got {slack}")
    return number


class Extents:
    """All windows of one length, and the nearest ones of each once they are asked."""

    def __init__(self, x: Series, length: int, slack: float, n_jobs: int) -> None:
        self.length, self.n_jobs = length, n_jobs
        self.zone = max(int(length * slack), 1)
        self.most = max(3, int((len(x) - length + 1) // (length * slack)))
        self.y, self.tracks = sliding.prepare(x, length)
        _forget_flat(x, self.y, self.tracks, length)
        self._forget()

    def _forget(self) -> None:
        self._starts = np.empty((0, 0), np.int64)
        self._distances = self._extents = np.empty((0, 0))

    def blank(self, starts: Indices) -> None:
        """Take every window that overlaps one of these out of the search."""
        taken = overlapping(starts, self.tracks.shape[2], self.length)
        self.tracks[0, sliding.BIAS, taken] = -np.inf
        self._forget()

    def _prepare(self, k: int) -> None:
        """Compute sets of up to k windows, unless it has been done for more."""
        if self._starts.shape[1] >= k:
            return
        starts, distances = neighbours.nearest_apart(
            self.y, self.tracks, self.length, self.zone, self.zone - 1, k, self.n_jobs
        )
        order = np.argsort(distances[:, -1], kind="stable")
        self._extents = motiflet.prefix_extents(
            self.y, self.tracks, self.length, starts, order
        )
        self._starts, self._distances = starts, distances

    def search(self, k_max: int, elbow_deviation: float) -> KMotiflets:
        """Return the best set of every size, and the elbows among them."""
        k_max = max(3, min(self.most, k_max))
        self._prepare(k_max - 1)
        dists = np.full(k_max, np.inf)
        candidates = [np.empty(0, np.int64)] * k_max
        if self.tracks[0, sliding.INVERSE].any():
            for k in range(2, k_max):
                dists[k], candidates[k] = self._best(k)
        dists[:2] = dists[2]
        dists[2:] = np.minimum.accumulate(dists[2:][::-1])[::-1]
        elbows = find_elbows(dists, deviation=elbow_deviation)
        kept = unique_elbows(elbows, candidates, self.length)
        return KMotiflets(self.length, dists, tuple(candidates), kept)

    def _best(self, k: int) -> tuple[float, Indices]:
        """Return the smallest extent of k windows, and their starts."""
        extents = self._extents[:, k - 1]
        smallest = extents.min()
        if not np.isfinite(smallest):
            return np.inf, np.empty(0, np.int64)
        rows = np.flatnonzero(extents == smallest)
        row = rows[np.argmin(self._distances[rows, k - 1])]
        return float(smallest), np.sort(self._starts[row, :k])


def _forget_flat(x: Series, y: Series, tracks: Series, length: int) -> None:
    """Give windows without shape the inverse norm 0 and the bias 0."""
    track = tracks[0]
    finite = np.isfinite(x)
    if finite.any() and np.ptp(y[0, finite]) > 0:
        samples = y[0, finite]
        with np.errstate(over="ignore"):  # a range beyond all numbers makes it 0
            one = np.ptp(samples) / np.ptp(x[finite])  # unit of x on the scale of y
        norm = np.sqrt(length) * FLAT * min(one, samples.std())
        track[sliding.INVERSE, track[sliding.INVERSE] * norm > 1.0] = 0.0
    broken = np.isneginf(track[sliding.BIAS])
    track[sliding.BIAS] = np.where(broken, -np.inf, 0.0)


def find_elbows(
    dists: NDArray[np.float64], *, alpha: float = ELBOW, deviation: float = 1.0
) -> Indices:
    """Return the k at which the extents start to grow, ascending; 2 where none is.

    Parameters
    ----------
    dists : float64[k_max]
        Extents at index k, not decreasing. The last k cannot be an elbow.
    alpha : float
        Least ratio of the slopes after and before an elbow, exclusive.
    deviation : float
        Smallest ratio of the extents after and at an elbow, exclusive.

    Examples
    --------
    >>> find_elbows(np.array([1.0, 1.0, 1.0, 1.1, 1.2, 9.0, 9.5, 9.9]))
    array([4])
    """
    ratios = np.zeros(len(dists))
    for k in range(3, len(dists) - 1):
        before, here, after = dists[k - 1 : k + 2]
        if np.isfinite(after) and after > deviation * here:
            ratios[k] = (after - here + SLOPE_FLOOR) / (here - before + SLOPE_FLOOR)
    elbows = []
    while ratios.size and ratios.max() > alpha:
        elbow = int(np.argmax(ratios))
        elbows.append(elbow)
        ratios[elbow - 1 : elbow + 2] = 0
    return np.array(sorted(elbows) or [2], dtype=np.int64)


def unique_elbows(
    elbows: Indices, candidates: Sequence[Indices], length: int
) -> Indices:
    """Drop an elbow half of whose windows lie near those of a later, larger one.

    Near is closer than a third of the length; half is rounded down, but is never
    nothing.

    Examples
    --------
    >>> sets = [[], [], [5, 90], [5, 50, 90], [7, 20, 51, 70]]
    >>> unique_elbows([2, 4], [np.array(one) for one in sets], length=12)
    array([4])
    """
    kept = []
    for position, elbow in enumerate(elbows):
        mine = candidates[elbow]
        near = (
            np.abs(mine[:, None] - candidates[later]).min(axis=1) < length // 3
            for later in elbows[position + 1 :]
        )
        if all(np.count_nonzero(one) < max(len(mine) // 2, 1) for one in near):
            kept.append(elbow)
    return np.array(kept, dtype=np.int64)


def area_under_extents(dists: NDArray[np.float64]) -> float:
    """Return the mean extent, scaled to [0, 1]: low where few extents are large.

    1.0 for extents that are all equal, inf where there is none.

    Examples
    --------
    >>> area_under_extents(np.array([1.0, 1.0, 1.0, 3.0]))
    0.25
    """
    finite = dists[np.isfinite(dists)]
    if not finite.size:
        return np.inf
    low, high = finite.min(), finite.max()
    if high - low < EQUAL:
        return 1.0
    return float(((finite - low) / (high - low)).mean())
