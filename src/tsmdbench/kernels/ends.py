"""The cells in which a path can end, ordered by their cumulative similarity.

Cells and codes are packed as in `links`. A key, u8, is the bits of the value of a cell,
shifted by 32, plus its position.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.links import NEEDED

BLOCK = 512  # cells looked at together, or not at all if none of them is needed


@strict_kernel
def flag_warped_inplace(rows, low, high, stop, flags):
    """Flag the cells k of row i, low <= k < high, above `stop`, that end a path.

    rows: f4, rows i - 2 .. i + 2; flags: u1[high - low]; 1 < low, high < n - i - 1. A
    cell ends a path if it is a match, so not smaller than what it came from, and no
    larger cell came from it.
    """
    above2, above, own, below, below2 = rows
    # Shifted by slicing: an index that cannot be negative lets the loop vectorise.
    left, here, right = own[low - 1 :], own[low:high], own[low + 1 :]
    up_left, up, up_right = above[low - 1 :], above[low:], above[low + 1 :]
    up_far, top = above[low + 2 :], above2[low + 1 :]
    far, low_left = below[low - 2 :], below[low - 1 :]
    lower, low_right, bottom = below[low:], below[low + 1 :], below2[low - 1 :]
    for t in range(len(here)):
        value = here[t]
        # Which of three cells was left for the next one: the largest, of equal ones
        # that on the diagonal, then that one column and two rows behind.
        passed = (value < lower[t]) & (value >= up_right[t]) & (value >= left[t])
        passed |= (value < bottom[t]) & (value > low_left[t]) & (value >= far[t])
        passed |= (value < low_right[t]) & (value > right[t]) & (value > up_far[t])
        match = (value >= up[t]) & (value >= top[t]) & (value >= up_left[t])
        flags[t] = (value > stop) & match & (not passed)


@strict_kernel
def flag_straight_inplace(above, own, below, stop, flags):
    """Flag the cells above `stop` that end a path without warping. f4[m] -> u1[m]."""
    for t in range(len(flags)):
        value = own[t]
        flags[t] = (value > stop) & (value >= above[t]) & (value >= below[t])


@strict_kernel
def append_flagged(found, size, bits, start, flags):
    """Add the keys of flagged cells to `found`, which is returned with its size.

    bits: u4, packed; start: position of flags[0]; flags: u1[8 m].
    """
    if size + len(flags) > len(found):
        larger = np.empty(2 * (size + len(flags)), np.uint64)
        larger[:size] = found[:size]
        found = larger
    words = flags.view(np.uint64)
    for word in range(len(words)):
        if words[word] == 0:
            continue
        for t in range(8 * word, 8 * word + 8):
            if flags[t]:
                key = np.uint64(bits[start + t]) << np.uint64(32)
                found[size] = key | np.uint64(start + t)
                size += 1
    return found, size


@strict_kernel
def drop_inplace(flags, codes):
    """Clear the flags of cells that are not needed, and those beyond the codes. u1."""
    for t in range(len(codes)):
        flags[t] = flags[t] if codes[t] & NEEDED else np.uint8(0)
    flags[len(codes) :] = 0


@strict_kernel
def any_needed(codes):
    """Whether a cell is needed. u1[m]."""
    found = np.uint8(0)
    for t in range(len(codes)):
        found |= codes[t]
    return found & NEEDED


@strict_kernel
def flag_block_inplace(cells, n, span, warping, stop, flags):
    """Flag cells of a row that may end a path; all above `stop` near the border.

    span: row, its start, first k, and k after the last. -> flags: u1[m].
    """
    i, start, low, high = span
    m = n - i
    own = cells[start : start + m]
    for t in range(high - low):
        flags[t] = own[low + t] > stop
    above, below = cells[start - m - 1 : start], cells[start + m : start + 2 * m - 1]
    inner = min(high, m - 2)
    if not 1 < i < n - 2 or inner <= low:
        return
    part = flags[: inner - low]
    if warping:
        above2 = cells[start - 2 * m - 3 : start - m - 1]
        below2 = cells[start + 2 * m - 1 : start + 3 * m - 3]
        rows = above2, above, own, below, below2
        flag_warped_inplace(rows, low, inner, stop, part)
    else:
        flag_straight_inplace(above[low:], own[low:], below[low:], stop, part)


@strict_kernel
def path_ends(cells, codes, n, band, warping, stop):
    """Keys of needed cells above `stop` that a path may end in, in packed order.

    cells: packed f4, codes: packed u1 -> u8[m]. Cells near the border and the
    band come whether they end a path or not. O(n^2).
    """
    bits = cells.view(np.uint32)
    found = np.empty(1024, np.uint64)
    size = 0
    flags = np.empty(BLOCK, np.uint8)
    start = 0
    for i in range(n - band - 1):
        m = n - i
        for low in range(band + 1, m, BLOCK):
            high = min(m, low + BLOCK)
            part = codes[start + low : start + high]
            if any_needed(part):
                span = i, start, low, high
                flag_block_inplace(cells, n, span, warping, stop, flags)
                if low == band + 1:
                    # A cell of the band may have come from it, where no path goes.
                    flags[0] = cells[start + low] > stop
                drop_inplace(flags, part)
                found, size = append_flagged(found, size, bits, start + low, flags)
        start += m
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
