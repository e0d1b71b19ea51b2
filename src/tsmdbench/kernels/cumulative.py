"""Cumulative similarity of warping paths, and the cells in which a path can end.

Cell (i, j) of the upper triangle is cell ``k = j - i`` of packed row i (see
`similarity`). A path comes to it from (i - 1, j - 1), (i - 2, j - 1) or
(i - 1, j - 2): cell k of row i - 1, k + 1 of row i - 2, or k - 1 of row i - 1. All lie
in earlier rows, so a whole row is computed at once.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel


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
    sims = np.empty(n, np.float32)
    above = np.zeros(n + 2, np.float32)
    above2 = above
    start = 0
    for i in range(n):
        m = n - i
        # A copy, so that the loops need not fear that input and output overlap.
        sims[:m] = similarities[start : start + m]
        out = cells[start : start + m]
        if warping:
            cumulate_row_inplace(sims[:m], above, above2, tau, out)
        else:
            cumulate_diagonals_inplace(sims[:m], above, tau, out)
        above2 = above
        above = out
        start += m


@strict_kernel
def flag_ends_inplace(before, own, after, after2, stop, warping, out):
    """Flag the cells k of row i, 1 < k < n - i - 2, above `stop`, that end a path.

    Rows i - 1 .. i + 2 are f4, out is u1. A cell does not end a path if a cell with
    a larger value was reached from it.
    """
    m = len(own)
    # Shifted by slicing: an index that cannot be negative lets the loop vectorise.
    left, here, right = own[1 : m - 3], own[2 : m - 2], own[3 : m - 1]
    up, up_right = before[3 : m - 1], before[4:m]
    far, low, down, wide = after[: m - 4], after[1 : m - 3], after[2:], after[3:]
    low2 = after2[1:]
    flags = out[2 : m - 2]
    for t in range(len(here)):
        value = here[t]
        passed = value < down[t]
        if warping:
            # Which of three cells was left for the next one: the largest, of equal
            # ones that on the diagonal, then that one column and two rows behind.
            passed &= (value >= up[t]) & (value >= left[t])
            passed |= (value < low2[t]) & (value > low[t]) & (value >= far[t])
            passed |= (value < wide[t]) & (value > right[t]) & (value > up_right[t])
        flags[t] = (value > stop) & (not passed)


@strict_kernel
def path_ends(cells, bits, n, band, stop, warping):
    """Cells above `stop` and outside the band that a path may end in. -> u8[m].

    cells: packed f4; bits: the same as u4. Each is returned as its bits, shifted by
    32, plus its packed position. Cells near the border come whether they end a path
    or not. O(n^2).
    """
    found = np.empty(1024, np.uint64)
    size = 0
    flags = np.zeros(n + 8, np.uint8)
    words = flags[: len(flags) // 8 * 8].view(np.uint64)
    start = 0
    for i in range(n - band - 1):
        m = n - i
        own = cells[start : start + m]
        if 0 < i < n - 2:
            flag_ends_inplace(
                cells[start - m - 1 : start],
                own,
                cells[start + m : start + 2 * m - 1],
                cells[start + 2 * m - 1 : start + 3 * m - 3],
                stop,
                warping,
                flags,
            )
            flags[: band + 1] = 0
            flags[band + 1] = own[band + 1] > stop
            for k in range(max(m - 2, band + 1), m):
                flags[k] = own[k] > stop
        else:
            flags[: band + 1] = 0
            for k in range(band + 1, m):
                flags[k] = own[k] > stop
        flags[m:] = 0
        for word in range(len(words)):
            if words[word] == 0:
                continue
            if size + 8 > len(found):
                larger = np.empty(2 * len(found), np.uint64)
                larger[:size] = found[:size]
                found = larger
            for k in range(8 * word, 8 * word + 8):
                if flags[k]:
                    key = np.uint64(bits[start + k]) << np.uint64(32)
                    found[size] = key | np.uint64(start + k)
                    size += 1
        start += m
    return found[:size].copy()
