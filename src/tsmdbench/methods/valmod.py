"""VALMOD: the nearest pairs over a range of lengths, and the windows near them.

For every start, the *variable-length matrix profile* contains the nearest non-trivial
neighbour over all lengths in ``[l_min, l_max]``, by the length-normalised distance
``zED / sqrt(l)``, where ``zED`` is the z-normalised Euclidean distance. Pairs are taken
from it, best first. A pair with distance `d` is extended to a motif set: all windows of
its length within ``radius_factor * d`` of either of its two windows, nearest first,
that overlap neither each other nor an earlier set.

Conventions
-----------
All segments of a set have the same length; different sets may have different lengths.
Two windows are compared if their starts differ by at least ``ceil(exclusion * l)``
samples; members of a set never overlap. The radius is inclusive. Ties are broken by the
shorter length, then by the lower start. Sets with a single member are dropped. Windows
that contain a NaN or infinite sample are never returned.

Cost
----
O(n^2) time for each length in the range, and O(n) memory.

Limitations
-----------
* Often only a part of a pattern is found: its distance is lower than that of the whole
  pattern, so lengths near `l_min` are preferred.
* All occurrences in a set have the same length.
* If two copies of a pattern are almost equal, other copies are missed: the radius is a
  multiple of the distance of the two.
* Only one channel is searched.

References
----------
M. Linardi, Y. Zhu, T. Palpanas, E. Keogh, Matrix Profile X: VALMOD, scalable discovery
of variable-length motifs in data series, SIGMOD 2018, doi:10.1145/3183713.3183744.
Public code: seriesdistancematrix (MIT), whose best pair per length is reproduced.

Departures
----------
* The paper uses a lower bound to prune the computation from length to length; here the
  profile of every length is computed completely, which is also exact, and faster for
  the ranges that are used.
* A pair with distance 0, two exact copies, has radius 0, so copies that differ slightly
  would be missed: `min_radius` is a lower bound of the radius. It is 0 by default, as
  published.
* With ``disjoint=False`` sets may overlap earlier ones; only a pair that consists of
  members of an earlier set is skipped.
* With `step`, only every `step`-th length is used, for wide ranges.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.progress import each
from tsmdbench.methods._common import SingleChannel, Threaded, WindowMethod
from tsmdbench.methods._grids import Grid
from tsmdbench.methods._windows import (
    Distances,
    Starts,
    Windows,
    choose_apart,
    clashing,
    gap_of,
)
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet

SLACK = 1e-12  # correlations this much below the best so far are looked at again


class VariableLengthProfile(NamedTuple):
    """Normalised distance, partner and length of the nearest pair of every start."""

    distances: Distances
    partners: Starts
    lengths: NDArray[np.int64]


def variable_length_profile(
    x: Series,
    lengths: Sequence[int],
    exclusion: float = 0.5,
    n_jobs: int = 1,
    constant: str = "skip",
) -> VariableLengthProfile:
    """Return the nearest neighbour of every start over all lengths, exactly."""
    count = len(x) - lengths[0] + 1
    distances = np.full(count, np.inf)
    partners, chosen = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    for length in each(lengths):
        windows = Windows.of(x, length, n_jobs, constant=constant)
        # zED / sqrt(l) falls with the correlation whatever the length, so that only
        # correlations above those of the shorter lengths have to be noted.
        floor = 1.0 - distances[: windows.count] ** 2 / 2 - SLACK
        near, start = windows.nearest(gap_of(exclusion, length), floor)
        normalised = near / math.sqrt(length)
        better = np.flatnonzero(normalised < distances[: windows.count])
        distances[better] = normalised[better]
        partners[better] = start[better]
        chosen[better] = length
    return VariableLengthProfile(distances, partners, chosen)


@dataclass(frozen=True, repr=False)
class VALMOD(Threaded, WindowMethod, SingleChannel):
    """Find the nearest pairs of a range of lengths, and the windows near them.

    Parameters
    ----------
    l_min, l_max : int
        Shortest and longest window, both inclusive, ``4 <= l_min <= l_max``.
    radius_factor : float
        Radius of a set as a multiple of the distance of its pair, above 0. The paper's
        comparison tries 2 to 6.
    step : int, default 1
        Use every `step`-th length, starting at `l_min`.
    exclusion : float, default 0.5
        Windows are compared if their starts differ by at least this fraction of the
        length, in ``[0, 1]``.
    min_radius : float, default 0.0
        Lower bound of the radius of a set, for pairs that are exact copies.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Forbid that segments of a later set overlap those of an earlier one.
    channel : int, default 0
        Channel of a multivariate series that is searched.
    constant : {"skip", "keep"}, default "skip"
        Leave out windows whose samples are all equal, or compare them like others.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> x[200:230] = x[40:70] + 0.01 * x[100:130]
    >>> VALMOD(l_min=28, l_max=30, radius_factor=2, max_sets=1).find(x)
    (MotifSet(((40, 70), (200, 230))),)
    """

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "inter"
    paper: ClassVar[Mapping[str, Any]] = {
        "step": 1,
        "exclusion": 0.5,
        "min_radius": 0.0,
        "constant": "keep",
        "disjoint": False,
    }
    grid: ClassVar[Grid] = {"radius_factor": (2, 3, 4, 5, 6)}

    l_min: int
    l_max: int
    radius_factor: float
    step: int = 1
    exclusion: float = 0.5
    min_radius: float = 0.0

    def _key(self) -> Hashable:
        lengths = self.l_min, self.l_max, self.step
        return self.channel, *lengths, self.exclusion, self.constant

    @classmethod
    def _prepare(
        cls, x: Series, methods: Sequence[Self]
    ) -> tuple[Series, VariableLengthProfile]:
        one = methods[0]
        lengths = range(one.l_min, one.l_max + 1, one.step)
        return x, variable_length_profile(
            x, lengths, one.exclusion, one.n_jobs, one.constant
        )

    def _search(self, prepared: tuple[Series, VariableLengthProfile]) -> Found:
        """Grow pairs into sets, nearest pair first."""
        x, profile = prepared
        waiting = profile.distances.copy()
        found: list[MotifSet] = []
        known: dict[int, Windows] = {}
        while self.max_sets is None or len(found) < self.max_sets:
            start = int(waiting.argmin())
            if not np.isfinite(waiting[start]):
                break
            waiting[start] = np.inf
            length = int(profile.lengths[start])
            if length not in known:
                known[length] = self._windows(x, length)
            motifs = self._grow(known[length], profile, start, found)
            if len(motifs) > 1:
                found.append(motifs)
                waiting[self._used(profile, found)] = np.inf
        return tuple(found)

    def _grow(
        self,
        windows: Windows,
        profile: VariableLengthProfile,
        start: int,
        found: list[MotifSet],
    ) -> MotifSet:
        """Return all windows near to either window of the pair that `start` is in."""
        length, partner = windows.length, int(profile.partners[start])
        distances = np.minimum(windows.distances(start), windows.distances(partner))
        if self.disjoint:
            distances[clashing(found, windows.count, length)] = np.inf
        pair = profile.distances[start] * math.sqrt(length)
        radius = max(self.radius_factor * pair, self.min_radius)
        return MotifSet.from_starts(choose_apart(distances, radius, length), length)

    def _used(
        self, profile: VariableLengthProfile, found: list[MotifSet]
    ) -> NDArray[np.bool_]:
        """Mark the starts whose pair may not seed another set."""
        used = np.zeros(len(profile.distances), np.bool_)
        if not self.disjoint:
            members = np.isin(np.arange(len(used)), found[-1].starts)
            return members & np.isin(profile.partners, found[-1].starts)
        for length in np.unique(profile.lengths[profile.lengths > 0]):
            # Lengths near the end of the series have fewer windows than starts.
            taken = clashing(found, len(used), int(length))
            here = profile.lengths == length
            used |= here & (taken | taken[profile.partners])
        return used
