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
for each length that is tried. Memory is O(D n k_max). Settings of a sweep that differ
in `subspace`, `elbow_deviation` and what is returned share the nearest windows.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench._kernels.distance import motiflet, neighbours, sliding
from tsmdbench._kernels.progress import each
from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.methods._distance import Threaded
from tsmdbench.methods._grids import Axes, Facts
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

STEPS = 6  # numbers of channels in the grid


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
    warm_up: ClassVar[Sequence[Mapping[str, Any]]] = ({}, {"subspace": 1})

    @staticmethod
    def grid(facts: Facts) -> Axes:
        """Return up to six numbers of channels at equal steps, the largest first."""
        shares = range(STEPS, 0, -1)
        counts = [max(1, round(facts.channels * share / STEPS)) for share in shares]
        return {"subspace": list(dict.fromkeys(counts))}

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
        return self._sweep(x, [self])[0]

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all, with the nearest windows once for all numbers of channels."""
        found: dict[Self, Found] = {}
        for first in methods:
            if first not in found:
                group = [one for one in methods if one._windows == first._windows]
                found.update(zip(group, first._find_all(series, group), strict=True))
        return [found[method] for method in methods]

    @property
    def _windows(self) -> tuple[Any, ...]:
        """The fields that the nearest windows depend on."""
        lengths = self.l_min, self.l_max, self.step, self.subsample
        return *lengths, self.k_max, self.slack

    def _find_all(self, series: Any, group: Sequence[Self]) -> list[Found]:
        """Find for methods that share the nearest windows."""
        x = self._checked(series)
        check_fits(x, self.l_max, "l_max")
        for method in group:
            if method.subspace is not None and method.subspace > x.shape[1]:
                raise InputError(
                    f"subspace must be at most {x.shape[1]}, the number of channels of "
                    f"the series, got {method.subspace}"
                )
        widths = [method.subspace or x.shape[1] for method in group]
        lengths = np.arange(self.l_min, self.l_max + 1, self.step).tolist()
        areas = {width: [np.inf] * len(lengths) for width in widths}
        if len(lengths) > 1:
            thin = np.ascontiguousarray(x[:: self.subsample])
            for place, length in enumerate(each(lengths)):
                short = length // self.subsample
                if short >= 2:
                    near = Leitmotifs(thin, short, self.k_max, self.slack, self.n_jobs)
                    for width, area in areas.items():
                        area[place] = area_under_extents(near.search(width)[0])
        best = {width: lengths[int(np.argmin(areas[width]))] for width in areas}
        found: dict[int, Found] = {}
        for length in dict.fromkeys(best.values()):
            near = Leitmotifs(x, length, self.k_max, self.slack, self.n_jobs)
            for place, (method, width) in enumerate(zip(group, widths, strict=True)):
                if best[width] == length:
                    found[place] = method._sets(near, width)
        return [found[place] for place in range(len(group))]

    def _sets(self, near: Leitmotifs, width: int) -> Found:
        """Return the sets at the elbows."""
        extents, candidates, channels = near.search(width)
        elbows = find_elbows(extents, deviation=self.elbow_deviation)
        taken = np.zeros((near.samples, len(near.y)), np.bool_)
        sets = []
        for k in unique_elbows(elbows, candidates, near.length)[::-1]:
            starts, used = candidates[k], channels[k]
            if self.disjoint:
                starts = starts[~taken[starts][:, used].any(axis=1)]
                covered = overlapping(starts, near.samples, near.length)
                taken[:, used] |= covered[:, None]
            if len(starts) > 1:
                segments = [(start, start + near.length) for start in starts.tolist()]
                sets.append(MotifSet(segments, channels=used.tolist()))
        return tuple(sets[: self.max_sets])


class Leitmotifs:
    """Windows of one length, and the sets of smallest extent in some channels."""

    def __init__(
        self, x: Series, length: int, k_max: int, slack: float, n_jobs: int
    ) -> None:
        self.length, self.samples, self.n_jobs = length, len(x), n_jobs
        most = max(3, int((len(x) - length + 1) // (length * slack)))
        self.k_max = min(most, k_max)
        self.zone = max(int(length * slack), 1)
        self.y, self.tracks = sliding.prepare(x, length)
        for channel, track in enumerate(self.tracks):
            forget_flat(x[:, channel], self.y[channel], track, length)

    @cached_property
    def _apart(self) -> tuple[Integers, Floats]:
        return self._nearest([slice(c, c + 1) for c in range(len(self.y))])

    def _nearest(self, parts: Sequence[slice]) -> tuple[Integers, Floats]:
        """Return nearest windows, ``i8[parts, N, k]``, and squared distances.

        Distances are summed over the channels of a part.
        """
        found = [
            neighbours.nearest_apart(
                self.y[part],
                self.tracks[part],
                self.length,
                self.zone,
                self.zone - 1,
                self.k_max - 1,
                self.n_jobs,
                squared=True,
            )
            for part in parts
        ]
        starts = np.stack([one for one, _ in found])
        return starts, np.stack([distances for _, distances in found]) ** 2

    def search(self, width: int) -> tuple[Floats, list[Integers], list[Integers]]:
        """Return extents, starts and channels of the set of every size k."""
        together = width == len(self.y)
        starts, squares = self._nearest([slice(None)]) if together else self._apart
        extents = np.full(self.k_max, np.inf)
        candidates = [np.empty(0, np.int64)] * self.k_max
        channels = [np.arange(len(self.y))] * self.k_max
        shape = starts.shape[1], len(self.y)
        everywhere = np.broadcast_to(np.arange(len(self.y)), shape)
        for k in range(2, self.k_max):
            nearest = np.argsort(squares[:, :, k - 1], axis=0, kind="stable").T
            rows = starts[nearest[:, 0], np.arange(starts.shape[1]), :k]
            used = everywhere if together else np.sort(nearest[:, :width], axis=1)
            row, extents[k] = motiflet.smallest_extent(
                self.y,
                self.tracks,
                self.length,
                np.ascontiguousarray(rows),
                used.copy(),
            )
            if row >= 0:
                candidates[k], channels[k] = np.sort(rows[row]), used[row]
        extents[:2] = extents[2]
        extents[2:] = np.minimum.accumulate(extents[2:][::-1])[::-1]
        return extents, candidates, channels
