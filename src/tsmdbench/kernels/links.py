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
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

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
FAR = 32000  # rows or columns beyond which they are not counted


@strict_kernel
def choose_inplace(straight, steep, flat, links, largest):
    """Set links[t], i2, to the largest of three cells and `largest` to it. f4[m].

    Of equal ones the straight one, then the steep one; 0 if none is positive.
    """
    for t in range(len(links)):
        best = max(max(straight[t], steep[t]), flat[t])
        link = np.int16(STEEP) if steep[t] == best else np.int16(FLAT)
        link = np.int16(STRAIGHT) if straight[t] == best else link
        links[t] = link if best > 0 else np.int16(0)
        largest[t] = best


@strict_kernel
def reach_inplace(own, links, links2, tops, tops2, out):
    """Set out[t] to the largest cell from which links lead to cell t, or itself.

    own, out: f4[m]; links and tops: i2 and f4[m + 2] of the row below, from t = -1 on,
    links2 and tops2 of the row below that.
    """
    zero = np.float32(0.0)
    for t in range(len(out)):
        best = own[t]
        best = max(best, tops[t + 1] if links[t + 1] & STRAIGHT else zero)
        best = max(best, tops2[t] if links2[t] & STEEP else zero)
        best = max(best, tops[t + 2] if links[t + 2] & FLAT else zero)
        out[t] = best


@strict_kernel
def cut_inplace(own, largest, tops, stop, links):
    """Cut links to cells larger than all that is reached through the link.

    Add RISES and, above `stop`, CLOSES to the others. links: i2[m], all else f4.
    """
    none = np.int16(0)
    for t in range(len(links)):
        link = links[t]
        link |= np.int16(RISES) if own[t] > largest[t] else none
        link |= np.int16(CLOSES) if (own[t] >= largest[t]) & (own[t] > stop) else none
        links[t] = link if (tops[t] >= largest[t]) & (links[t] > 0) else none


@strict_kernel
def extend_inplace(links, links2, far, far2, steps, out):
    """Set out[t] to how many rows, or columns, further on links reach. i2.

    Arguments as in `reach_inplace`; steps: what a steep and a flat link advance by.
    """
    steep, flat = np.int16(steps[0]), np.int16(steps[1])
    one, zero, most = np.int16(1), np.int16(0), np.int16(FAR)
    for t in range(len(out)):
        best = np.int16(far[t + 1] + one) if links[t + 1] & STRAIGHT else zero
        best = max(best, np.int16(far2[t] + steep) if links2[t] & STEEP else zero)
        best = max(best, np.int16(far[t + 2] + flat) if links[t + 2] & FLAT else zero)
        out[t] = min(best, most)


@strict_kernel
def encode_inplace(links, below, below2, rows, columns, least, codes):
    """Set codes, u1, from links, those that lead here, and how far they reach. i2[m].

    below and below2 as in `reach_inplace`. A cell ends a path if it closes one and no
    cell leads to it that does too.
    """
    for t in range(len(codes)):
        straight, flat, steep = below[t + 1], below[t + 2], below2[t]
        # The bit of each link, shifted to that of CLOSES.
        passed = (straight << 5 & straight) | (steep << 4 & steep) | (flat << 3 & flat)
        end = links[t] & ~passed & END
        needed = np.int16(NEEDED if max(rows[t], columns[t]) >= least else 0)
        codes[t] = np.uint8(links[t] & (LINK | RISES) | end | needed)


@strict_kernel
def link_inplace(cells, n, band, l_min, stop, codes):
    """Set the codes of all cells, with warping, before they spread.

    cells: packed f4, codes: packed u1. From the last row to the first. O(n^2).
    """
    links = np.zeros((3, n + 3), np.int16)
    tops = np.zeros((3, n + 3), np.float32)
    rows = np.zeros((3, n + 3), np.int16)
    columns = np.zeros((3, n + 3), np.int16)
    largest = np.empty(n, np.float32)
    none = np.zeros(n + 2, np.float32)
    least = np.int16(min(l_min - 1, FAR))
    low = band + 1
    start = len(cells)
    for i in range(n - 1, -1, -1):
        m = n - i
        start -= m
        codes[start : start + min(low, m)] = 0
        if m <= low:
            continue
        above = cells[start - m - 1 : start] if i > 0 else none
        above2 = cells[start - 2 * m - 3 : start - m - 1] if i > 1 else none
        straight, steep = above[low:m], above2[low + 1 : m + 1]
        # Of three rows in turn; cell k stands at k + 1, and ends hold zeros.
        a, b, c = i % 3, (i + 1) % 3, (i + 2) % 3
        here, near = slice(low + 1, m + 1), slice(low, m + 2)
        link, top, best = links[a, here], tops[a, here], largest[: m - low]
        own, code = cells[start + low : start + m], codes[start + low : start + m]
        below, below2 = links[b, near], links[c, near]
        choose_inplace(straight, steep, above[band : m - 1], link, best)
        if link[0] == FLAT:
            link[0] = 0  # to the band
        reach_inplace(own, below, below2, tops[b, near], tops[c, near], top)
        cut_inplace(own, best, top, stop, link)
        for far, steps in ((rows, (2, 1)), (columns, (1, 2))):
            extend_inplace(
                below, below2, far[b, near], far[c, near], steps, far[a, here]
            )
        encode_inplace(
            link, below, below2, rows[a, here], columns[a, here], least, code
        )


@strict_kernel
def link_diagonals_inplace(cells, n, band, l_min, stop, codes):
    """Set the codes of all cells, without warping; as `link_inplace`."""
    top = np.zeros(n, np.float32)  # of what links lead to the row from
    far = np.zeros(n, np.int32)
    none = np.zeros(n + 1, np.float32)
    low = band + 1
    start = len(cells)
    for i in range(n - 1, -1, -1):
        m = n - i
        start -= m
        codes[start : start + min(low, m)] = 0
        if m <= low:
            continue
        own, code = cells[start + low : start + m], codes[start + low : start + m]
        above = cells[start - m - 1 + low : start - 1] if i else none
        link_row_inplace(own, above, np.int32(l_min), stop, top, far, code)


@strict_kernel
def link_row_inplace(own, above, l_min, stop, top, far, codes):
    """Set the codes of a row, without warping; update `top` and `far`. All [m].

    far: twice the rows that links reach further on, plus 1 if the first of them closes
    a path.
    """
    zero = np.float32(0.0)
    one, none = np.int32(1), np.int32(0)
    for t in range(len(own)):
        best = max(own[t], top[t])
        reach = (far[t] >> 1) + one
        linked = (above[t] > 0) & (best >= above[t])
        closes = one if linked & (own[t] >= above[t]) & (own[t] > stop) else none
        end = closes & ~far[t]
        top[t] = best if linked else zero
        far[t] = reach << 1 | closes if linked else none
        code = np.int32(STRAIGHT) if linked else none
        code |= np.int32(RISES) if linked & (own[t] > above[t]) else none
        code |= np.int32(NEEDED) if reach >= l_min else none
        codes[t] = np.uint8(code | (np.int32(END) if end else none))


@strict_kernel
def spread_row_inplace(codes, above, left, above2):
    """Let cells be needed that link to needed cells. u1[m]."""
    for t in range(len(codes)):
        # The bit of each link, shifted to that of NEEDED: no branch, many at a time.
        own = codes[t]
        to = (own << 3 & above[t]) | (own << 2 & above2[t]) | (own << 1 & left[t])
        codes[t] = own | (to & NEEDED)


@strict_kernel
def flag_steps_inplace(codes, above, left, above2, flags):
    """Flag cells whose link steps over a needed cell to one that is not. u1[m]."""
    total = np.uint8(0)
    for t in range(len(codes)):
        own = codes[t]
        other = (own << 2 & ~above2[t]) | (own << 1 & ~left[t])
        flag = np.uint8(other & above[t] & NEEDED)
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
            m = n - i
            own = codes[start + low : start + m]
            above = codes[start - m - 1 : start]
            above2 = codes[start - 2 * m - 3 : start - m - 1] if i > 1 else above
            straight, flat = above[low:m], above[band : m - 1]
            steep = above2[low + 1 : m + 1] if i > 1 else straight
            if not steps:
                spread_row_inplace(own, straight, flat, steep)
            elif flag_steps_inplace(own, straight, flat, steep, flags):
                for t in range(len(own)):
                    if flags[t]:
                        at = start + low + t
                        require_inplace(codes, n, *link_target(n, i, at, own[t] & LINK))
            start += m
