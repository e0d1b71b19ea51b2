"""Extents of sets of windows: the largest pairwise distance within each.

Conventions
-----------
See `sliding` for ``y`` and ``tracks``. Distances are squared and summed over channels.
A window with the inverse norm 0 has the squared distance 2 l from every other.
"""

import numpy as np

from tsmdbench._kernels.distance.sliding import INVERSE, MEAN
from tsmdbench._kernels.jit import kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk
from tsmdbench.arrays import Floats, Integers


def prefix_extents(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    starts: Integers,
    order: Integers,
) -> Floats:
    """Largest squared distance within the first 1, 2, ... of every row of starts.

    starts: i8[N, k], -1 for none, order: i8[N], the order of work -> f8[N, k], inf for
    sets that are not complete, and where a set of all k with a smaller extent was met
    before: as extents grow along a row, none of that row can be the smallest any more.
    O(N k^2 l) at most.
    """
    count, k = starts.shape
    extents = np.full((count, k), np.inf)
    arguments = y, tracks, l, starts, order, extents
    run_walk(prefix_extents_inplace, [arguments], count, len(y) * k * k * l / 2)
    return extents


@kernel
def prefix_extents_inplace(y, tracks, l, starts, order, extents, signal, first, step):  # noqa: E741
    """Fill `prefix_extents`; one thread only, as the bound falls from row to row."""
    k = starts.shape[1]
    bound = np.inf
    for i in order[first::step]:
        if signal[STOP]:
            return
        signal[DONE] += 1
        extent = 0.0
        for p in range(k):
            if starts[i, p] < 0:
                break
            for q in range(p):
                square = 0.0
                for c in range(y.shape[0]):
                    square += channel_square(
                        y[c], tracks[c], l, starts[i, p], starts[i, q]
                    )
                extent = square if square > extent else extent
                if extent > bound:
                    break
            if extent > bound:
                break
            extents[i, p] = extent
        if extents[i, k - 1] < bound:
            bound = extents[i, k - 1]


@kernel
def channel_square(z, track, l, i, j):  # noqa: E741
    """Squared distance of two windows of one channel, from the definition. O(l)."""
    a, b = track[INVERSE, i], track[INVERSE, j]
    if a == 0.0 or b == 0.0:
        return 2.0 * l
    mean_a, mean_b = track[MEAN, i], track[MEAN, j]
    one, two = z[i : i + l], z[j : j + l]
    total = 0.0
    for s in range(l):
        gap = (one[s] - mean_a) * a - (two[s] - mean_b) * b
        total += gap * gap
    return l * total


def smallest_extent(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    starts: Integers,
    channels: Integers,
) -> tuple[int, float]:
    """Row of starts with the smallest extent in its channels, and that extent.

    starts: i8[N, k], -1 for none, channels: i8[N, f]. A distance is summed over the
    channels of the row. The last of a row is usually the farthest from the first, so
    rows are visited by that distance, which bounds the extent from below, and most are
    never looked at. Of equal extents the row with the smallest bound wins, then the
    first. (-1, inf) if no row is complete. O(N f l) and the extents that are computed.
    """
    bounds = first_to_last(y, tracks, l, starts, channels)
    order = np.argsort(bounds, kind="stable")
    return least_extent(y, tracks, l, starts, channels, bounds, order)


@kernel
def first_to_last(y, tracks, l, starts, channels):  # noqa: E741
    """Distance of the first and the last of every row, inf for none. -> f8[N]."""
    bounds = np.full(starts.shape[0], np.inf)
    for i in range(starts.shape[0]):
        if starts[i, -1] >= 0:
            bounds[i] = 0.0
            for c in channels[i]:
                bounds[i] += channel_square(
                    y[c], tracks[c], l, starts[i, 0], starts[i, -1]
                )
    return bounds


@kernel
def least_extent(y, tracks, l, starts, channels, bounds, order):  # noqa: E741
    """Find `smallest_extent`, given the bounds and their order."""
    k = starts.shape[1]
    best, row = np.inf, -1
    for i in order:
        if not bounds[i] < best:
            break
        extent = bounds[i]
        for p in range(k):
            for q in range(p):
                square = 0.0
                for c in channels[i]:
                    square += channel_square(
                        y[c], tracks[c], l, starts[i, p], starts[i, q]
                    )
                extent = square if square > extent else extent
                if extent >= best:
                    break
            if extent >= best:
                break
        if extent < best:
            best, row = extent, i
    return row, best
