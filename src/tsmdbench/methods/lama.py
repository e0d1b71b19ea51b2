"""LAMA: motiflets that live in some of the channels (leitmotifs).

`Motiflets` of a multivariate series, each in its own `subspace` channels. Per channel,
every window has a list of its nearest windows. For each size k, a window is considered
in the channels in which its k-th neighbour is nearest, together with its neighbours in
the best of them. The extent of such a set is its largest pairwise distance, summed over
these channels. The sets of smallest extent at the elbows of the extents, as a function
of k, are the motif sets.

Conventions
-----------
Distances, flat windows, `slack` and elbows are those of `Motiflets`. With ``subspace``
equal to the number of channels, neighbours are found by the distance summed over all
channels. With one channel, the result is that of `Motiflets`.

Cost
----
O(D n^2) time for the nearest windows at the chosen length, and O((n / subsample)^2 D)
for each length that is tried. Memory is O(D n k_max).

Limitations
-----------
Those of `Motiflets`; and all sets have the same number of channels, which is given.

References
----------
P. Schäfer, U. Leser: Discovering leitmotifs in multidimensional time series.
https://arxiv.org/abs/2410.12293, 2024.
Authors' code: leitmotif 0.3.5, GPL-3, used in tests and benchmarks only.

Departures
----------
* The distance matrices are never stored.
* An extent is summed over the channels of the window whose neighbours form the set. The
  authors' code takes the channels of the last of these neighbours.
* Among sets of equal extent, the one whose last neighbour is nearest is chosen, then
  the one with the lowest start.
* Members of one set do not overlap, and no two sets share a sample in a channel, unless
  `slack` or `disjoint` allow it, as for `Motiflets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import motiflet, neighbours, sliding
from tsmdbench._kernels.progress import each
from tsmdbench.errors import InputError
from tsmdbench.methods._distance import Threaded
from tsmdbench.methods._windows import overlapping
from tsmdbench.methods.base import Found, Series, check_fits, check_length
from tsmdbench.methods.motiflets import (
    area_under_extents,
    check_slack,
    find_elbows,
    forget_flat,
    unique_elbows,
)
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer, check_number

Indices = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class LAMA(Threaded):
    """Find motif sets that live in some of the channels, by the elbows of the extent.

    Parameters
    ----------
    l_min, l_max : int
        Range of lengths, both inclusive, at least 4 samples. The length with the
        smallest area under the extents is used for all sets.
    k_max : int
        Sets have fewer than `k_max` members; at least 3.
    subspace : int, optional
        Number of channels of each set; all by default.
    slack, step, subsample, elbow_deviation
        As for `Motiflets`.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Drop members that overlap a member of an earlier set in time and channel, and
        sets with fewer than two remaining members.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> series = np.random.default_rng(1).normal(size=(200, 3))
    >>> for start in (50, 90, 130):
    ...     series[start : start + 20, 1:] = np.sin(np.arange(20))[:, None]
    >>> LAMA(l_min=20, l_max=20, k_max=6, subspace=2).find(series)
    (MotifSet(((50, 70), (90, 110), (130, 150)), channels=(1, 2)),)
    """

    l_min: int
    l_max: int
    k_max: int
    subspace: int | None = None
    slack: float = 1.0
    step: int = 1
    subsample: int = 2
    elbow_deviation: float = 1.0

    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    paper: ClassVar[Mapping[str, Any]] = {}
    warm_up: ClassVar[Any] = ({"subspace": 1},)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_length(self.l_min, "l_min")
        check_length(self.l_max, "l_max")
        if self.l_min > self.l_max:
            raise InputError(
                f"l_min must not exceed l_max, got {self.l_min} > {self.l_max}"
            )
        check_integer(self.k_max, "k_max", minimum=3)
        if self.subspace is not None:
            check_integer(self.subspace, "subspace", minimum=1)
        check_slack(self.slack)
        check_integer(self.step, "step", minimum=1)
        check_integer(self.subsample, "subsample", minimum=1)
        check_number(self.elbow_deviation, "elbow_deviation")

    def _find(self, x: Series) -> Found:
        check_fits(x, self.l_max, "l_max")
        width = x.shape[1] if self.subspace is None else self.subspace
        if width > x.shape[1]:
            raise InputError(
                f"subspace must be at most {x.shape[1]}, the number of channels of the "
                f"series, got {width}"
            )
        length = self._length(x, width)
        _, candidates, channels, elbows = self._search(x, length, width)
        taken = np.zeros((len(x), x.shape[1]), np.bool_)
        sets = []
        for k in elbows[::-1]:
            starts, used = candidates[k], channels[k]
            if self.disjoint:
                starts = starts[~taken[starts][:, used].any(axis=1)]
                near = overlapping(starts, len(x), length)
                taken[:, used] |= near[:, None]
            if len(starts) > 1:
                segments = [(start, start + length) for start in starts.tolist()]
                sets.append(MotifSet(segments, channels=used.tolist()))
        return tuple(sets[: self.max_sets])

    def _length(self, x: Series, width: int) -> int:
        """Return the length with the smallest area under its extents."""
        lengths = np.arange(self.l_min, self.l_max + 1, self.step)
        if len(lengths) == 1:
            return self.l_min
        thin = np.ascontiguousarray(x[:: self.subsample])
        areas = [
            area_under_extents(self._search(thin, short, width)[0])
            if (short := length // self.subsample) >= 2
            else np.inf
            for length in each(lengths.tolist())
        ]
        return int(lengths[np.argmin(areas)])

    def _search(
        self, x: Series, length: int, width: int
    ) -> tuple[NDArray[np.float64], list[Indices], list[Indices], Indices]:
        """Return extents, starts and channels for every k, and the elbows."""
        most = max(3, int((len(x) - length + 1) // (length * self.slack)))
        k_max = max(3, min(most, self.k_max))
        zone = max(int(length * self.slack), 1)
        y, tracks = sliding.prepare(x, length)
        for channel, track in enumerate(tracks):
            forget_flat(x[:, channel], y[channel], track, length)
        together = width == len(y)
        parts = [slice(None)] if together else [slice(c, c + 1) for c in range(len(y))]
        # Nearest windows by channel: i8[D, N, k] and squared distances.
        found = [
            neighbours.nearest_apart(
                y[part], tracks[part], length, zone, zone - 1, k_max - 1, self.n_jobs
            )
            for part in parts
        ]
        starts = np.stack([one for one, _ in found])
        squares = np.stack([distances for _, distances in found]) ** 2
        extents = np.full(k_max, np.inf)
        candidates = [np.empty(0, np.int64)] * k_max
        channels = [np.arange(len(y))] * k_max
        everywhere = np.broadcast_to(np.arange(len(y)), (starts.shape[1], len(y)))
        for k in range(2, k_max):
            nearest = np.argsort(squares[:, :, k - 1], axis=0, kind="stable").T
            rows = starts[nearest[:, 0], np.arange(starts.shape[1]), :k]
            used = everywhere if together else np.sort(nearest[:, :width], axis=1)
            row, extents[k] = motiflet.smallest_extent(
                y, tracks, length, np.ascontiguousarray(rows), used.copy()
            )
            if row >= 0:
                candidates[k], channels[k] = np.sort(rows[row]), used[row]
        extents[:2] = extents[2]
        extents[2:] = np.minimum.accumulate(extents[2:][::-1])[::-1]
        elbows = find_elbows(extents, deviation=self.elbow_deviation)
        return extents, candidates, channels, unique_elbows(elbows, candidates, length)
