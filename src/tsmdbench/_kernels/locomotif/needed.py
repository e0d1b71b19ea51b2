"""The cells whose fate can matter to a path of l_min rows or columns.

Which paths result depends on which cells are used up first. A cell is *needed* if

* links lead to it from so far that a path through it can be long enough, or
* it has a link to a needed cell, since its path may use that cell up, or
* its link steps over a needed cell, which its path uses up too; then where that link
  leads is needed, and with it, by the second rule, the cell itself.

Whether a path comes by a cell depends on the cells that lead to it and on those that
step over it, so the fate of needed cells depends on needed cells only. All others are
left out. Where only needed cells are kept, origins of needed cells are needed too, so
that rows can be settled before those above them are linked.

For example, let links lead 1 <- 2 <- 3 <- 4, let 5 lead to 2, and let a path be long
enough with four cells. Then 5 is needed, too: if it is larger than 4, its path 5, 2, 1
is taken first, and 4, 3 is all that is left of the long one.

`codes` are those of `links`, of rows in succession, packed from position `base` of the
triangle on.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.links import (
    FLAT,
    LINK,
    NEEDED,
    ONE,
    STEEP,
    STRAIGHT,
    origin_of,
)
from tsmdbench._kernels.locomotif.triangle import row_start

ORIGINS = True  # origins of needed cells are needed


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
def require_inplace(codes, base, low, high, origins, i, j):
    """Let a cell be needed, with all that this implies in rows low to high - 1.

    origins: whether the origins of needed cells are needed.
    """
    waiting = [(i, j)]
    while len(waiting):
        i, j = waiting.pop()
        at = row_start(i) + j - base
        if not low <= i < high or codes[at] & NEEDED:
            continue
        codes[at] |= np.uint8(NEEDED)
        if origins and codes[at] & LINK:
            waiting.append(origin_of(i, j, codes[at] & LINK))
        # The cells of rows below that may link here; one may also step over this one.
        if i > low and j > 0:
            link = codes[at - i - 1] & LINK
            if link == STRAIGHT:
                waiting.append((i - 1, j - 1))
            elif link:
                waiting.append(origin_of(i - 1, j - 1, link))
        if i > low and j > 1 and codes[at - i - 2] & LINK == FLAT:
            waiting.append((i - 1, j - 2))
        if i > low + 1 and j > 0 and codes[at - 2 * i] & LINK == STEEP:
            waiting.append((i - 2, j - 1))


@strict_kernel
def require_rows_inplace(codes, base, low, high, band):
    """Let all cells of the rows low to high - 1 be needed, whether they are or not."""
    for i in range(low, high):
        start = row_start(i) - base
        for at in range(start, start + i - band):
            codes[at] |= np.uint8(NEEDED)


@strict_kernel
def require_origins_inplace(codes, base, low, high, needed, needed_base):
    """Let origins of needed cells of the two rows below row `low` be needed.

    needed: codes of the rows below, packed from position `needed_base` on.
    """
    for i in range(max(0, low - 2), low):
        for j in range(i + 1):
            code = needed[row_start(i) - needed_base + j]
            if code & NEEDED and code & LINK:
                where = origin_of(i, j, code & LINK)
                require_inplace(codes, base, low, high, ORIGINS, *where)


@strict_kernel
def spread_inplace(codes, base, low, high, complete, origins, band, warping):
    """Let all be needed that is, in the rows low to high - 1. O(cells).

    Unless these are `complete`, with the highest row of all, the origins of the last
    two may not be there, and these rows are left as they are. Along links first: then
    few steps are left that have to be followed one by one.
    """
    flags = np.empty(high, np.uint8)
    for steps in range(2 if warping else 1):
        for i in range(high - 2 if complete else high - 3, low - 1, -1):
            m = i - band
            if m <= 0:
                break
            start = row_start(i) - base
            own = np.uint64(start)
            above = np.uint64(start + i + 2)
            # From the last row but one no link is steep; any cell will do.
            above2 = np.uint64(start + 2 * i + 4) if i + 2 < high else above
            if not steps:
                spread_row_inplace(codes, own, above, above2, m)
            elif flag_steps_inplace(codes, own, above, above2, flags, m):
                for j in range(m):
                    if flags[j]:
                        where = origin_of(i, j, codes[start + j] & LINK)
                        require_inplace(codes, base, low, high, origins, *where)
