"""Which cell a path goes back to from each cell, and in which cells a path may end.

A path goes back from a cell to the largest of three *origins* in higher rows (see
`cumulative`), and it starts from an end that is at least as large as all its cells. So
it goes from cell c to origin o only if o is no larger than some cell from which c is
reached. Where that fails there is no *link*. Links form trees, and no path leaves its
tree.

For example, let a path gather 5, 6, 7, lose all but 2 in a gap, and gather 3 and 4
after it. The cell with 2 has no link to the one with 7, since nothing behind it reaches
7: the path that ends with 4 has three cells. If it went on to 8, the link would be
there.

The *code* of a cell, u1, has the bits

* `STRAIGHT`, `STEEP` or `FLAT`: the link; none of them if there is no link,
* `KEEPS`: the cell is not smaller than its origin,
* `END`: a path may end here: the cell keeps what its origin has, and no cell with a
  link to it does the same,
* `NEEDED`: the cell can matter to a path of l_min rows or columns (see `needed`),
* `USED`: a path or its vicinity has used the cell up (see `paths`).

Where there is no link, the bits of `CUT` tell which origin the value comes from, if
any. Cells of the *band*, up to `band` columns from the main diagonal, never have a
link.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.triangle import row_start

STRAIGHT = 1  # to the cell one row and one column up
STEEP = 2  # two rows and one column up
FLAT = 4  # one row and two columns up
LINK = 7  # bits of the link
NEEDED = 8
KEEPS = 16
END = 32
USED = 64
CUT = 128 | KEEPS  # without a link: 128 straight, 128 + 16 steep, 16 flat
ASIDE = 8  # bits by which a link that is cut is shifted, until it is encoded
ALL_CUT = LINK << ASIDE
FAR = 32000  # rows or columns that are counted at most
PAD = 2  # cells of value 0 before the first column of a row of the state
NONE, ONE = np.uint64(0), np.uint64(1)


@strict_kernel
def choose_inplace(
    cells, origins, steep_origins, flat_origins, places, links, tops, m, stop
):
    """Set links of a row, and `tops` to the largest cell that leads to each, or itself.

    places, u8: where the row begins among `cells`, f4, and its straight, steep and flat
    origins among theirs; then where this row and those that link to it, straight or
    flat from the row below and steeply from the one below that, begin in `links` and
    `tops`. A link leads to the largest of three cells, of equal ones to the straight,
    then the steep one.
    """
    own, above, above2, across, here, below, below2 = places
    zero, none = np.float32(0.0), np.int16(0)
    for t in range(np.uint64(m)):
        straight, steep = origins[above + t], steep_origins[above2 + t]
        best = max(max(straight, steep), flat_origins[across + t])
        link = np.int16(STEEP) if steep == best else np.int16(FLAT)
        link = np.int16(STRAIGHT) if straight == best else link
        value = cells[own + t]
        link |= np.int16(KEEPS) if value >= best else none
        link |= np.int16(END) if (value >= best) & (value > stop) else none
        by_straight, by_steep, by_flat = below + t, below2 + t, below + t - ONE
        top = max(value, tops[by_straight] if links[by_straight] & STRAIGHT else zero)
        top = max(top, tops[by_steep] if links[by_steep] & STEEP else zero)
        top = max(top, tops[by_flat] if links[by_flat] & FLAT else zero)
        cut = np.int16((link & LINK) << ASIDE) if best > 0 else none
        links[here + t] = link if (top >= best) & (best > 0) else cut
        tops[here + t] = top


@strict_kernel
def encode_inplace(links, down, along, places, m, least, codes, own):
    """Set the codes of a row from its links and from those that lead here.

    down, along, i2: how many rows and columns further links reach, at most `least`.
    places: the last three of `choose_inplace`.
    """
    here, below, below2 = places
    one, two, none = np.int16(1), np.int16(2), np.int16(0)
    for t in range(np.uint64(m)):
        by_straight, by_steep, by_flat = below + t, below2 + t, below + t - ONE
        straight, steep, flat = links[by_straight], links[by_steep], links[by_flat]
        far = np.int16(down[by_straight] + one) if straight & STRAIGHT else none
        far = max(far, np.int16(down[by_steep] + two) if steep & STEEP else none)
        far = max(far, np.int16(down[by_flat] + one) if flat & FLAT else none)
        wide = np.int16(along[by_straight] + one) if straight & STRAIGHT else none
        wide = max(wide, np.int16(along[by_steep] + one) if steep & STEEP else none)
        wide = max(wide, np.int16(along[by_flat] + two) if flat & FLAT else none)
        down[here + t], along[here + t] = min(far, least), min(wide, least)
        # The bit of each link, shifted to that of END: whether a cell with END leads
        # here.
        passed = (straight << 5 & straight) | (steep << 4 & steep) | (flat << 3 & flat)
        link = links[here + t]
        code = link & (LINK | KEEPS) | (link & ~passed & END)
        code |= np.int16(NEEDED) if max(far, wide) >= least else none
        # What is cut, shifted to the bits of CUT; steep links set both.
        code |= (link >> 1 | link >> 2) & np.int16(128)
        code |= (link >> 5 | link >> 6) & np.int16(KEEPS)
        codes[own + t] = np.uint8(code)


@strict_kernel
def link_strip_inplace(
    strip, a, rows, first, last, warping, band, l_min, stop, before, after, codes, base
):
    """Set the codes of the columns `first` to `last` of a strip, before they spread.

    strip: rows a to a + rows - 1, from `cumulative`; codes: u1, packed, from position
    `base` of the triangle on. before, after: f4[4, 2, .], links, tops and how far they
    reach, of the two rows below, and of the last two; each part sets its own columns.
    Row a + r is linked from column first - 2 (rows - 1 - r) on, since higher rows need
    that much: so parts can be linked at the same time. O(rows (last - first + rows)).
    """
    width = before.shape[2]
    links = np.zeros(3 * width, np.int16)
    tops = np.zeros(3 * width, np.float32)
    down = np.zeros(3 * width, np.int16)
    along = np.zeros(3 * width, np.int16)
    for back in range(1, min(a, 2) + 1):
        start = (a - back) % 3 * width
        links[start : start + width] = before[0, back - 1]
        tops[start : start + width] = before[1, back - 1]
        down[start : start + width] = before[2, back - 1]
        along[start : start + width] = before[3, back - 1]
    none = np.zeros(a + rows + 1, np.float32)
    least = np.int16(min(l_min - 1, FAR))
    for r in range(rows):
        i = a + r
        low = max(0, first - 2 * (rows - 1 - r))
        m = min(last, i + 1) - low
        if m <= 0:
            continue
        start = row_start(i) - row_start(a)
        own = np.uint64(start + low)
        above = np.uint64(start + i + 2 + low)
        above2, across = np.uint64(start + 2 * i + 4 + low), above + ONE
        here = np.uint64(i % 3 * width + low + PAD)
        below = np.uint64((i + 2) % 3 * width + low + PAD - 1)
        below2 = np.uint64((i + 1) % 3 * width + low + PAD - 1)
        if warping:
            places = own, above, above2, across, here, below, below2
            choose_inplace(strip, strip, strip, strip, places, links, tops, m, stop)
        else:
            places = own, above, NONE, NONE, here, below, below2
            choose_inplace(strip, strip, none, none, places, links, tops, m, stop)
        if low <= i < low + m:
            # On the main diagonal there is no flat origin.
            straight, steep = strip[start + 2 * i + 2], strip[start + 3 * i + 4]
            steeper = warping and steep > straight
            at = i % 3 * width + i + PAD
            links[at] = STEEP if steeper else STRAIGHT if straight > 0 else 0
        # Cells of the band have no link, nor has the next one to it.
        for j in range(max(low, i - band), low + m):
            at = i % 3 * width + j + PAD
            links[at], tops[at] = (links[at] & LINK) << ASIDE | links[at] & ALL_CUT, 0
        at = i % 3 * width + i - band - 1 + PAD
        if low <= i - band - 1 < low + m and links[at] & FLAT:
            links[at] = FLAT << ASIDE
        places = here, below, below2
        own = np.uint64(row_start(i) - base + low)
        encode_inplace(links, down, along, places, m, least, codes, own)
    for back in range(1, min(a + rows, 2) + 1):
        start = (a + rows - back) % 3 * width
        part = slice(first + PAD, last + PAD)
        own_part = slice(start + first + PAD, start + last + PAD)
        after[0, back - 1, part] = links[own_part]
        after[1, back - 1, part] = tops[own_part]
        after[2, back - 1, part] = down[own_part]
        after[3, back - 1, part] = along[own_part]


@strict_kernel
def direction_of(code):
    """Link that the value of a cell came by, whether it is cut or not; 0 if none."""
    if code & LINK:
        return code & LINK
    if not code & CUT:
        return 0
    if code & CUT == CUT:
        return STEEP
    return FLAT if code & KEEPS else STRAIGHT


@strict_kernel
def origin_of(i, j, link):
    """Row and column that a link leads to from cell (i, j)."""
    if link == STRAIGHT:
        return i + 1, j + 1
    if link == STEEP:
        return i + 2, j + 1
    return i + 1, j + 2
