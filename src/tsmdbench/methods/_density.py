"""K-motifs for SetFinder and EMMA: the windows with the most matches, far apart.

Lin et al. (2002) define the first motif as the window with the most non-trivial
matches within a radius `r`, and the K-th as the one with the most matches among those
farther than ``2 r`` from all earlier centres. `SetFinder` and `EMMA` both are this;
they differ in how they count.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench.methods._common import SingleChannel, Threaded, WindowMethod
from tsmdbench.methods._windows import Starts, Windows, choose_apart, overlapping
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet

Mask = NDArray[np.bool_]
# Number of matches of every window, and the spread of their distances.
Counts = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, repr=False)
class KMotifs(Threaded, WindowMethod, SingleChannel):
    """Find the windows with the most matches, most matches first, 2 radius apart."""

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"

    length: int
    radius: float

    def _key(self) -> Hashable:
        return self.channel, self.length, self.constant

    @classmethod
    def _prepare(
        cls, x: Series, methods: Sequence[Self]
    ) -> tuple[Windows, Mapping[float, Counts]]:
        """Count the matches for all radii in one walk over the distances.

        A match list within a smaller radius is the beginning of that within a larger
        one.
        """
        windows = methods[0]._windows(x, methods[0].length)
        radii = sorted({method.radius for method in methods})
        counts = zip(*windows.matches_apart(radii, windows.length), strict=True)
        return windows, dict(zip(radii, counts, strict=True))

    def _search(self, prepared: tuple[Windows, Mapping[float, Counts]]) -> Found:
        """Take centres, most matches first; ties: lowest spread, then lowest start.

        With `disjoint`, windows that overlap a member of an earlier set are taken out
        before the next is searched. Counts depend on the windows within the radius
        alone, so only those near to what was taken out are counted again.
        """
        windows, (sizes, spreads) = prepared[0], prepared[1][self.radius]
        found: list[MotifSet] = []
        far = np.ones(windows.count, np.bool_)
        while len(found) != self.max_sets:
            centres = self._centres(windows, sizes, far)
            if not centres.size:
                break
            centres = centres[sizes[centres] == sizes[centres].max()]
            centre = int(centres[spreads[centres].argmin()])
            starts = self._members(windows, centre)
            far[centre] = False
            if len(starts) < 2:  # a match at the radius itself, lost to rounding
                continue
            found.append(MotifSet.from_starts(starts, windows.length))
            far &= windows.distances(centre) > 2 * self.radius
            if self.disjoint:
                gone = overlapping(starts, windows.count, windows.length)
                far &= ~gone
                # Only what can still be a centre: a long plateau goes at once.
                changed = windows.near_to_any(far & (sizes > 0), gone, self.radius)
                windows = windows.without(starts)
                new_sizes, new_spreads = self._count(windows, changed)
                sizes = np.where(changed, new_sizes, sizes)
                spreads = np.where(changed, new_spreads, spreads)
        return tuple(found)

    def _centres(
        self, windows: Windows, sizes: NDArray[np.int64], far: Mask
    ) -> NDArray[np.int64]:
        """Return the windows that may be the next centre."""
        del windows
        return np.flatnonzero(far & (sizes > 0))

    def _count(self, windows: Windows, wanted: Mask) -> Counts:
        """Count the matches of the wanted windows among all windows."""
        sizes, spreads = windows.matches_apart([self.radius], self.length, wanted)
        return sizes[0], spreads[0]

    def _members(self, windows: Windows, centre: int) -> Starts:
        """Return a centre and its matches, nearest first, none overlapping another."""
        distances = windows.distances(centre)
        distances[overlapping(np.array([centre]), windows.count, self.length)] = np.inf
        others = choose_apart(distances, self.radius, self.length)
        return np.concatenate([[centre], others])
