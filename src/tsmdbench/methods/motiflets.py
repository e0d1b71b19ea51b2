"""Motiflets: the sets of k windows that are most alike, for every k at once.

The *extent* of a set of windows is its largest pairwise distance, and the k-motiflet
is the set of k windows with the smallest one. The extent as a function of k stays low
while there are further copies of a pattern and jumps when there is none left: its
*elbows* are the sizes of the patterns, and the motiflets there are the motif sets.

Finding a k-motiflet is NP-hard. Here each window and its k - 1 nearest windows are a
candidate, so an extent is at most twice the smallest one. Nothing but the number of
copies, at most ``k_max - 1``, and a range of lengths needs to be known.

Conventions
-----------
Distances are **squared** z-normalised Euclidean, as in the authors' code. Two windows
p, q of one set satisfy ``q >= p + h`` or ``q < p - h`` with ``h = int(slack * length)``
for p picked before q: with the default they may overlap by a half. A window whose
deviation is below 1e-4 (of the deviation of the series, if that is below 1) has no
shape and the squared distance ``2 length`` from every other.

References
----------
P. Schäfer, U. Leser: Motiflets: simple and accurate detection of motifs in time
series. PVLDB 16(4), 2022. https://doi.org/10.14778/3574245.3574257
Authors' code: patrickzib/motiflets 0.8.0, GPL-3, used as a test oracle only: extents
agree to 1e-9, candidates and elbows are equal up to ties.

Departures
----------
* The matrix of distances is never stored: O(N k_max) memory, one pass over rows.
* Among sets of equal extent the one around the nearest neighbours wins, then the one
  with the lowest start.
* Sets come largest first, and by default lose the members that overlap a member of an
  earlier set (`disjoint`). ``strategy="iterative"`` takes only the largest set,
  blanks what it covers, and starts again.
* A series in which no window has a shape has no motif.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.kernels import motiflet, sliding
from tsmdbench.kernels.profile import run_jobs
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
)
from tsmdbench.types import MotifSet
from tsmdbench.validation import (
    check_choice,
    check_integer,
    check_number,
    check_series,
)

Indices = NDArray[np.int64]

FLAT = 1e-4  # deviation below which a window has no shape
ELBOW = 2.0  # an elbow is where the slope grows by more than this factor
TINY = np.finfo(np.float64).tiny
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
    series : array-like of shape (n,) or (n, d)
        For several channels the squared distances are added.
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
    return _Windows(check_series(series), length, slack, n_jobs).search(
        k_max, elbow_deviation
    )


class _Windows:
    """All windows of one length, and the nearest ones of each once they are asked."""

    def __init__(self, x: Series, length: int, slack: float, n_jobs: int) -> None:
        self.length, self.n_jobs = length, n_jobs
        self.zone = max(int(length * slack), 1)
        self.most = max(3, int((len(x) - length + 1) // (length * slack)))
        self.y, self.tracks = sliding.prepare(x, length)
        _forget_flat(x, self.y, self.tracks, length)
        self._forget()

    def _forget(self) -> None:
        self._starts = np.empty((0, 0), np.int32)
        self._squares = self._extents = np.empty((0, 0))

    def blank(self, starts: Indices) -> None:
        """Take every window that overlaps one of these out of the search."""
        for start in starts:
            low = max(int(start) - self.length + 1, 0)
            self.tracks[0, sliding.BIAS, low : int(start) + self.length] = -np.inf
        self._forget()

    def _prepare(self, k: int) -> None:
        """Compute sets of up to k windows, unless it has been done for more."""
        if self._starts.shape[1] >= k:
            return
        arguments = (self.y, self.tracks, self.length, self.zone, k)
        starts, squares = run_jobs(
            motiflet.nearest_apart, arguments, self.n_jobs, _merge_rows
        )
        order = np.argsort(squares[:, -1], kind="stable")
        self._extents = motiflet.prefix_extents(
            self.y, self.tracks, self.length, starts, order, True
        )
        self._starts, self._squares = starts, squares

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
        row = rows[np.argmin(self._squares[rows, k - 1])]
        return float(smallest), np.sort(self._starts[row, :k]).astype(np.int64)


def _forget_flat(x: Series, y: Series, tracks: Series, length: int) -> None:
    """Give windows without shape the inverse norm 0; join what channels lack."""
    columns = x[:, None] if x.ndim == 1 else x
    for samples, scaled, track in zip(columns.T, y, tracks, strict=True):
        finite = np.isfinite(samples)
        if finite.any():
            unit = np.ptp(samples[finite]) / max(np.ptp(scaled[finite]), TINY)
            floor = FLAT * min(1.0, float(samples[finite].std()))
            norm = np.sqrt(length) * floor / max(unit, TINY)
            track[sliding.INVERSE, track[sliding.INVERSE] * norm > 1.0] = 0.0
    broken = np.isneginf(tracks[:, sliding.BIAS]).any(axis=0)
    tracks[:, sliding.BIAS] = np.where(broken, -np.inf, 0.0)


def _merge_rows(one: Any, other: Any) -> Any:
    """Join the rows that two jobs have filled; the others hold -1 and inf."""
    starts, squares = one
    return np.maximum(starts, other[0]), np.minimum(squares, other[1])


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
        Least ratio of the extents after and at an elbow, exclusive.

    Examples
    --------
    >>> find_elbows(np.array([1.0, 1.0, 1.0, 1.1, 1.2, 9.0, 9.5, 9.9]))
    array([4])
    """
    ratios = np.zeros(len(dists))
    for k in range(3, len(dists) - 1):
        before, here, after = dists[k - 1 : k + 2]
        if np.isfinite(after) and here > 0 and after / here > deviation:
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
    if low == high:
        return 1.0
    return float(((finite - low) / (high - low)).mean())


@dataclass(frozen=True)
class Motiflets(Method):
    """Find the motif sets at the elbows of the extent, at the length of most elbow.

    Parameters
    ----------
    l_min, l_max : int
        Range of lengths, both inclusive, at least 4 samples. The length with the
        smallest `area_under_extents` is used for all sets.
    k_max : int
        Sets have fewer than `k_max` members; at least 3.
    max_sets : int, optional
        Return at most so many sets; all by default.
    channel : int, default 0
        Channel of a multivariate series.
    slack : float, default 0.5
        Least distance of two members of a set, as a share of the length, in (0, 1].
    strategy : {"elbow", "iterative"}
        One set per elbow, the largest first; or the largest set again and again,
        each time without what has been found, while there is an elbow.
    disjoint : bool, default True
        Drop members that overlap a member of an earlier set; and a set that is left
        with fewer than two. False returns the sets as the authors' code does.
    step : int, default 1
        Step through the range of lengths.
    subsample : int, default 2
        The length is chosen on every so many-th sample.
    elbow_deviation : float, default 1.0
        Least ratio of the extents after and at an elbow, exclusive.
    n_jobs : int, default 1
        Number of threads, -1 for all processors. No effect on the result.

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
    max_sets: int | None = None
    channel: int = 0
    slack: float = 0.5
    strategy: Literal["elbow", "iterative"] = "elbow"
    disjoint: bool = True
    step: int = 1
    subsample: int = 2
    elbow_deviation: float = 1.0
    n_jobs: int = 1

    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    symbolic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_length(self.l_min, "l_min")
        check_length(self.l_max, "l_max")
        if self.l_min > self.l_max:
            raise InputError(
                f"l_min must not exceed l_max, got {self.l_min} > {self.l_max}"
            )
        check_integer(self.k_max, "k_max", minimum=3)
        check_max_sets(self.max_sets)
        if not 0 < check_number(self.slack, "slack") <= 1:
            raise InputError(f"slack must lie in (0, 1], got {self.slack}")
        check_choice(self.strategy, "strategy", ("elbow", "iterative"))
        check_integer(self.step, "step", minimum=1)
        check_integer(self.subsample, "subsample", minimum=1)
        check_number(self.elbow_deviation, "elbow_deviation")
        if check_integer(self.n_jobs, "n_jobs", minimum=-1) == 0:
            raise InputError("n_jobs must be -1 or at least 1, got 0")

    def lengths(self, series: Any) -> tuple[Indices, NDArray[np.float64]]:
        """Return the lengths in the range and the area under the extents of each."""
        return self._lengths(_Shared(self._checked(series)))

    def _find(self, x: Series) -> Found:
        return self._find_shared(_Shared(x))

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all, computing neighbours once per length, for the largest k_max."""
        shared: dict[int, _Shared] = {}
        # The largest k_max first: its neighbours hold those of the others.
        order = sorted(range(len(methods)), key=lambda i: -methods[i].k_max)
        found: list[Found] = [()] * len(methods)
        for position in order:
            method = methods[position]
            if method.channel not in shared:
                shared[method.channel] = _Shared(method._checked(series))
            found[position] = method._find_shared(shared[method.channel])
        return found

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
                sets = list(_disjoint(sets, length))
        sets = [starts for starts in sets if len(starts) > 1][: self.max_sets]
        return tuple(MotifSet.from_starts(starts, length) for starts in sets)

    def _lengths(self, shared: _Shared) -> tuple[Indices, NDArray[np.float64]]:
        lengths = np.arange(self.l_min, self.l_max + 1, self.step)
        if len(lengths) == 1:
            return lengths, np.zeros(1)
        areas = np.array([self._area(shared, int(length)) for length in lengths])
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
        windows = _Windows(shared.x, length, self.slack, self.n_jobs)
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
    """What settings of one sweep have in common: the windows of every length."""

    def __init__(self, x: Series) -> None:
        self.x = x
        self._known: dict[tuple[Any, ...], _Windows] = {}

    def windows(self, length: int, subsample: int, method: Motiflets) -> _Windows:
        """Return the windows of that length on every `subsample`-th sample."""
        key = (length, subsample, method.slack)
        if key not in self._known:
            every = np.ascontiguousarray(self.x[::subsample])
            self._known[key] = _Windows(every, length, method.slack, method.n_jobs)
        return self._known[key]


def _disjoint(sets: Iterable[Indices], length: int) -> Iterable[Indices]:
    """Drop from each set the windows that overlap a window of a set before it."""
    taken = np.empty(0, np.int64)
    for starts in sets:
        clash = (np.abs(starts[:, None] - taken) < length).any(axis=1)
        if np.count_nonzero(~clash) > 1:
            taken = np.concatenate([taken, starts[~clash]])
            yield starts[~clash]
