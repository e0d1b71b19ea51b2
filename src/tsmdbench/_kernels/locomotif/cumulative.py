"""Cumulative similarity of warping paths, a strip of rows at a time.

In reversed time (see `triangle`) a path comes to cell (i, j) from (i + 1, j + 1),
(i + 2, j + 1) or (i + 1, j + 2); without warping from the first only. All lie in higher
rows, so a whole row is computed at once, the highest first.

A strip is f4[rows + 2, .]: its rows and, last, the two above them. It can be recomputed
from those two alone, so only these are kept: the *checkpoints*. Cells that do not
exist, right of the main diagonal, are 0.
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
def cumulate_strip_inplace(x, gamma, packed, a, rows, first, last, tau, warping, strip):
    """Fill the columns `first` to `last` of the rows a to a + rows - 1 of a strip.

    The two rows above are there already. `packed` has all similarities, f4, or is
    empty. Row a + r is filled up to column last + 2 r, since lower rows need that much
    more: so parts of a strip can be filled at the same time. O(rows (last - first +
    rows)).
    """
    room = np.empty((2, BLOCK), np.float64)
    computed = np.empty(strip.shape[1], np.float32)
    none = np.zeros(strip.shape[1], np.float32)
    for r in range(rows - 1, -1, -1):
        i = a + r
        stop = min(i + 1, last + 2 * r)
        m = stop - first
        if m <= 0:
            continue
        if len(packed):
            start = row_start(i) + first
            similarities = packed[start : start + m]
        else:
            similarities = computed[:m]
            similarity_row_inplace(x, i, first, gamma, room, similarities)
        straight = strip[r + 1, first + 1 : stop + 1]
        steep, flat = none[:m], none[:m]
        if warping:
            steep = strip[r + 2, first + 1 : stop + 1]
            flat = strip[r + 1, first + 2 : stop + 2]
        cumulate_row_inplace(
            similarities, straight, steep, flat, tau, strip[r, first:stop]
        )
        if stop == i + 1:
            strip[r, stop : stop + 2] = 0
