"""The windows with the most matches, far from each other: K-motifs.

Lin et al. (2002) define the first motif as the window with the most non-trivial
matches within a radius `r`, and the K-th as the one with the most matches among those
farther than ``2 r`` from all earlier centres. `SetFinder` and `EMMA` both are this;
they differ in how they count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tsmdbench.methods.base import Found
from tsmdbench.methods.windows import Starts, Windows, choose_apart, overlapping
from tsmdbench.types import MotifSet

# Number of matches of every window, and the spread of their distances.
Counts = tuple[NDArray[np.int64], NDArray[np.float64]]


def densest_sets(
    windows: Windows,
    radius: float,
    max_sets: int | None,
    *,
    count: Callable[[Windows], Counts],
    members: Callable[[Windows, int], Starts],
    disjoint: bool,
    first: Counts | None = None,
) -> Found:
    """Return centres with their matches, most matches first, ``2 radius`` apart.

    Ties go to the smaller spread, then to the lower start. With `disjoint`, windows
    that overlap a member of an earlier set are taken out before the next is searched.
    `first` is the first count, where it is known already.
    """
    found: list[MotifSet] = []
    sizes, spreads = count(windows) if first is None else first
    far = np.ones(windows.count, np.bool_)
    while max_sets is None or len(found) < max_sets:
        centre = _densest(sizes, spreads, far)
        if centre is None:
            break
        starts = members(windows, centre)
        found.append(MotifSet.from_starts(starts, windows.length))
        far &= windows.distances(centre) > 2 * radius
        far[centre] = False
        if disjoint:
            windows = windows.without(starts)
            sizes, spreads = count(windows)
    return tuple(found)


def _densest(
    sizes: NDArray[np.int64], spreads: NDArray[np.float64], far: NDArray[np.bool_]
) -> int | None:
    """Return the window with the most matches, the lowest spread, the lowest start."""
    candidates = np.flatnonzero(far & (sizes > 0))
    if not candidates.size:
        return None
    candidates = candidates[sizes[candidates] == sizes[candidates].max()]
    return int(candidates[spreads[candidates].argmin()])


def matches_of(windows: Windows, centre: int, radius: float) -> Starts:
    """Return a centre and its matches, nearest first, none overlapping another."""
    distances = windows.distances(centre)
    distances[overlapping(np.array([centre]), windows.count, windows.length)] = np.inf
    others = choose_apart(distances, radius, windows.length)
    return np.concatenate([[centre], others])
