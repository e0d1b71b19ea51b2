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
def flag_ends_inplace(above2, above, own, below, below2, stop, out):
    """Flag the cells k of row i, 1 < k < n - i - 2, above `stop`, that end a path.

    Rows i - 2 .. i + 2 are f4, out is u1. A cell ends a path if it is a match, so not
    smaller than what it came from, and no larger cell came from it.
    """
    m = len(own)
    # Shifted by slicing: an index that cannot be negative lets the loop vectorise.
    left, here, right = own[1 : m - 3], own[2 : m - 2], own[3 : m - 1]
    up_left, up, up_right, up_far = above[1:], above[2:], above[3:], above[4:m]
    top = above2[3:]
    far, low_left, low, low_right = below, below[1:], below[2:], below[3:]
    bottom = below2[1:]
    flags = out[2 : m - 2]
    for t in range(len(flags)):
        value = here[t]
        # Which of three cells was left for the next one: the largest, of equal ones
        # that on the diagonal, then that one column and two rows behind.
        passed = (value < low[t]) & (value >= up_right[t]) & (value >= left[t])
        passed |= (value < bottom[t]) & (value > low_left[t]) & (value >= far[t])
        passed |= (value < low_right[t]) & (value > right[t]) & (value > up_far[t])
        match = (value >= up[t]) & (value >= top[t]) & (value >= up_left[t])
        flags[t] = (value > stop) & match & (not passed)


@strict_kernel
def append_flagged(found, size, bits, start, flags):
    """Add the keys of flagged cells to `found`, which is returned with its size.

    bits: u4, packed; start: position of flags[0]; flags: u1[8 m].
    """
    words = flags.view(np.uint64)
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
    return found, size


@strict_kernel
def path_ends(cells, n, band, stop):
    """Cells above `stop` and outside the band that a warping path may end in.

    cells: packed f4 -> u8[m] in packed order: the bits of each, shifted by 32, plus
    its position. Cells near the border come whether they end a path or not. O(n^2).
    """
    bits = cells.view(np.uint32)
    found = np.empty(1024, np.uint64)
    size = 0
    flags = np.zeros((n + 7) // 8 * 8, np.uint8)
    start = 0
    for i in range(n - band - 1):
        m = n - i
        own = cells[start : start + m]
        edge = band + 1
        if 1 < i < n - 2:
            flag_ends_inplace(
                cells[start - 2 * m - 3 : start - m - 1],
                cells[start - m - 1 : start],
                own,
                cells[start + m : start + 2 * m - 1],
                cells[start + 2 * m - 1 : start + 3 * m - 3],
                stop,
                flags,
            )
            flags[band + 1] = own[band + 1] > stop
            edge = max(m - 2, band + 1)
        flags[: band + 1] = 0
        flags[m:] = 0
        for k in range(edge, m):
            flags[k] = own[k] > stop
        found, size = append_flagged(found, size, bits, start, flags)
        start += m
    return found[:size]


@strict_kernel
def append_run(found, size, cells, bits, n, k, ends, stop):
    """Add the keys of the path ends in rows ends[0] .. ends[1] of diagonal k."""
    for i in range(ends[0], ends[1] + 1):
        at = i * n - i * (i - 1) // 2 + k
        value = cells[at]
        # One row further a cell lies n - i positions on.
        if i > ends[0] and value < cells[at - (n - i + 1)]:
            continue
        if value <= stop or (i < ends[1] and cells[at + n - i] > value):
            continue
        if size == len(found):
            larger = np.empty(2 * size, np.uint64)
            larger[:size] = found
            found = larger
        found[size] = np.uint64(bits[at]) << np.uint64(32) | np.uint64(at)
        size += 1
    return found, size


@strict_kernel
def count_runs_inplace(own, runs, l_min):
    """Count on where cells are positive, else restart; return how many long ones end.

    own: f4[m]; runs: i4[n], negative where a run of at least l_min cells just ended.
    """
    ended = 0
    counts = runs[: len(own)]
    for k in range(len(own)):
        length = counts[k] if counts[k] > 0 else np.int32(0)
        ends = (own[k] <= 0) & (length >= l_min)
        ended += ends
        stays = length + np.int32(1) if own[k] > 0 else np.int32(0)
        counts[k] = -length if ends else stays
    return ended


@strict_kernel
def straight_ends(cells, n, l_min, band, stop):
    """Cells that a path without warping may end in. -> u8[m] as for `path_ends`.

    Only runs of at least l_min positive cells on a diagonal can hold a path that is
    long enough, and paths of other runs do not meet those. O(n^2).
    """
    bits = cells.view(np.uint32)
    found = np.empty(1024, np.uint64)
    size = 0
    runs = np.zeros(n, np.int32)
    start = 0
    for i in range(n - band - 1):
        own = cells[start : start + n - i]
        if count_runs_inplace(own, runs, np.int32(l_min)):
            for k in range(band + 1, n - i):
                if runs[k] < 0:
                    rows = i + runs[k], i - 1
                    found, size = append_run(found, size, cells, bits, n, k, rows, stop)
        k = n - i - 1
        if runs[k] >= l_min:
            rows = i - runs[k] + 1, i
            found, size = append_run(found, size, cells, bits, n, k, rows, stop)
        start += n - i
    return found[:size]


@strict_kernel
def sort_keys_inplace(keys):
    """Sort keys by their upper halves, keeping the order of equal ones. u8[m]. O(m)."""
    source = keys
    target = np.empty_like(keys)
    for shift in (32, 40, 48, 56):
        ends = np.zeros(257, np.int64)
        for key in source:
            ends[((key >> np.uint64(shift)) & np.uint64(255)) + np.uint64(1)] += 1
        ends = np.cumsum(ends)
        for key in source:
            digit = (key >> np.uint64(shift)) & np.uint64(255)
            target[ends[digit]] = key
            ends[digit] += 1
        source, target = target, source  # four times, so the last is `keys` again
