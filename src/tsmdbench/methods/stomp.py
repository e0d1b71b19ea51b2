"""STOMP range motifs: the best window of the matrix profile and the windows near it.

The window with the lowest distance to its nearest neighbour is the seed of a motif set.
The radius of the set is a multiple of the distance from the seed to its nearest free
neighbour, and its members are the windows within the radius, nearest first, that do not
overlap each other. Windows that overlap a member are removed, and the next seed is
searched.

Conventions
-----------
Windows that overlap are never compared. The radius is inclusive, so exact copies
(distance 0, radius 0) are found. Ties are broken by the lower start. Windows that
contain a NaN or infinite sample are never returned.

Cost
----
O(n^2) time and O(n) memory.

Limitations
-----------
* Occurrences that differ in length or speed are missed: every segment has `length`
  samples.
* If two copies of a pattern are almost equal, other copies are missed: the radius is a
  multiple of the distance of the two.
* The last sets may be noise: after all patterns have been found, the best remaining
  window is the seed of another set, with a large radius. Only `max_sets` limits this.

References
----------
Y. Zhu et al., Matrix Profile II: exploiting a novel algorithm and GPUs to break the one
hundred million barrier for time series motifs and joins, ICDM 2016,
doi:10.1109/ICDM.2016.0085. Public code: ``MatrixProfile`` of tsmd 0.1.4 (MIT), whose
sets are reproduced.

Departures
----------
* In tsmd the radius is exclusive, so exact copies are missed.
* ``disjoint=False`` removes only the windows that are members, not those that overlap
  them; later sets may then be earlier ones shifted by a few samples.
* `min_radius` is a lower bound of the radius, for copies that are almost equal.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench.methods._common import SingleChannel, Threaded, WindowMethod
from tsmdbench.methods._grids import Grid
from tsmdbench.methods._windows import (
    Distances,
    Starts,
    Windows,
    choose_apart,
    overlapping,
)
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet


@dataclass(frozen=True, repr=False)
class STOMP(Threaded, WindowMethod, SingleChannel):
    """Find the windows near the best windows of the matrix profile.

    Parameters
    ----------
    length : int
        Samples per window, at least 4.
    radius_factor : float, default 3.0
        Radius of a set as a multiple of the seed's nearest distance, above 0.
    min_radius : float, default 0.0
        Lower bound of the radius of a set.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Forbid that segments of a later set overlap those of an earlier one.
    channel : int or "all", default 0
        Channel of a multivariate series that is searched; ``"all"`` takes the mean of
        the distances over the channels, which ranks windows as their sum does.
    constant : {"skip", "keep"}, default "skip"
        Leave out windows whose samples are all equal, or compare them like others.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> x[200:230] = x[40:70] + 0.01 * x[100:130]
    >>> STOMP(length=30, max_sets=1).find(x)
    (MotifSet(((40, 70), (200, 230))),)
    """

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    all_channels: ClassVar[bool] = True
    paper: ClassVar[Mapping[str, Any]] = {
        "min_radius": 0.0,
        "disjoint": True,
        "constant": "keep",
    }
    grid: ClassVar[Grid] = {"radius_factor": (2, 3, 4, 5, 6)}

    length: int
    radius_factor: float = 3.0
    min_radius: float = 0.0

    def _key(self) -> Hashable:
        return self.channel, self.length, self.constant

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> tuple[Windows, Distances]:
        windows = methods[0]._windows(x, methods[0].length)
        return windows, windows.nearest(windows.length)[0]

    def _search(self, prepared: tuple[Windows, Distances]) -> Found:
        """Take seeds from the profile, best first."""
        windows, profile = prepared[0], prepared[1].copy()
        taken = ~np.isfinite(profile)
        found: list[MotifSet] = []
        while self.max_sets is None or len(found) < self.max_sets:
            seed = int(profile.argmin())
            if not np.isfinite(profile[seed]):
                break
            starts = range_members(
                windows, seed, self.radius_factor, self.min_radius, taken
            )
            gap = self.length if self.disjoint else 1
            taken |= overlapping(starts, windows.count, gap)
            profile[taken] = np.inf
            if len(starts) > 1:
                found.append(MotifSet.from_starts(starts, self.length))
        return tuple(found)


def range_members(
    windows: Windows,
    seed: int,
    radius_factor: float,
    min_radius: float,
    taken: NDArray[np.bool_],
) -> Starts:
    """Return the seed and the free windows within its radius, nearest first.

    The radius is a multiple of the distance to the nearest free window that does not
    overlap the seed; where there is none, the seed is alone.
    """
    distances = windows.distances(seed)
    distances[taken] = np.inf
    distances[overlapping(np.array([seed]), windows.count, windows.length)] = np.inf
    radius = max(radius_factor * float(distances.min()), min_radius)
    others = choose_apart(distances, radius, windows.length)
    return np.concatenate([[seed], others])
