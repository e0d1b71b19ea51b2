"""The vicinity of a path: what lies within a band of it in its rows and columns.

Paths are i8[m, .], rows and columns, last cell first, and advance by one or two in
both; cells and codes are packed as in `links`. In each row the vicinity is one
interval: the columns of the path in rows within the band, which are neighbours, and
those within the band of where the path is in this row. A row or column that the path
steps over counts as that before it.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.links import FLAT, STEEP, STRAIGHT
from tsmdbench.kernels.triangle import row_start


@strict_kernel
def vicinity(n, band, path):
    """Vicinity of a path outside the band of the main diagonal, row by row.

    -> i8[m, 3]: row i, first k = j - i, and k after the last, which may be less.
    """
    first, last = path[-1, 0], path[0, 0]
    low, high = max(0, first - band), min(n - 1, last + band)
    spans = np.empty((high - low + 1, 3), np.int64)
    # Indices into the path, which runs backwards: the first cell at least so far down
    # as the band above the row, the first beyond the band below, the last up to it.
    start, end, here = len(path) - 1, len(path) - 1, len(path) - 1
    for i in range(low, high + 1):
        while path[start, 0] < i - band:
            start -= 1
        while end >= 0 and path[end, 0] <= i + band:
            end -= 1
        left = path[start, 1]
        right = path[end, 1] - 1 if end >= 0 else path[0, 1]
        if first <= i <= last:
            while here > 0 and path[here - 1, 0] <= i:
                here -= 1
            left = min(left, path[here, 1] - band)
            right = max(right, path[here, 1] + band)
        spans[i - low, 0] = i
        spans[i - low, 1] = max(left - i, band + 1)
        spans[i - low, 2] = min(right, n - 1) - i + 1
    return spans


@strict_kernel
def use_up_spans_inplace(cells, n, spans):
    """Use up all cells of a vicinity: make them negative, also those that are 0."""
    for t in range(len(spans)):
        start = row_start(n, spans[t, 0])
        part = cells[start + spans[t, 1] : start + max(spans[t, 1], spans[t, 2])]
        for k in range(len(part)):
            part[k] = -abs(part[k])


@strict_kernel
def flag_free_origins_inplace(cells, codes, m, low, flags):
    """Flag cells from position `low` on, in a row of m, linked to a smaller free one.

    cells: packed f4, codes: packed u1 -> flags: u1. Return whether there are any.
    """
    size = len(flags)
    above = low - m - 1
    own, links = cells[low : low + size], codes[low : low + size]
    straight, flat = cells[above : above + size], cells[above - 1 : above - 1 + size]
    # In the first two rows no link is steep; any cells will do.
    top = max(0, above - m - 1)
    steep = cells[top : top + size]
    zero = np.float32(0.0)
    found = np.uint8(0)
    for t in range(size):
        to = straight[t] if links[t] & STRAIGHT else zero
        to = steep[t] if links[t] & STEEP else to
        to = flat[t] if links[t] & FLAT else to
        flags[t] = (to > 0) & (to < -own[t])
        found |= flags[t]
    return found
