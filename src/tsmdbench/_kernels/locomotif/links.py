"""Which cell a path goes back to from each cell, and the cells that can matter.

Cells are the cumulative similarities, packed as in `cumulative`; those with
``k <= band`` belong to the main diagonal and are never entered. A path goes back to
the largest of three cells and only from an end that is at least as large, so from
cell c to cell o only if o is no larger than something that is reached through c.
Where that fails there is no link. Links form trees, and no path leaves its tree.

A code, u1 per cell, tells the link, `STRAIGHT`, `STEEP` or `FLAT`, 0 if there is none,
and more: `RISES` if the cell is larger than where the link leads, `END` if a path may
end in the cell: it is not smaller than where the link leads, and no cell with a link to
it is as large; `NEEDED` if its fate can matter to a path of l_min rows or columns:

* a cell from which links reach at least so far, and what is reached from it,
* with a cell that a link steps over also where that link goes, and what is reached
  from there, since who uses up that cell decides whether it is stepped over.

Whether a path comes by a cell depends on what is reached from the cell and on who
steps over it, so the fate of needed cells depends on needed cells only. Ends that are
not needed may be left out or not: their paths are short and use up other cells only.

The search for paths adds `USED` and, for a while, `MARKED`.

Kernels of a row take whole arrays and, u8, where in them the row begins: of the packed
cells and codes, or of three rows in turn, i2 or f4, that are worked on: `here`, the row
`below` and `below2` that. References to slices would be counted in every row.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

STRAIGHT = 1  # one row and one column back
STEEP = 2  # two rows and one column back
FLAT = 4  # one row and two columns back
LINK = 7  # bits of the link
NEEDED = 8
RISES = 16
END = 32
USED = 64
MARKED = 128
CLOSES = END  # of links in the making: END unless a cell as large leads here
FAR = 32000  # rows or columns that are counted at most
NONE, ONE = np.uint64(0), np.uint64(1)


@strict_kernel
def choose_inplace(
    cells, own, ones, above, twos, above2, links, tops, here, below, below2, stop, m
):
    """Set links of a row, and `tops` to the largest cell that leads to each, or itself.

    above: where the cells one row and one column back begin in `ones`; above2: those
    two rows and one column back in `twos`. A link leads to the largest of three cells,
    of equal ones the straight, then the steep one; there is none if that cell is not
    positive, or larger than all that is reached through the link, which `tops` tells.
    RISES and, above `stop`, CLOSES are added.
    """
    zero, none = np.float32(0.0), np.int16(0)
    for t in range(np.uint64(m)):
        straight, steep = ones[above + t], twos[above2 + t]
        best = max(max(straight, steep), ones[above + t - ONE])
        link = np.int16(STEEP) if steep == best else np.int16(FLAT)
        link = np.int16(STRAIGHT) if straight == best else link
        value = cells[own + t]
        link |= np.int16(RISES) if value > best else none
        link |= np.int16(CLOSES) if (value >= best) & (value > stop) else none
        by_straight, by_steep, by_flat = below + t, below2 + t - ONE, below + t + ONE
        top = max(value, tops[by_straight] if links[by_straight] & STRAIGHT else zero)
        top = max(top, tops[by_steep] if links[by_steep] & STEEP else zero)
        top = max(top, tops[by_flat] if links[by_flat] & FLAT else zero)
        links[here + t] = link if (top >= best) & (best > 0) else none
        tops[here + t] = top


@strict_kernel
def encode_inplace(links, rows, columns, here, below, below2, least, codes, own, m):
    """Set codes from links, those that lead here, and how far they reach.

    rows, columns, i2: how many further on links reach, at most `least`. A cell ends a
    path if it closes one and no cell leads to it that does too.
    """
    one, two, none = np.int16(1), np.int16(2), np.int16(0)
    for t in range(np.uint64(m)):
        by_straight, by_steep, by_flat = below + t, below2 + t - ONE, below + t + ONE
        straight, steep, flat = links[by_straight], links[by_steep], links[by_flat]
        down = np.int16(rows[by_straight] + one) if straight & STRAIGHT else none
        down = max(down, np.int16(rows[by_steep] + two) if steep & STEEP else none)
        down = max(down, np.int16(rows[by_flat] + one) if flat & FLAT else none)
        along = np.int16(columns[by_straight] + one) if straight & STRAIGHT else none
        along = max(along, np.int16(columns[by_steep] + one) if steep & STEEP else none)
        along = max(along, np.int16(columns[by_flat] + two) if flat & FLAT else none)
        rows[here + t], columns[here + t] = min(down, least), min(along, least)
        # The bit of each link, shifted to that of CLOSES.
        passed = (straight << 5 & straight) | (steep << 4 & steep) | (flat << 3 & flat)
        link = links[here + t]
        end = link & ~passed & END
        needed = np.int16(NEEDED) if max(down, along) >= least else none
        codes[own + t] = np.uint8(link & (LINK | RISES) | end | needed)


@strict_kernel
def link_inplace(cells, n, band, l_min, stop, codes):
    """Set the codes of all cells, with warping, before they spread.

    cells: packed f4, codes: packed u1. From the last row to the first. O(n^2).
    """
    # Of three rows in turn; cell k stands at k + 1, and ends hold zeros.
    width = n + 3
    links = np.zeros(3 * width, np.int16)
    tops = np.zeros(3 * width, np.float32)
    rows = np.zeros(3 * width, np.int16)
    columns = np.zeros(3 * width, np.int16)
    none = np.zeros(n + 2, np.float32)
    least = np.int16(min(l_min - 1, FAR))
    low = band + 1
    start = len(cells)
    for i in range(n - 1, -1, -1):
        start -= n - i
        codes[start : start + min(low, n - i)] = 0
        m = n - i - low
        if m <= 0:
            continue
        own = np.uint64(start + low)
        here = np.uint64(i % 3 * width + low + 1)
        below = np.uint64((i + 1) % 3 * width + low + 1)
        below2 = np.uint64((i + 2) % 3 * width + low + 1)
        above, above2 = own - np.uint64(n - i + 1), own - np.uint64(2 * (n - i + 1))
        ones, twos = cells, cells
        if i < 2:
            twos, above2 = none, ONE
        if i < 1:
            ones, above = none, ONE
        choose_inplace(
            cells,
            own,
            ones,
            above,
            twos,
            above2,
            links,
            tops,
            here,
            below,
            below2,
            stop,
            m,
        )
        if links[here] & FLAT:
            links[here] = 0  # to the band
        encode_inplace(links, rows, columns, here, below, below2, least, codes, own, m)


@strict_kernel
def link_diagonals_inplace(cells, n, band, l_min, stop, codes):
    """Set the codes of all cells, without warping; as `link_inplace`."""
    top = np.zeros(n, np.float32)  # of what links lead to the row from
    far = np.zeros(n, np.int32)
    none = np.zeros(n, np.float32)
    low = band + 1
    start = len(cells)
    for i in range(n - 1, -1, -1):
        start -= n - i
        codes[start : start + min(low, n - i)] = 0
        m = n - i - low
        own = np.uint64(start + low)
        if i > 0:
            above = own - np.uint64(n - i + 1)
            link_row_inplace(cells, own, cells, above, l_min, stop, top, far, codes, m)
        else:
            link_row_inplace(cells, own, none, NONE, l_min, stop, top, far, codes, m)


@strict_kernel
def link_row_inplace(cells, own, ones, above, l_min, stop, top, far, codes, m):
    """Set the codes of a row, without warping; update `top` and `far`.

    far: twice the rows that links reach further on, plus 1 if the first of them closes
    a path. Positions as in `choose_inplace`.
    """
    zero = np.float32(0.0)
    one, none, least = np.int32(1), np.int32(0), np.int32(l_min)
    for t in range(np.uint64(max(0, m))):
        value, before = cells[own + t], ones[above + t]
        best = max(value, top[t])
        reach = (far[t] >> 1) + one
        linked = (before > 0) & (best >= before)
        closes = one if linked & (value >= before) & (value > stop) else none
        end = closes & ~far[t]
        top[t] = best if linked else zero
        far[t] = reach << 1 | closes if linked else none
        code = np.int32(STRAIGHT) if linked else none
        code |= np.int32(RISES) if linked & (value > before) else none
        code |= np.int32(NEEDED) if reach >= least else none
        codes[own + t] = np.uint8(code | (np.int32(END) if end else none))


@strict_kernel
def spread_row_inplace(codes, own, above, above2, m):
    """Let cells be needed that link to needed ones; positions as above."""
    for t in range(np.uint64(m)):
        # The bit of each link, shifted to that of NEEDED: no branch, many at a time.
        code = codes[own + t]
        to = code << 3 & codes[above + t]
        to |= code << 2 & codes[above2 + t]
        to |= code << 1 & codes[above + t - ONE]
        codes[own + t] = code | (to & NEEDED)


@strict_kernel
def flag_steps_inplace(codes, own, above, above2, flags, m):
    """Flag cells whose link steps over a needed cell to one that is not. u1."""
    total = np.uint8(0)
    for t in range(np.uint64(m)):
        code = codes[own + t]
        other = code << 2 & ~codes[above2 + t]
        other |= code << 1 & ~codes[above + t - ONE]
        flag = np.uint8(other & codes[above + t] & NEEDED)
        flags[t] = flag
        total |= flag
    return total


@strict_kernel
def link_target(n, i, at, link):
    """Row and packed position that a link leads to from row i, this position."""
    above = at - (n - i + 1)
    if link == STRAIGHT:
        return i - 1, above
    if link == STEEP:
        return i - 2, above - (n - i + 1)
    return i - 1, above - 1


@strict_kernel
def require_inplace(codes, n, i, at):
    """Let a cell be needed, and with it all that this implies."""
    waiting = [(i, at)]
    while len(waiting):
        i, at = waiting.pop()
        if codes[at] & NEEDED:
            continue
        codes[at] |= np.uint8(NEEDED)
        # The cells of rows below that may link here; one may also step over this one.
        # The last row has no cell outside the band, so all of these exist or are 0.
        below = at + n - i
        k = at - (i * n - i * (i - 1) // 2)
        if i + k + 1 < n:
            link = codes[below] & LINK
            if link == STRAIGHT:
                waiting.append((i + 1, below))
            elif link:
                waiting.append(link_target(n, i + 1, below, link))
            if codes[below + n - i - 2] & LINK == STEEP:
                waiting.append((i + 2, below + n - i - 2))
        if i + k + 2 < n and codes[below + 1] & LINK == FLAT:
            waiting.append((i + 1, below + 1))


@strict_kernel
def spread_inplace(codes, n, band, warping):
    """Let all be needed that is, given what links that reach far enough need. O(n^2).

    codes: packed u1, from `link_inplace` or `link_diagonals_inplace`. Along links
    first: then few steps are left that have to be followed one by one.
    """
    low = band + 1
    flags = np.empty(n, np.uint8)
    for steps in range(2 if warping else 1):
        start = n
        for i in range(1, n - low):
            m = n - i - low
            own = np.uint64(start + low)
            above = own - np.uint64(n - i + 1)
            # In the second row no link is steep; any cell will do.
            above2 = above - np.uint64(n - i + 1) if i > 1 else above
            if not steps:
                spread_row_inplace(codes, own, above, above2, m)
            elif flag_steps_inplace(codes, own, above, above2, flags, m):
                for t in range(m):
                    if flags[t]:
                        at = start + low + t
                        link = codes[at] & LINK
                        require_inplace(codes, n, *link_target(n, i, at, link))
            start += n - i
