"""The vicinity of a path: what lies within a band of it in its rows and columns.

Paths are i8[m, .], rows and columns, last cell first, and advance by one or two in
both; cells and codes are packed as in `links`. In each row the vicinity is one
interval: the columns of the path in rows within the band, which are neighbours, and
those within the band of where the path is in this row. A row or column that the path
steps over counts as that before it.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.links import NEEDED, USED
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
def use_up_spans_inplace(codes, n, spans):
    """Use up all cells of a vicinity."""
    for t in range(len(spans)):
        start = row_start(n, spans[t, 0])
        part = codes[start + spans[t, 1] : start + max(spans[t, 1], spans[t, 2])]
        for k in range(len(part)):
            part[k] |= USED


@strict_kernel
def has_free_origin(codes, m, at):
    """Whether a cell has an origin that is needed and free.

    codes: packed u1; at: its position, in a row of m that is not the first.
    """
    own, above = codes[at], at - m - 1
    straight, flat = codes[above], codes[above - 1]
    # In the second row no link is steep; any code will do.
    steep = codes[max(0, above - m - 1)]
    # All bits are shifted to that of NEEDED: no branch that could be guessed wrong.
    origin = own << 3 & straight & ~(straight >> 3)
    origin |= own << 2 & steep & ~(steep >> 3)
    origin |= own << 1 & flat & ~(flat >> 3)
    return origin & NEEDED != 0


@strict_kernel
def left_by_spans(codes, n, spans):
    """Cells of a vicinity that has been used up and that have a free origin.

    spans: as from `vicinity`. -> i8[m, 2], rows and positions. Cells whose origin must
    lie in the spans of the two rows above, and so is used up, are passed over.
    """
    left = np.empty((4 * len(spans) + 64, 2), np.int64)
    size = 0
    for t in range(len(spans)):
        i, low, high = spans[t]
        if i == 0:
            continue
        inner, outer = low, low
        if t > 1:
            inner = max(low, spans[t - 1, 1] + 1, spans[t - 2, 1] - 1)
            outer = min(high, spans[t - 1, 2], spans[t - 2, 2] - 1)
        if inner >= outer:
            inner, outer = low, low
        if size + high - low > len(left):
            larger = np.empty((2 * (size + high - low), 2), np.int64)
            larger[:size] = left[:size]
            left = larger
        start = row_start(n, i)
        for first, last in ((low, inner), (outer, high)):
            for at in range(start + first, start + last):
                left[size] = i, at
                size += has_free_origin(codes, n - i, at)
    return left[:size]
