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

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from tsmdbench._kernels.distance import motiflet, neighbours, sliding
from tsmdbench._kernels.progress import each
from tsmdbench.arrays import Floats, Integers
from tsmdbench.methods._common import SingleChannel, Threaded
from tsmdbench.methods._windows import overlapping
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice

FLAT = 1e-4  # deviation below which a window has no shape
ELBOW = 2.0  # an elbow is where the slope grows by more than this factor
EQUAL = 1e-9  # extents that differ by less do so by rounding
SLOPE_FLOOR = 1e-5  # added to slopes, so that a plateau of extents has one


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
        check_choice(self.strategy, "strategy", ("elbow", "iterative"))

    def lengths(self, series: Any) -> tuple[Integers, Floats]:
        """Return the lengths in the range and the area under the extents of each."""
        return self._lengths(_Shared(self._checked(series), self.k_max))

    def _key(self) -> Hashable:
        return self.channel

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> _Shared:
        return _Shared(x, max(method.k_max for method in methods))

    def _search(self, shared: _Shared) -> Found:
        lengths, areas = self._lengths(shared)
        length = int(lengths[np.argmin(areas)])
        sets: list[Integers] = []
        if self.strategy == "elbow":
            found = shared.windows(length, 1, self).search(
                self.k_max, self.elbow_deviation
            )
            taken = np.zeros(len(shared.x), np.bool_)
            for elbow in found.elbows[::-1]:
                starts = found.candidates[elbow]
                if self.disjoint:
                    starts = starts[~taken[starts]]
                    if len(starts) > 1:
                        taken |= overlapping(starts, len(taken), length)
                sets.append(starts)
        else:
            # Take the largest set, blank it, and search again while there is an elbow.
            windows = Extents(shared.x, length, self.k_max, self.slack, self.n_jobs)
            while self.max_sets is None or len(sets) < self.max_sets:
                found = windows.search(self.k_max, self.elbow_deviation)
                largest = found.candidates[found.elbows[-1]]
                if not len(largest) or (sets and found.elbows[-1] == 2):
                    break
                sets.append(largest)
                windows.blank(largest)
        sets = [starts for starts in sets if len(starts) > 1][: self.max_sets]
        return tuple(MotifSet.from_starts(starts, length) for starts in sets)

    def _lengths(self, shared: _Shared) -> tuple[Integers, Floats]:
        lengths = np.arange(self.l_min, self.l_max + 1, self.step)
        if len(lengths) == 1:
            return lengths, np.zeros(1)
        areas = np.full(len(lengths), np.inf)
        for place, length in enumerate(each(lengths.tolist())):
            short = length // self.subsample
            if short >= 2:
                windows = shared.windows(short, self.subsample, self)
                found = windows.search(self.k_max, self.elbow_deviation)
                areas[place] = area_under_extents(found.dists)
        return lengths, areas


class _Shared:
    """Windows of every length, for settings of a sweep up to the largest k_max."""

    def __init__(self, x: Series, k_max: int) -> None:
        self.x, self.k_max = x, k_max
        self._known: dict[tuple[Any, ...], Extents] = {}

    def windows(self, length: int, subsample: int, method: Motiflets) -> Extents:
        """Return the windows of that length on every `subsample`-th sample."""
        slack, n_jobs = method.slack, method.n_jobs
        key = length, subsample, slack
        if key not in self._known:
            every = np.ascontiguousarray(self.x[::subsample])
            self._known[key] = Extents(every, length, self.k_max, slack, n_jobs)
        return self._known[key]


# The most similar sets of k windows, and the elbows of their extent.


class KMotiflets(NamedTuple):
    """The k-motiflets of one length, at index k."""

    dists: Floats  # squared extents; inf without a set, the first two repeat k = 2
    candidates: tuple[Integers, ...]  # sorted window starts; empty without a set
    elbows: Integers  # the k of the motif sets, ascending


class Extents:
    """All windows of one length, and their sets of smallest extent up to `k_max`.

    Windows without shape are far from all others.
    """

    _near: tuple[Integers, Floats, Floats] | None = None  # starts, distances, extents

    def __init__(
        self, x: Series, length: int, k_max: int, slack: float, n_jobs: int
    ) -> None:
        self.length, self.n_jobs = length, n_jobs
        self.zone = max(int(length * slack), 1)
        fitting = int((len(x) - length + 1) // (length * slack))
        self.k_max = min(max(3, fitting), k_max)
        self.y, self.tracks = sliding.prepare(x, length)
        channels = zip(x.reshape(len(x), -1).T, self.y, self.tracks, strict=True)
        for samples, y, track in channels:
            # Windows of a channel without shape get the inverse norm 0 and the bias 0.
            finite = np.isfinite(samples)
            if finite.any() and np.ptp(y[finite]) > 0:
                with np.errstate(over="ignore"):  # of a range beyond all numbers
                    # The unit of x on the scale of y.
                    one = np.ptp(y[finite]) / np.ptp(samples[finite])
                norm = np.sqrt(length) * FLAT * min(one, y[finite].std())
                track[sliding.INVERSE, track[sliding.INVERSE] * norm > 1.0] = 0.0
            broken = np.isneginf(track[sliding.BIAS])
            track[sliding.BIAS] = np.where(broken, -np.inf, 0.0)

    def nearest(self, channels: slice = slice(None)) -> tuple[Integers, Floats]:
        """Return starts and distances of each window and those nearest to it."""
        return neighbours.nearest_apart(
            self.y[channels],
            self.tracks[channels],
            self.length,
            self.zone,
            self.zone - 1,
            self.k_max - 1,
            self.n_jobs,
            squared=True,
        )

    def blank(self, starts: Integers) -> None:
        """Take every window that overlaps one of these out of the search."""
        taken = overlapping(starts, self.tracks.shape[2], self.length)
        self.tracks[:, sliding.BIAS, taken] = -np.inf
        self._near = None

    def search(self, k_max: int, elbow_deviation: float = 1.0) -> KMotiflets:
        """Return the best set of every size below `k_max`, and the elbows among them.

        Of sets of equal extent, the one whose last window is nearest is the best.
        """
        if self._near is None:
            starts, distances = self.nearest()
            order = np.argsort(distances[:, -1], kind="stable")
            extents = motiflet.prefix_extents(
                self.y, self.tracks, self.length, starts, order
            )
            self._near = starts, distances, extents
        starts, distances, extents = self._near
        k_max = min(k_max, self.k_max)
        dists = np.full(k_max, np.inf)
        candidates = [np.empty(0, np.int64)] * k_max
        if self.tracks[:, sliding.INVERSE].any():
            for k in range(2, k_max):
                dists[k] = extents[:, k - 1].min()
                if np.isfinite(dists[k]):
                    rows = np.flatnonzero(extents[:, k - 1] == dists[k])
                    row = rows[np.argmin(distances[rows, k - 1])]
                    candidates[k] = np.sort(starts[row, :k])
        dists = not_decreasing(dists)
        elbows = find_elbows(dists, deviation=elbow_deviation)
        kept = unique_elbows(elbows, candidates, self.length)
        return KMotiflets(dists, tuple(candidates), kept)


def not_decreasing(dists: Floats) -> Floats:
    """Return for every size k the smallest extent of k windows or more."""
    least = np.minimum.accumulate(dists[2:][::-1])[::-1]
    return np.concatenate([[dists[2], dists[2]], least])


def find_elbows(dists: Floats, *, deviation: float = 1.0) -> Integers:
    """Return the k at which the extents start to grow, ascending; 2 where none is.

    The slope grows there by more than `ELBOW`, and the extent by more than the factor
    `deviation`. The last k cannot be an elbow.

    >>> find_elbows(np.array([1.0, 1.0, 1.0, 1.1, 1.2, 9.0, 9.5, 9.9]))
    array([4])
    """
    ratios = np.zeros(len(dists))
    for k in range(3, len(dists) - 1):
        before, here, after = dists[k - 1 : k + 2]
        if np.isfinite(after) and after > deviation * here:
            ratios[k] = (after - here + SLOPE_FLOOR) / (here - before + SLOPE_FLOOR)
    elbows = []
    while ratios.size and ratios.max() > ELBOW:
        elbow = int(np.argmax(ratios))
        elbows.append(elbow)
        ratios[elbow - 1 : elbow + 2] = 0
    return np.array(sorted(elbows) or [2], dtype=np.int64)


def unique_elbows(
    elbows: Integers, candidates: Sequence[Integers], length: int
) -> Integers:
    """Drop an elbow half of whose windows lie near those of a later, larger one.

    Near is closer than a third of the length; half is rounded down, but is never
    nothing.

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


def area_under_extents(dists: Floats) -> float:
    """Return the mean extent, scaled to [0, 1]: low where few extents are large.

    1.0 for extents that are all equal, inf where there is none.

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
