"""Cumulative similarity of warping paths, a strip of rows at a time.

In reversed time (see `triangle`) a path comes to cell (i, j) from (i + 1, j + 1),
(i + 2, j + 1) or (i + 1, j + 2); without warping from the first only. All lie in higher
rows, so a whole row is computed at once, the highest first.

A strip is f4[.]: some rows and the two above them, packed one after the other. It can
be recomputed from those two alone, so only these are kept: the *checkpoints*.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.similarity import BLOCK, similarity_row_inplace
from tsmdbench._kernels.locomotif.triangle import row_start


@strict_kernel
def next_value(similarity, best, tau):
    """Return what a path has gathered in a cell, given the best of its origins.

    A match adds its similarity; a gap halves and takes off twice the threshold. All f4.
    """
    gain = similarity + best
    loss = max(np.float32(0.0), np.float32(0.5) * best - np.float32(2.0) * tau)
    return loss if similarity < tau else gain


@strict_kernel
def cumulate_row_inplace(similarities, straight, steep, flat, tau, out):
    """Set a row from the three cells that a path may come from. All f4[m]."""
    for t in range(len(out)):
        best = max(max(straight[t], steep[t]), flat[t])
        out[t] = next_value(similarities[t], best, tau)


@strict_kernel
def cumulate_row_straight_inplace(similarities, straight, tau, out):
    """Set a row from the one cell that a path may come from, without warping."""
    for t in range(len(out)):
        out[t] = next_value(similarities[t], straight[t], tau)


@strict_kernel
def cumulate_strip_inplace(x, gamma, packed, a, rows, first, last, tau, warping, strip):
    """Fill the columns `first` to `last` of the rows a to a + rows - 1 of a strip.

    The two rows above are there already. `packed` has all similarities, f4, or is
    empty. Row a + r is filled up to column last + 2 r, since lower rows need that much
    more: so parts of a strip can be filled at the same time.
    O(rows (last - first + rows)).
    """
    room = np.empty((2, BLOCK), np.float64)
    computed = np.empty(a + rows, np.float32)
    base = row_start(a)
    for i in range(a + rows - 1, a - 1, -1):
        stop = min(i, last + 2 * (i - a))  # all but the main diagonal
        m = max(0, stop - first)
        own, one = row_start(i) - base, row_start(i + 1) - base
        two = row_start(i + 2) - base
        if len(packed):
            start = row_start(i) + first
            similarities = packed[start : start + m]
        else:
            similarities = computed[:m]
            similarity_row_inplace(x, i, first, gamma, room, similarities)
        straight = strip[one + first + 1 : one + first + 1 + m]
        out = strip[own + first : own + first + m]
        if warping:
            steep = strip[two + first + 1 : two + first + 1 + m]
            flat = strip[one + first + 2 : one + first + 2 + m]
            cumulate_row_inplace(similarities, straight, steep, flat, tau, out)
        else:
            cumulate_row_straight_inplace(similarities, straight, tau, out)
        if last + 2 * (i - a) > i >= first:
            # Both samples are the same: similarity 1, and no flat origin.
            best = strip[one + i + 1]
            if warping:
                best = max(best, strip[two + i + 1])
            strip[own + i] = np.float32(1.0) + best
