"""The vicinity of a path: what lies within a band of it in its rows and columns.

Paths are i8[m, .], rows and columns, last cell first, and advance by one or two in
both; cells and codes are packed as in `links`. In each row the vicinity is one
interval: the columns of the path in rows within the band, which are neighbours, and
those within the band of where the path is in this row. A row or column that the path
steps over counts as that before it.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.links import NEEDED, USED
from tsmdbench._kernels.locomotif.triangle import row_start


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
        # Unsigned: such an index is not looked at for being negative.
        first, last = np.uint64(start + spans[t, 1]), np.uint64(start + spans[t, 2])
        for at in range(first, last):
            codes[at] |= USED


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
def inner_part(spans, t):
    """First and after the last of the cells of a row whose origins must lie in spans.

    spans: as from `vicinity`; the origins lie in those of the two rows above.
    """
    low, high = spans[t, 1], spans[t, 2]
    if t < 2:
        return low, low
    inner = max(low, spans[t - 1, 1] + 1, spans[t - 2, 1] - 1)
    outer = min(high, spans[t - 1, 2], spans[t - 2, 2] - 1)
    return (inner, outer) if inner < outer else (low, low)


@strict_kernel
def left_by_spans(codes, n, spans):
    """Cells of a vicinity that has been used up and that have a free origin.

    spans: as from `vicinity`. -> i8[m, 2], rows and positions. Cells of the inner part
    are passed over, since their origins have been used up, too.
    """
    size = 0
    for t in range(len(spans)):
        inner, outer = inner_part(spans, t)
        size += max(0, spans[t, 2] - spans[t, 1] - max(0, outer - inner))
    left = np.empty((size + 1, 2), np.int64)
    size = 0
    for t in range(len(spans)):
        i, low, high = spans[t, 0], spans[t, 1], spans[t, 2]
        inner, outer = inner_part(spans, t)
        start = row_start(n, i)
        for first, last in ((low, inner), (outer, high)):
            for at in range(start + first, start + last):
                left[size, 0], left[size, 1] = i, at
                size += i > 0 and has_free_origin(codes, n - i, at)
    return left[:size]
