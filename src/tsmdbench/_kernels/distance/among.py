"""Matches within a few windows, pair by pair: for neighbourhoods that words suggest.

See `sliding` for the conventions, and `neighbours.count_apart` for
the same question about all windows.
"""

import numpy as np

from tsmdbench._kernels.distance.sliding import BIAS, INVERSE, MEAN
from tsmdbench._kernels.jit import kernel
from tsmdbench.arrays import Floats, Integers


def count_among(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    starts: Integers,
    gap: int,
    threshold: float,
) -> tuple[Integers, Floats]:
    """Return size i8[M] and spread f8[M] of the match lists within a few windows.

    As `count_apart`, but among the windows at `starts` only, each pair from the
    definition: O(M^2 l). Windows that overlap are no match, and the members of a list
    are `gap` apart. One channel.
    """
    sizes = np.zeros(len(starts), np.int64)
    spreads = np.zeros(len(starts))
    count_among_inplace(y, tracks, l, starts, gap, threshold, (sizes, spreads))
    return sizes, spreads


@kernel
def count_among_inplace(y, tracks, l, starts, gap, threshold, out):  # noqa: E741
    """Fill `count_among`. One channel."""
    sizes, spreads = out
    limit = 2.0 * l * (1.0 - threshold)
    near = np.empty(starts.size, np.int64)
    squares = np.empty(starts.size)
    chosen = np.empty(starts.size)
    for a in range(starts.size):
        found = 0
        for b in range(starts.size):
            if abs(starts[a] - starts[b]) >= l:
                square = squared_distance(y[0], tracks[0], l, starts[a], starts[b])
                if square <= limit:
                    near[found] = starts[b]
                    squares[found] = square
                    found += 1
        size = 0
        while found > 0:
            best = np.argmin(squares[:found])
            p = near[best]
            chosen[size] = np.sqrt(squares[best])
            size += 1
            left = 0
            for k in range(found):
                if abs(near[k] - p) >= gap:
                    near[left] = near[k]
                    squares[left] = squares[k]
                    left += 1
            found = left
        sizes[a] = size
        if size > 1:
            spreads[a] = np.std(chosen[:size])


@kernel
def squared_distance(z, track, l, i, j):  # noqa: E741
    """Squared zED of two windows of one channel, from the correlation. O(l)."""
    a, b = track[MEAN, i], track[MEAN, j]
    product = 0.0
    for s in range(l):
        product += (z[i + s] - a) * (z[j + s] - b)
    rho = product * track[INVERSE, i] * track[INVERSE, j]
    rho += track[BIAS, i] + track[BIAS, j]
    return max(0.0, 2.0 * l * (1.0 - rho))
