"""Motiflets: the most similar sets of k windows, for every k at once.

The *extent* of a set of windows is its largest pairwise distance, and the k-motiflet
is the set of k windows with the smallest extent. As a function of k, the extent stays
low while there are further copies of a pattern, and increases sharply when there are no
more. The *elbows* of this function are the sizes of the patterns, and the motiflets at
the elbows are the motif sets.

Finding a k-motiflet exactly takes exponential time. Here each window and its k - 1
nearest windows are a candidate, so by the triangle inequality an extent is at most
twice the smallest one (four times, squared). The only required parameters are the
largest number of copies, ``k_max - 1``, and a range of lengths.

Conventions
-----------
Distances are **squared** z-normalised Euclidean, as in the authors' code. Two windows
p, q of one set satisfy ``q >= p + h`` or ``q < p - h`` with ``h = int(slack * length)``
for p picked before q: by default they do not overlap, and with ``slack=0.5`` they may
overlap by half. A window whose standard deviation is below 1e-4 (times the standard
deviation of the series, if that is below 1) has no shape, and the squared distance
``2 length`` to every other window. With ``channel="all"`` squared distances are summed
over the channels; the sets are those of `LAMA` in all channels.

Cost
----
O(n^2) time for the nearest windows at the chosen length, O((n / subsample)^2) for each
length that is tried, and for the extents O(k_max^3 n l) at worst, pruned. Memory is
O(n k_max).

Limitations
-----------
* Of two patterns with the same number of copies, ``strategy="elbow"`` finds at most
  one: there is one set for each k.
* All sets have the same length, and so have all occurrences in a set.
* Patterns with few copies are missed beside those with many: windows that are similar
  by chance enlarge a set before its extent increases, and a set near the windows of a
  larger one is dropped.

References
----------
P. Schäfer, U. Leser: Motiflets: simple and accurate detection of motifs in time
series. PVLDB 16(4), 2022. https://doi.org/10.14778/3574245.3574257
Authors' code: patrickzib/motiflets 0.8.0, GPL-3, used in tests only: extents
agree to 1e-9, candidates and elbows are equal up to ties.

Departures
----------
* The distance matrix is never stored; its rows are computed one after another.
* Among sets of equal extent, the one with the nearest neighbours is chosen, then the
  one with the lowest start.
* Sets are returned largest first. ``strategy="iterative"`` takes only the largest set,
  excludes the samples that it covers, and searches again.
* In the authors' code, members of a set may overlap by half (``slack=0.5``), and sets
  may share samples (``disjoint=False``); by default both are excluded here.
* An extent of exactly 0 (copies without noise) can be an elbow as well.
* A series in which no window has a shape has no motif.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import motiflet, neighbours, sliding
from tsmdbench._kernels.progress import each
from tsmdbench.errors import InputError
from tsmdbench.methods._distance import SingleChannel, Threaded
from tsmdbench.methods._windows import overlapping
from tsmdbench.methods.base import Found, Series, check_fits, check_length, check_n_jobs
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_integer, check_number, check_series


@dataclass(frozen=True, repr=False)
class Motiflets(Threaded, SingleChannel):
    """Find the motif sets at the elbows of the extent, at the length of most elbow.

    Parameters
    ----------
    l_min, l_max : int
        Range of lengths, both inclusive, at least 4 samples. The length with the
        smallest `area_under_extents` is used for all sets.
    k_max : int
        Sets have fewer than `k_max` members; at least 3.
    slack : float, default 1.0
        Smallest distance of two members of a set, as a share of the length, in (0, 1];
        0.5 in the authors' code.
    strategy : {"elbow", "iterative"}
        One set per elbow, the largest first; or repeatedly the largest set, without the
        samples that have been found, while there is an elbow.
    step : int, default 1
        Use every `step`-th length of the range.
    subsample : int, default 2
        Every `subsample`-th sample is used to choose the length.
    elbow_deviation : float, default 1.0
        Smallest ratio of the extents after and at an elbow, exclusive.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Drop members that overlap a member of an earlier set, and sets with fewer than
        two remaining members. False in the authors' code. An elbow is always dropped if
        most of its windows are near those of a larger one, as in the authors' code.
    channel : int or "all", default 0
        Channel of a multivariate series; ``"all"`` sums distances over the channels.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> series = np.random.default_rng(1).normal(size=200)
    >>> series[50:70] = series[90:110] = series[130:150] = np.sin(np.arange(20))
    >>> Motiflets(l_min=20, l_max=20, k_max=6).find(series)
    (MotifSet(((50, 70), (90, 110), (130, 150))),)
    """

    l_min: int
    l_max: int
    k_max: int
    slack: float = 1.0
    strategy: Literal["elbow", "iterative"] = "elbow"
    step: int = 1
    subsample: int = 2
    elbow_deviation: float = 1.0

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    all_channels: ClassVar[bool] = True
    paper: ClassVar[Mapping[str, Any]] = {
        "strategy": "elbow",
        "step": 1,
        "subsample": 2,
        "elbow_deviation": 1.0,
        "slack": 0.5,
        "disjoint": False,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_length(self.l_min, "l_min")
        check_length(self.l_max, "l_max")
        if self.l_min > self.l_max:
            raise InputError(
                f"l_min must not exceed l_max, got {self.l_min} > {self.l_max}"
            )
        check_integer(self.k_max, "k_max", minimum=3)
        check_slack(self.slack)
        check_choice(self.strategy, "strategy", ("elbow", "iterative"))
        check_integer(self.step, "step", minimum=1)
        check_integer(self.subsample, "subsample", minimum=1)
        check_number(self.elbow_deviation, "elbow_deviation")

    def lengths(self, series: Any) -> tuple[Indices, NDArray[np.float64]]:
        """Return the lengths in the range and the area under the extents of each."""
        return self._lengths(_Shared(self._checked(series)))

    def _find(self, x: Series) -> Found:
        return self._find_shared(_Shared(x))

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all, computing neighbours once per length, for the largest k_max."""
        shared: dict[int | str, _Shared] = {}
        # The largest k_max first: its neighbours hold those of the others.
        order = sorted(range(len(methods)), key=lambda i: -methods[i].k_max)
        found: list[Found] = [()] * len(methods)
        for position in order:
            method = methods[position]
            if method.channel not in shared:
                shared[method.channel] = _Shared(method._checked(series))
            found[position] = method._find_shared(shared[method.channel])
        return found

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        from tsmdbench.methods.lama import LAMA  # imports this module

        LAMA(20, 20, 4, subspace=1).find(np.stack([series, series[::-1]], axis=1))

    def _find_shared(self, shared: _Shared) -> Found:
        check_fits(shared.x, self.l_max, "l_max")
        lengths, areas = self._lengths(shared)
        length = int(lengths[np.argmin(areas)])
        if self.strategy == "iterative":
            sets = self._iterate(shared, length)
        else:
            found = shared.windows(length, 1, self).search(
                self.k_max, self.elbow_deviation
            )
            sets = [found.candidates[elbow] for elbow in found.elbows[::-1]]
            if self.disjoint:
                sets = list(_disjoint(sets, len(shared.x), length))
        sets = [starts for starts in sets if len(starts) > 1][: self.max_sets]
        return tuple(MotifSet.from_starts(starts, length) for starts in sets)

    def _lengths(self, shared: _Shared) -> tuple[Indices, NDArray[np.float64]]:
        lengths = np.arange(self.l_min, self.l_max + 1, self.step)
        if len(lengths) == 1:
            return lengths, np.zeros(1)
        areas = np.array(
            [self._area(shared, length) for length in each(lengths.tolist())]
        )
        return lengths, areas

    def _area(self, shared: _Shared, length: int) -> float:
        short = length // self.subsample
        if short < 2:
            return np.inf
        windows = shared.windows(short, self.subsample, self)
        return area_under_extents(
            windows.search(self.k_max, self.elbow_deviation).dists
        )

    def _iterate(self, shared: _Shared, length: int) -> list[Indices]:
        """Take the largest set, blank it, and search again while there is an elbow."""
        windows = Extents(shared.x, length, self.slack, self.n_jobs)
        sets: list[Indices] = []
        while self.max_sets is None or len(sets) < self.max_sets:
            found = windows.search(self.k_max, self.elbow_deviation)
            largest = found.candidates[found.elbows[-1]]
            if not len(largest) or (sets and found.elbows[-1] == 2):
                break
            sets.append(largest)
            windows.blank(largest)
        return sets


class _Shared:
    """Windows of every length, shared by the settings of a sweep."""

    def __init__(self, x: Series) -> None:
        self.x = x
        self._known: dict[tuple[Any, ...], Extents] = {}

    def windows(self, length: int, subsample: int, method: Motiflets) -> Extents:
        """Return the windows of that length on every `subsample`-th sample."""
        key = (length, subsample, method.slack)
        if key not in self._known:
            every = np.ascontiguousarray(self.x[::subsample])
            self._known[key] = Extents(every, length, method.slack, method.n_jobs)
        return self._known[key]


def _disjoint(sets: Iterable[Indices], count: int, length: int) -> Iterable[Indices]:
    """Drop from each set the windows that overlap a window of a set before it."""
    taken = np.zeros(count, np.bool_)
    for starts in sets:
        free = starts[~taken[starts]]
        if len(free) > 1:
            taken |= overlapping(free, count, length)
            yield free


# The most similar sets of k windows, and the elbows of their extent: the largest
# pairwise distance in a set.

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
    """All windows of one length; nearest windows are computed on demand."""

    def __init__(self, x: Series, length: int, slack: float, n_jobs: int) -> None:
        self.length, self.n_jobs = length, n_jobs
        self.zone = max(int(length * slack), 1)
        self.most = max(3, int((len(x) - length + 1) // (length * slack)))
        self.y, self.tracks = sliding.prepare(x, length)
        for channel, samples in enumerate(x.reshape(len(x), -1).T):
            forget_flat(samples, self.y[channel], self.tracks[channel], length)
        self._forget()

    def _forget(self) -> None:
        self._starts = np.empty((0, 0), np.int64)
        self._distances = self._extents = np.empty((0, 0))

    def blank(self, starts: Indices) -> None:
        """Take every window that overlaps one of these out of the search."""
        taken = overlapping(starts, self.tracks.shape[2], self.length)
        self.tracks[:, sliding.BIAS, taken] = -np.inf
        self._forget()

    def _prepare(self, k: int) -> None:
        """Compute sets of up to k windows, unless it has been done for more."""
        if self._starts.shape[1] >= k:
            return
        starts, distances = neighbours.nearest_apart(
            self.y,
            self.tracks,
            self.length,
            self.zone,
            self.zone - 1,
            k,
            self.n_jobs,
            squared=True,
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
        if self.tracks[:, sliding.INVERSE].any():
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


def forget_flat(x: Series, y: Series, track: Series, length: int) -> None:
    """Give windows of a channel without shape the inverse norm 0 and the bias 0."""
    finite = np.isfinite(x)
    if finite.any() and np.ptp(y[finite]) > 0:
        samples = y[finite]
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
