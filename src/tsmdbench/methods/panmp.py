"""PanMP: range motifs from the matrix profiles of all lengths.

The matrix profiles of every length in ``[l_min, l_max]`` are computed. The entry with
the lowest length-normalised distance, ``zED / sqrt(l)`` for the z-normalised Euclidean
distance ``zED``, gives start and length of a seed. The windows of that length that are
near the seed form a motif set as in `STOMP`. Entries that overlap the set are removed
at every length, and the next seed is searched.

Conventions
-----------
Windows that overlap are never compared. All segments of a set have the same length;
different sets may have different lengths. The radius is inclusive. Ties are broken by
the shorter length, then by the lower start. Windows that contain a NaN or infinite
sample are never returned.

Cost
----
O(n^2) time and O(n) memory for each length in the range: all profiles are kept.

Limitations
-----------
* Often only a part of a pattern is found: its distance is lower than that of the whole
  pattern, so lengths near `l_min` are preferred.
  ``rank="zscore"`` reduces this effect.
* All occurrences in a set have the same length.
* If two copies of a pattern are almost equal, other copies are missed: the radius is a
  multiple of the distance of the two.

References
----------
F. Madrid, S. Imani, R. Mercer, Z. Zimmerman, N. Shakibay, E. Keogh, Matrix Profile XX:
finding and visualizing time series motifs of all lengths using the matrix profile,
ICBK 2019, doi:10.1109/ICBK.2019.00031. Public code: ``PanMatrixProfile`` of tsmd 0.1.4
(MIT), whose sets are reproduced by default.

Departures
----------
* ``zED / sqrt(l)`` still favours short lengths, because the distance of a part of a
  pattern is lower than that of the whole. ``rank="zscore"`` compares each profile with
  its own mean and standard deviation instead. The default is that of tsmd.
* ``disjoint=False`` removes only the starts of the members.
* With `step`, only every `step`-th length is used; `min_radius` is a lower bound of the
  radius.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench._kernels.progress import each
from tsmdbench.methods._common import SingleChannel, Threaded, WindowMethod
from tsmdbench.methods._grids import Grid
from tsmdbench.methods._windows import Distances, clashing
from tsmdbench.methods.base import Found, Series
from tsmdbench.methods.stomp import range_members
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice

RANKS = ("distance", "zscore")


@dataclass(frozen=True, repr=False)
class PanMP(Threaded, WindowMethod, SingleChannel):
    """Find the windows near the best windows of all lengths.

    Parameters
    ----------
    l_min, l_max : int
        Shortest and longest window, both inclusive, ``4 <= l_min <= l_max``.
    radius_factor : float, default 3.0
        Radius of a set as a multiple of the seed's nearest distance, above 0.
    rank : {"distance", "zscore"}, default "distance"
        How seeds are ranked; see *Departures* of the module.
    step : int, default 1
        Use every `step`-th length, starting at `l_min`.
    min_radius : float, default 0.0
        Lower bound of the radius of a set.
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
    >>> PanMP(l_min=28, l_max=30, max_sets=1).find(x)
    (MotifSet(((40, 70), (200, 230))),)
    """

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "inter"
    paper: ClassVar[Mapping[str, Any]] = {
        "rank": "distance",
        "step": 1,
        "min_radius": 0.0,
        "disjoint": True,
        "constant": "keep",
    }
    grid: ClassVar[Grid] = {"radius_factor": (2, 3, 4, 5, 6)}

    l_min: int
    l_max: int
    radius_factor: float = 3.0
    rank: str = "distance"
    step: int = 1
    min_radius: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.rank, "rank", RANKS)

    @property
    def _lengths(self) -> range:
        return range(self.l_min, self.l_max + 1, self.step)

    def _key(self) -> Hashable:
        return self.channel, self._lengths, self.constant

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> tuple[Series, Distances]:
        """Stack the profiles of all lengths, zED / sqrt(l); inf where a window ends."""
        one = methods[0]
        stack = np.full((len(one._lengths), len(x) - one.l_min + 1), np.inf)
        for row, length in each(list(zip(stack, one._lengths, strict=True))):
            windows = one._windows(x, length)
            row[: windows.count] = windows.nearest(length)[0] / math.sqrt(length)
        return x, stack

    def _search(self, prepared: tuple[Series, Distances]) -> Found:
        """Take seeds from all profiles, best first."""
        x, profile = prepared
        ranks = profile.copy() if self.rank == "distance" else _zscores(profile)
        found: list[MotifSet] = []
        while self.max_sets is None or len(found) < self.max_sets:
            row, seed = np.unravel_index(int(ranks.argmin()), ranks.shape)
            if not np.isfinite(ranks[row, seed]):
                break
            ranks[row, seed] = np.inf
            length = self._lengths[row]
            windows = self._windows(x, length)
            taken = np.zeros(windows.count, np.bool_)
            if self.disjoint:
                taken = clashing(found, windows.count, length)
            starts = range_members(
                windows, int(seed), self.radius_factor, self.min_radius, taken
            )
            if len(starts) > 1:
                found.append(MotifSet.from_starts(starts, length))
                for ranked, length in zip(ranks, self._lengths, strict=True):
                    if self.disjoint:
                        ranked[clashing(found[-1:], len(ranked), length)] = np.inf
                    else:
                        ranked[found[-1].starts] = np.inf
        return tuple(found)


def _zscores(profiles: Distances) -> Distances:
    """Compare every profile with its own mean and standard deviation."""
    scores = np.full_like(profiles, np.inf)
    for row, profile in zip(scores, profiles, strict=True):
        finite = np.isfinite(profile)
        if finite.any():
            spread = float(profile[finite].std()) or 1.0
            row[finite] = (profile[finite] - profile[finite].mean()) / spread
    return scores
