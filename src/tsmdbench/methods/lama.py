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

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench._kernels.distance import motiflet
from tsmdbench._kernels.progress import each
from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.methods._common import Threaded
from tsmdbench.methods._grids import Axes, Facts
from tsmdbench.methods._windows import overlapping
from tsmdbench.methods.base import Found, Series
from tsmdbench.methods.motiflets import (
    Extents,
    area_under_extents,
    find_elbows,
    not_decreasing,
    unique_elbows,
)
from tsmdbench.types import MotifSet

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

    def _key(self) -> Hashable:
        lengths = self.l_min, self.l_max, self.step, self.subsample
        return *lengths, self.k_max, self.slack

    @classmethod
    def _prepare(
        cls, x: Series, methods: Sequence[Self]
    ) -> Mapping[int | None, Leitmotifs]:
        """Compute the nearest windows at the best length of each number of channels."""
        one = methods[0]
        for method in methods:
            if method.subspace is not None and method.subspace > x.shape[1]:
                raise InputError(
                    f"subspace must be at most {x.shape[1]}, the number of channels of "
                    f"the series, got {method.subspace}"
                )
        lengths = list(range(one.l_min, one.l_max + 1, one.step))
        areas = {method.subspace: [np.inf] * len(lengths) for method in methods}
        if len(lengths) > 1:
            thin = np.ascontiguousarray(x[:: one.subsample])
            for place, length in enumerate(each(lengths)):
                short = length // one.subsample
                if short >= 2:
                    near = Leitmotifs(thin, short, one.k_max, one.slack, one.n_jobs)
                    for width, area in areas.items():
                        area[place] = area_under_extents(near.in_channels(width)[0])
        best = {width: lengths[int(np.argmin(area))] for width, area in areas.items()}
        known = {
            length: Leitmotifs(x, length, one.k_max, one.slack, one.n_jobs)
            for length in set(best.values())
        }
        return {width: known[length] for width, length in best.items()}

    def _search(self, prepared: Mapping[int | None, Leitmotifs]) -> Found:
        """Return the sets at the elbows."""
        near = prepared[self.subspace]
        extents, candidates, channels = near.in_channels(self.subspace)
        elbows = find_elbows(extents, deviation=self.elbow_deviation)
        taken = np.zeros(near.y.T.shape, np.bool_)
        sets = []
        for k in unique_elbows(elbows, candidates, near.length)[::-1]:
            starts, used = candidates[k], channels[k]
            if self.disjoint:
                starts = starts[~taken[starts][:, used].any(axis=1)]
                covered = overlapping(starts, len(taken), near.length)
                taken[:, used] |= covered[:, None]
            if len(starts) > 1:
                segments = [(start, start + near.length) for start in starts.tolist()]
                sets.append(MotifSet(segments, channels=used.tolist()))
        return tuple(sets[: self.max_sets])


class Leitmotifs(Extents):
    """Windows of one length, and the sets of smallest extent in some channels."""

    @cached_property
    def _apart(self) -> tuple[Integers, Floats]:
        """Starts and distances of the nearest windows, per channel."""
        found = [self.nearest(slice(c, c + 1)) for c in range(len(self.y))]
        starts, distances = (np.stack(part) for part in zip(*found, strict=True))
        return starts, distances

    def in_channels(
        self, width: int | None
    ) -> tuple[Floats, Sequence[Integers], list[Integers]]:
        """Return extents, starts and channels of the set of every size k."""
        channels = [np.arange(len(self.y))] * self.k_max
        if width in (None, len(self.y)):
            found = self.search(self.k_max)
            return found.dists, found.candidates, channels
        starts, distances = self._apart
        extents = np.full(self.k_max, np.inf)
        candidates = [np.empty(0, np.int64)] * self.k_max
        for k in range(2, self.k_max):
            nearest = np.argsort(distances[:, :, k - 1], axis=0, kind="stable").T
            rows = starts[nearest[:, 0], np.arange(starts.shape[1]), :k]
            used = np.sort(nearest[:, :width], axis=1)
            row, extents[k] = motiflet.smallest_extent(
                self.y, self.tracks, self.length, rows.copy(), used.copy()
            )
            if row >= 0:
                candidates[k], channels[k] = np.sort(rows[row]), used[row]
        return not_decreasing(extents), candidates, channels
