"""The cells whose fate can matter to a path of l_min rows or columns.

Which paths result depends on which cells are used up first. A cell is *needed* if

* links lead to it from so far that a path through it can be long enough, or
* it has a link to a needed cell, since its path may use that cell up, or
* its link steps over a needed cell, which its path uses up too; then where that link
  leads is needed, and with it, by the second rule, the cell itself, or
* a needed cell has a link to it, so that rows can be settled before those above them
  are linked.

Whether a path comes by a cell depends on the cells that lead to it and on those that
step over it, so the fate of needed cells depends on needed cells only. Ends of paths in
all others are left out.

For example, let links lead 1 <- 2 <- 3 <- 4, let 5 lead to 2, and let a path be long
enough with four cells. Then 5 is needed, too: if it is larger than 4, its path 5, 2, 1
is taken first, and 4, 3 is all that is left of the long one.

`codes`, u1[., width], are those of `strips`, of rows in succession from row `low` on.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.strips import (
    FLAT,
    LINK,
    NEEDED,
    ONE,
    STEEP,
    STRAIGHT,
    origin_of,
)


@strict_kernel
def spread_row_inplace(codes, own, above, above2, m):
    """Let cells be needed that link to needed ones.

    own, above, above2: u8, where the row and its straight and steep origins begin.
    """
    for t in range(np.uint64(m)):
        # The bit of each link, shifted to that of NEEDED: no branch, many at a time.
        code = codes[own + t]
        to = code << 3 & codes[above + t]
        to |= code << 2 & codes[above2 + t]
        to |= code << 1 & codes[above + t + ONE]
        codes[own + t] = code | (to & NEEDED)


@strict_kernel
def flag_steps_inplace(codes, own, above, above2, flags, m):
    """Flag cells whose link steps over a needed cell to one that is not. u1."""
    total = np.uint8(0)
    for t in range(np.uint64(m)):
        code = codes[own + t]
        other = code << 2 & ~codes[above2 + t]
        other |= code << 1 & ~codes[above + t + ONE]
        flag = np.uint8(other & codes[above + t] & NEEDED)
        flags[t] = flag
        total |= flag
    return total


@strict_kernel
def require_inplace(codes, r, j):
    """Let a cell be needed, with all that this implies in these rows."""
    waiting = [(r, j)]
    while len(waiting):
        r, j = waiting.pop()
        if not 0 <= r < len(codes) or codes[r, j] & NEEDED:
            continue
        codes[r, j] |= np.uint8(NEEDED)
        if codes[r, j] & LINK:
            waiting.append(origin_of(r, j, codes[r, j] & LINK))
        # The cells of rows below that may link here; one may also step over this one.
        if r > 0 and j > 0:
            link = codes[r - 1, j - 1] & LINK
            if link == STRAIGHT:
                waiting.append((r - 1, j - 1))
            elif link:
                waiting.append(origin_of(r - 1, j - 1, link))
        if r > 0 and j > 1 and codes[r - 1, j - 2] & LINK == FLAT:
            waiting.append((r - 1, j - 2))
        if r > 1 and j > 0 and codes[r - 2, j - 1] & LINK == STEEP:
            waiting.append((r - 2, j - 1))


@strict_kernel
def require_origins_inplace(codes, below):
    """Let origins be needed of needed cells in the two rows below. u1[2, width]."""
    for r in range(2):
        for j in range(codes.shape[1]):
            if below[r, j] & NEEDED and below[r, j] & LINK:
                i, k = origin_of(r - 2, j, below[r, j] & LINK)
                if i >= 0:
                    require_inplace(codes, i, k)


@strict_kernel
def spread_inplace(codes, low, complete, band, warping):
    """Let all be needed that is. O(cells).

    Unless the rows are `complete`, with the highest row of all, it may depend on rows
    above them. All that does so depends on the last two rows, which are needed then,
    whether they are or not. Along links first: then few steps are left that have to be
    followed one by one.
    """
    height, width = codes.shape
    flat = codes.ravel()
    flags = np.empty(width, np.uint8)
    top = height - 2 if complete else height - 3
    if not complete:
        for r in range(max(0, height - 2), height):
            for j in range(low + r - band):
                codes[r, j] |= np.uint8(NEEDED)
    for steps in range(2 if warping else 1):
        for r in range(top, -1, -1):
            m = low + r - band
            if m <= 0:
                break
            own = np.uint64(r * width)
            above = np.uint64((r + 1) * width + 1)
            # From the last row but one no link is steep; any cell will do.
            above2 = np.uint64((r + 2) * width + 1) if r + 2 < height else above
            if not steps:
                spread_row_inplace(flat, own, above, above2, m)
            elif flag_steps_inplace(flat, own, above, above2, flags, m):
                for j in range(m):
                    if flags[j]:
                        require_inplace(codes, *origin_of(r, j, codes[r, j] & LINK))
