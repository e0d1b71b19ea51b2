"""MMotifs: nearest pairs of a multivariate matrix profile, and the windows near them.

The window with the lowest distance to its nearest neighbour is the seed of the first
motif set: the seed and all windows within `radius` of it, nearest first. A zone around
every member is then removed from the matrix profile, and the next seed is searched,
until the profile exceeds `radius` or `cutoff`. All channels are used: the distance of
two windows is the mean of their z-normalised Euclidean distances over the channels.

Conventions
-----------
`radius` is that **mean over the channels**, not the distance of the stacked channels.
It is inclusive; stumpy's tolerance of 1e-8 is kept. `exclusion` is the zone as a
fraction of the length: members of a set, and seeds, start more than ``ceil(exclusion *
length)`` samples apart, or at least a length, whichever is less. Ties are broken by the
lower start, for seeds and for members. A channel that is constant in both windows
contributes 0, and one that is constant in one of them ``sqrt(length)``. Windows that
contain a NaN or infinite sample in any channel are never returned.

Seeds are tied if their nearest distances differ by at most ``sqrt(2 * length *
1e-13)``, about ``4.5e-7 * sqrt(length)``; the largest distance is ``2 * sqrt(length)``.
Rounding can make equal distances differ by this much: the kernel computes a correlation
to about 1e-14, and a distance is ``sqrt(2 * length * (1 - correlation))``.

Cost
----
O(d n^2) time for d channels, O(d n) memory.

Limitations
-----------
* Patterns that occur in some of the channels only are often missed: all channels have
  the same weight, including those without the pattern.
* Occurrences that differ in length or speed are missed: every segment has `length`
  samples.
* All patterns have the same radius, although the copies of some patterns are more
  similar than those of others.

References
----------
C.-C. M. Yeh, N. Kavantzas, E. Keogh, Matrix Profile VI: meaningful multidimensional
motif discovery, ICDM 2017, doi:10.1109/ICDM.2017.66. Public code: stumpy 1.14.1
(BSD-3), ``mstump`` and ``mmotifs`` with ``k = d - 1``. With ``exclusion=0.25,
max_matches=10, cutoff="profile", disjoint=False`` its indices at its own defaults are
reproduced, up to ties; with ``max_matches=None, cutoff=None`` those for ``max_matches =
None`` and ``cutoffs = inf``.

Departures
----------
* The two windows of a nearest pair have the same distance to each other, and in stumpy
  rounding decides which of them is the seed. Here it is the one that starts first, as
  for all tied seeds. On 498 test problems of twelve archive datasets, with the settings
  of the published results, 78 % of the outputs are equal to stumpy's. All others differ
  by ties only: with the seeds of stumpy, the sets are the same.
* stumpy has a global setting for the zone, a quarter of the length. So members overlap
  by up to three quarters, one occurrence is listed several times, and a later set may
  be an earlier one with a small shift. Here the parameter `exclusion` sets the zone, by
  default the whole length. `disjoint`, on by default, prevents shifted sets: windows
  that overlap a member of an earlier set can be neither seed nor member.
* By default stumpy returns at most ten members and stops at a cutoff that usually
  allows one set; here both are parameters, and there is no such limit by default.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.methods._common import Threaded, WindowMethod
from tsmdbench.methods._windows import (
    Distances,
    Starts,
    Windows,
    choose_apart,
    clashing,
    overlapping,
)
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer, check_positive

TOLERANCE = 1e-8  # stumpy's: a match may be this much beyond the radius
# Rounding of a correlation, ten times what the longest walk of the kernel makes of it.
ROUNDING = 1e-13


@dataclass(frozen=True, repr=False)
class MMotifs(Threaded, WindowMethod):
    """Find the nearest pairs and the windows near them in a multivariate series.

    Parameters
    ----------
    length : int
        Samples per window, at least 4.
    radius : float
        Largest distance of a member to the seed: the mean over the channels of the
        z-normalised Euclidean distance. Above 0.
    exclusion : float, default 1.0
        Zone around a window, as a fraction of the length in ``[0, 1]``, in which no
        other window of the set may start; stumpy has 0.25.
    max_matches : int, optional
        Largest number of members of a set, the seed included, at least 2; None for all.
        stumpy has 10.
    cutoff : float or "profile", optional
        Stop when the profile exceeds this value; None for no such limit. ``"profile"``
        is the default of stumpy: two standard deviations below the mean of the profile,
        or its minimum if that is larger.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Forbid that segments of a later set overlap those of an earlier one.
    constant : {"skip", "keep"}, default "skip"
        Leave out windows whose samples are all equal, or compare them like others.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> x[200:230] = x[40:70] + 0.01 * x[100:130]
    >>> MMotifs(length=30, radius=1.0).find(x)
    (MotifSet(((40, 70), (200, 230))),)
    """

    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    paper: ClassVar[Mapping[str, Any]] = {
        "constant": "keep",
        "exclusion": 0.25,
        "max_matches": 10,
        "cutoff": "profile",
        "disjoint": False,
    }

    length: int
    radius: float
    exclusion: float = 1.0
    max_matches: int | None = None
    cutoff: float | Literal["profile"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_matches is not None:
            check_integer(self.max_matches, "max_matches", minimum=2)
        if isinstance(self.cutoff, str):
            if self.cutoff != "profile":
                raise InputError(
                    f'cutoff must be None, a number or "profile", got {self.cutoff!r}'
                )
        elif self.cutoff is not None:
            check_positive(self.cutoff, "cutoff")

    @property
    def _gap(self) -> int:
        """Smallest difference of starts: stumpy's zone is inclusive.

        Windows that do not overlap are never too near to each other.
        """
        return min(math.ceil(self.exclusion * self.length) + 1, self.length)

    def _key(self) -> Hashable:
        return self.length, self._gap, self.constant

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> tuple[Windows, Distances]:
        windows = methods[0]._windows(x, methods[0].length)
        return windows, windows.nearest(methods[0]._gap)[0]

    def _search(self, prepared: tuple[Windows, Distances]) -> Found:
        """Take seeds from the profile, best first, until it rises above the limit."""
        windows, profile = prepared[0], prepared[1].copy()
        limit = self._limit(profile)
        found: list[MotifSet] = []
        while self.max_sets is None or len(found) < self.max_sets:
            if not profile.min() <= limit:
                break
            starts = self._matches(windows, self._seed(profile, limit), found)
            profile[overlapping(starts, windows.count, self._gap)] = np.inf
            if len(starts) > 1:
                found.append(MotifSet.from_starts(starts, self.length))
                if self.disjoint:
                    profile[clashing(found, windows.count, self.length)] = np.inf
        return tuple(found)

    def _limit(self, profile: Distances) -> float:
        """Return the largest value of the profile that a seed may have."""
        if self.cutoff is None:
            return self.radius
        if self.cutoff != "profile":
            return min(self.radius, self.cutoff)
        finite = profile[np.isfinite(profile)]
        if not finite.size:
            return self.radius
        usual = float(finite.mean() - 2 * finite.std())
        return min(self.radius, max(usual, float(finite.min())))

    def _seed(self, profile: Distances, limit: float) -> int:
        """Return the lowest window of the profile, the first of those that tie."""
        tie = math.sqrt(2 * self.length * ROUNDING)
        highest = min(float(profile.min()) + tie, limit)
        return int(np.argmax(profile <= highest))

    def _matches(self, windows: Windows, seed: int, found: list[MotifSet]) -> Starts:
        """Return the seed and the windows within the radius, nearest first."""
        distances = windows.distances(seed)
        if self.disjoint:
            distances[clashing(found, windows.count, self.length)] = np.inf
        distances[overlapping(np.array([seed]), windows.count, self._gap)] = np.inf
        most = None if self.max_matches is None else self.max_matches - 1
        others = choose_apart(distances, self.radius + TOLERANCE, self._gap, most)
        return np.concatenate([[seed], others])
