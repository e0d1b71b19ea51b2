"""Cumulative similarity of warping paths.

Cell (i, j) of the upper triangle is cell ``k = j - i`` of packed row i (see
`similarity`). A path comes to it from (i - 1, j - 1), (i - 2, j - 1) or
(i - 1, j - 2): cell k of row i - 1, k + 1 of row i - 2, or k - 1 of row i - 1. All lie
in earlier rows, so a whole row is computed at once.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def cumulate_row_inplace(sims, above, above2, tau, out):
    """Set out[k] from the two rows above it, with warping. All f4.

    above has one cell more than out, above2 two; no cell lies left of k = 0.
    """
    half = np.float32(0.5)  # delta_m
    zero = np.float32(0.0)
    penalty = np.float32(2.0) * tau  # delta_a
    right = above2[1:]
    # On the main diagonal both samples are the same: similarity 1, never a loss.
    out[0] = sims[0] + max(above[0], right[0])
    left = above[: len(out) - 1]
    middle, right, inner, target = above[1:], right[1:], sims[1:], out[1:]
    for t in range(len(target)):
        best = max(middle[t], right[t])
        best = max(best, left[t])
        gain = inner[t] + best
        loss = max(zero, half * best - penalty)
        target[t] = loss if inner[t] < tau else gain


@strict_kernel
def cumulate_diagonals_inplace(sims, above, tau, out):
    """Set out[k] from the cell above it, without warping. All f4."""
    half = np.float32(0.5)
    zero = np.float32(0.0)
    penalty = np.float32(2.0) * tau
    for k in range(len(out)):
        gain = sims[k] + above[k]
        loss = max(zero, half * above[k] - penalty)
        out[k] = loss if sims[k] < tau else gain


@strict_kernel
def cumulate_inplace(similarities, n, tau, warping, cells):
    """Fill `cells` with the cumulative similarities. Both packed f4. O(n^2).

    `cells` may be `similarities` itself, which is then overwritten.
    """
    shared = similarities.ctypes.data == cells.ctypes.data
    sims = np.empty(n, np.float32)
    above = np.zeros(n + 2, np.float32)
    above2 = above
    start = 0
    for i in range(n):
        m = n - i
        row, out = similarities[start : start + m], cells[start : start + m]
        if shared:
            # A copy: loops whose input and output overlap take one cell at a time.
            for k in range(m):
                sims[k] = row[k]
            row = sims[:m]
        if warping:
            cumulate_row_inplace(row, above, above2, tau, out)
        else:
            cumulate_diagonals_inplace(row, above, tau, out)
        above2 = above
        above = out
        start += m
