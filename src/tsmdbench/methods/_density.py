"""K-motifs for SetFinder and EMMA: the windows with the most matches, far apart.

Lin et al. (2002) define the first motif as the window with the most non-trivial
matches within a radius `r`, and the K-th as the one with the most matches among those
farther than ``2 r`` from all earlier centres. `SetFinder` and `EMMA` both are this;
they differ in how they count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.methods._windows import Starts, Windows, choose_apart, overlapping
from tsmdbench.methods.base import Found, check_fits
from tsmdbench.types import MotifSet

Mask = NDArray[np.bool_]
# Number of matches of every window, and the spread of their distances.
Counts = tuple[NDArray[np.int64], NDArray[np.float64]]


def densest_sets(
    windows: Windows,
    radius: float,
    max_sets: int | None,
    *,
    count: Callable[[Windows, Mask, Mask | None], Counts],
    members: Callable[[Windows, int], Starts],
    disjoint: bool,
    local: bool = True,
    first: Counts | None = None,
) -> Found:
    """Return centres with their matches, most matches first, ``2 radius`` apart.

    Ties go to the smaller spread, then to the lower start. With `disjoint`, windows
    that overlap a member of an earlier set are taken out before the next is searched.
    `count` is given the windows, which of them can still be centres, and which have to
    be counted (None for all). `local` says that a count depends on the windows within
    the radius alone: then only those near to what was taken out are counted again, and
    otherwise all are for every set. `first` is the first count, where it is known.
    """
    found: list[MotifSet] = []
    far = np.ones(windows.count, np.bool_)
    sizes, spreads = count(windows, far, None) if first is None else first
    while True:
        centre = _densest(sizes, spreads, far)
        if centre is None:
            break
        starts = members(windows, centre)
        far[centre] = False
        if len(starts) < 2:  # a match at the radius itself, lost to rounding
            continue
        found.append(MotifSet.from_starts(starts, windows.length))
        far &= windows.distances(centre) > 2 * radius
        if len(found) == max_sets:
            break
        changed = None
        if disjoint:
            gone = overlapping(starts, windows.count, windows.length)
            far &= ~gone
            if local:
                # Only what can still be a centre: a long plateau goes at once.
                changed = windows.near_to_any(far & (sizes > 0), gone, radius)
            windows = windows.without(starts)
        if not local:
            sizes, spreads = count(windows, far, None)
        elif changed is not None:
            new_sizes, new_spreads = count(windows, far, changed)
            sizes = np.where(changed, new_sizes, sizes)
            spreads = np.where(changed, new_spreads, spreads)
    return tuple(found)


def _densest(
    sizes: NDArray[np.int64], spreads: NDArray[np.float64], far: Mask
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


def sweep_radii(series: Any, methods: Sequence[Any]) -> list[Found]:
    """Find for many radii; the windows of one length are compared only once.

    `methods` are `WindowMethod` with `length`, `radius` and `channel`, and a method
    ``_sets(windows, first)`` that finds, given the first count of match lists. A match
    list within a smaller radius is the beginning of that within a larger one.
    """
    found: list[Found] = [()] * len(methods)
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, method in enumerate(methods):
        key = method.channel, method.length, method.constant
        groups.setdefault(key, []).append(place)
    for places in groups.values():
        some = methods[places[0]]
        x = some._checked(series)
        check_fits(x, some.length)
        windows = some._windows(x, some.length)
        radii = np.unique([methods[place].radius for place in places])
        sizes, spreads = windows.matches_apart(radii.tolist(), windows.length)
        for place in places:
            row = int(np.searchsorted(radii, methods[place].radius))
            found[place] = methods[place]._sets(windows, (sizes[row], spreads[row]))
    return found
