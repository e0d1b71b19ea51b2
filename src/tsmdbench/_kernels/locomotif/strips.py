"""Path values and directions in the cells of a strip of rows.

A path comes to cell (i, j) from one of three *origins*: (i + 1, j + 1), straight, (i +
2, j + 1), steep, or (i + 1, j + 2), flat; without warping from the first only. All lie
in higher rows, so a whole row is computed at once, the highest first. A strip is f4:
some rows and the two above them, all of the same width. It can be recomputed from those
two alone, so only these are kept of each strip: the *checkpoints*.

A path goes back from its end, which is at least as large as all its cells, to the
largest of the origins. So it goes from cell c to origin o only if o is no larger than
some cell from which c is reached. Where that fails there is no *link*. Links form
trees, and no path leaves its tree. For example, let a path gather 5, 6, 7, lose all but
2 in a gap, and gather 3 and 4 after it. The cell with 2 has no link to the one with 7,
since nothing behind it reaches 7: the path that ends with 4 has three cells. If it went
on to 8, the link would be there.

The *code* of a cell, u1, has the bits

* `STRAIGHT`, `STEEP` or `FLAT`: the link,
* these, shifted by `ASIDE`: where the value comes from, if there is no link,
* `END`: a path may end here: the cell is a match, and no match has a link to it,
* `NEEDED`: the cell can matter to a path of l_min rows or columns (see below).

Cells of the *band*, up to `band` columns from the main diagonal, never have a link.

Which paths result depends on which cells are used up first. A cell is *needed*, since
its fate can matter to a path of l_min rows or columns, if

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
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.similarity import (
    BLOCK,
    row_start,
    similarity_row_inplace,
)

STRAIGHT = 1
STEEP = 2
FLAT = 4
LINK = 7  # bits of the link
NEEDED = 8
END = 16
BYTES = np.uint64(0x0101010101010101)  # a bit of each of eight cells
ENDS = np.uint64(END) * BYTES
ASIDE = 5
CUT = LINK << ASIDE
FAR = 32000  # rows or columns that are counted at most
PAD = 2  # cells of value 0 before the first column of a row of the state
ONE = np.uint64(1)


@strict_kernel
def next_value(similarity, best, tau):
    """Return what a path has gathered in a cell, given the best of its origins.

    A match adds its similarity; a gap halves and takes off twice the threshold. All f4.
    """
    gain = similarity + best
    loss = max(np.float32(0.0), np.float32(0.5) * best - np.float32(2.0) * tau)
    return loss if similarity < tau else gain


@strict_kernel
def cumulate_strip_inplace(x, gamma, packed, tau, warping, strip, a, rows, first, last):
    """Fill the columns `first` to `last` of the rows a to a + rows - 1 of a strip.

    The two rows above are there already. `packed` has all similarities, f4, or is
    empty. Row a + r is filled up to column last + 2 r, since lower rows need that much
    more: so parts of a strip can be filled at the same time.
    O(rows (last - first + rows)).
    """
    room = np.empty((2, BLOCK), np.float64)
    computed = np.empty(a + rows, np.float32)
    for r in range(rows - 1, -1, -1):
        i = a + r
        strip[r, i + 1] = 0  # beyond the main diagonal
        m = min(i + 1, last + 2 * r) - first
        if m <= 0:
            continue
        if len(packed):
            similarities = packed[row_start(i) + first : row_start(i) + first + m]
        else:
            similarities = computed[:m]
            similarity_row_inplace(x, i, first, gamma, room, similarities)
        # Without warping all three are the same cell.
        straight = strip[r + 1, first + 1 : first + 1 + m]
        steep = strip[r + 1 + warping, first + 1 : first + 1 + m]
        flat = strip[r + 1, first + 1 + warping : first + 1 + warping + m]
        out = strip[r, first : first + m]
        for t in range(m):
            best = max(max(straight[t], steep[t]), flat[t])
            out[t] = next_value(similarities[t], best, tau)


@strict_kernel
def choose_inplace(cells, places, links, tops, m, stop):
    """Set links of a row, and `tops` to the largest cell that leads to each, or itself.

    places, u8: where the row and its straight, steep and flat origins begin among
    `cells`, f4; then where this row and those that link to it, straight or flat from
    the row below and steeply from the one below that, begin in `links` and `tops`. A
    link leads to the largest of three cells, of equal ones to the straight, then the
    steep one.
    """
    own, above, above2, across, here, below, below2 = places
    zero, none = np.float32(0.0), np.int16(0)
    for t in range(np.uint64(m)):
        straight, steep = cells[above + t], cells[above2 + t]
        best = max(max(straight, steep), cells[across + t])
        link = np.int16(STEEP) if steep == best else np.int16(FLAT)
        link = np.int16(STRAIGHT) if straight == best else link
        cut = np.int16(link << ASIDE) if best > 0 else none
        value = cells[own + t]
        link |= np.int16(END) if (value >= best) & (value > stop) else none
        by_straight, by_steep, by_flat = below + t, below2 + t, below + t - ONE
        top = max(value, tops[by_straight] if links[by_straight] & STRAIGHT else zero)
        top = max(top, tops[by_steep] if links[by_steep] & STEEP else zero)
        top = max(top, tops[by_flat] if links[by_flat] & FLAT else zero)
        links[here + t] = link if (top >= best) & (best > 0) else cut
        tops[here + t] = top


@strict_kernel
def encode_inplace(links, reach, places, m, least, codes, own):
    """Set the codes of a row from its links and from those that lead here.

    reach, i2: how many rows or columns further links reach at most, up to `least`.
    places: the last three of `choose_inplace`.
    """
    here, below, below2 = places
    one, two, none = np.int16(1), np.int16(2), np.int16(0)
    for t in range(np.uint64(m)):
        by_straight, by_steep, by_flat = below + t, below2 + t, below + t - ONE
        straight, steep, flat = links[by_straight], links[by_steep], links[by_flat]
        far = np.int16(reach[by_straight] + one) if straight & STRAIGHT else none
        far = max(far, np.int16(reach[by_steep] + two) if steep & STEEP else none)
        far = max(far, np.int16(reach[by_flat] + two) if flat & FLAT else none)
        reach[here + t] = min(far, least)
        # The bit of each link, shifted to that of END: whether a cell with END leads
        # here.
        passed = (straight << 4 & straight) | (steep << 3 & steep) | (flat << 2 & flat)
        code = links[here + t] & ~(passed & END)
        code |= np.int16(NEEDED) if far >= least else none
        codes[own + t] = np.uint8(code)


@strict_kernel
def link_strip_inplace(
    warping, band, l_min, stop, before, after, codes, strip, a, first, last
):
    """Set the codes of the columns `first` to `last` of a strip, before they spread.

    codes: u1[rows, width]; strip: from `cumulate_strip_inplace`. before, after: f4[3,
    3, .], links, tops and how far they reach, of the last three rows, in the order of
    the row modulo three; each part sets its own columns. Row a + r is linked from
    column first - 2 (rows - 1 - r) on, since higher rows need that much: so parts can
    be linked at the same time. O(rows (last - first + rows)).
    """
    rows, width = len(codes), before.shape[2]
    links = before[0].ravel().astype(np.int16)
    tops = before[1].ravel().copy()
    reach = before[2].ravel().astype(np.int16)
    cells, codes_of = strip.ravel(), codes.ravel()
    least = np.int16(min(l_min - 1, FAR))
    for r in range(rows):
        i = a + r
        low = max(0, first - 2 * (rows - 1 - r))
        m = min(last, i + 1) - low
        if m <= 0:
            continue
        own, above = strip.shape[1] * r + low, strip.shape[1] * (r + 1) + low + 1
        above2 = above + strip.shape[1] * warping
        here = i % 3 * width + low + PAD
        below = (i + 2) % 3 * width + low + PAD - 1
        below2 = (i + 1) % 3 * width + low + PAD - 1
        places = np.uint64(here), np.uint64(below), np.uint64(below2)
        origins = np.uint64(above), np.uint64(above2), np.uint64(above + warping)
        choose_inplace(cells, (np.uint64(own), *origins, *places), links, tops, m, stop)
        # Cells of the band have no link, nor has the next one to it.
        for j in range(max(low, i - band - 1), low + m):
            at = i % 3 * width + j + PAD
            if j >= i - band or links[at] & FLAT:
                links[at] = (links[at] & LINK) << ASIDE | links[at] & CUT
            if j >= i - band:
                tops[at] = 0
        encode_inplace(links, reach, places, m, least, codes_of, np.uint64(own))
    part = slice(first + PAD, last + PAD)
    after[0, :, part] = links.reshape(3, width)[:, part]
    after[1, :, part] = tops.reshape(3, width)[:, part]
    after[2, :, part] = reach.reshape(3, width)[:, part]


@strict_kernel
def list_ends(codes, strip, a, largest, bits):
    """Keys of the ends in a strip that begins with row a, u8; see `paths`."""
    patterns, words = strip.view(np.uint32), codes.view(np.uint64)
    size = 0
    for r in range(len(codes)):
        for word in words[r]:
            size += np.int64((word & ENDS) * BYTES >> np.uint64(60))  # of eight cells
    keys = np.empty(size, np.uint64)
    size = 0
    for r in range(len(codes)):
        row = np.uint64(a + r) << bits
        for w in range(words.shape[1]):
            if words[r, w] & ENDS:
                for j in range(8 * w, 8 * w + 8):
                    if codes[r, j] & END:
                        depth = largest - np.uint64(patterns[r, j])
                        keys[size] = depth << bits + bits | row | np.uint64(j)
                        size += 1
    return keys


@strict_kernel
def origin_of(i, j, link):
    """Row and column that a link leads to from cell (i, j)."""
    if link == STRAIGHT:
        return i + 1, j + 1
    if link == STEEP:
        return i + 2, j + 1
    return i + 1, j + 2


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
def flag_row_inplace(codes, own, above, above2, flags, m):
    """Flag cells whose origin must be needed, and is not. u1; 0 if there are none."""
    total = np.uint8(0)
    for t in range(np.uint64(m)):
        code, over = codes[own + t], codes[above + t]
        # Bits as before. A straight link steps over no cell but the one it leads to.
        other = code << 3 & ~over | code << 2 & ~codes[above2 + t]
        other |= code << 1 & ~codes[above + t + ONE]
        flags[t] = np.uint8(other & (code | over) & NEEDED)
        total |= flags[t]
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
        # Cells that link here, and where one leads that steps over this cell.
        for back, left, direct in ((1, 1, STRAIGHT), (2, 1, STEEP), (1, 2, FLAT)):
            if r >= back and j >= left:
                link = codes[r - back, j - left] & LINK
                if link == direct:
                    waiting.append((r - back, j - left))
                elif link and direct == STRAIGHT:
                    waiting.append(origin_of(r - 1, j - 1, link))


@strict_kernel
def spread_inplace(codes, low, complete, band):
    """Let all be needed that is. codes: of the rows from `low` on. O(cells).

    Unless the rows are `complete`, with the highest row of all, it may depend on rows
    above them. All that does so depends on the last two rows, which are needed then,
    whether they are or not. Along links first: then few steps are left that have to be
    followed one by one.
    """
    height, width = codes.shape
    flat = codes.ravel()
    flags = np.empty(width, np.uint8)
    top = height - 2 if complete else height - 3
    for turn in range(2):
        for r in range(height - 1, -1, -1):
            m = low + r - band
            if m <= 0:
                break
            if r > top:
                codes[r, :m] |= np.uint8(0 if complete else NEEDED)
                continue
            own = np.uint64(r * width)
            above = np.uint64((r + 1) * width + 1)
            # From the last row but one no link is steep; any cell will do.
            above2 = np.uint64((r + 2) * width + 1) if r + 2 < height else above
            if not turn:
                spread_row_inplace(flat, own, above, above2, m)
            elif flag_row_inplace(flat, own, above, above2, flags, m):
                for j in np.flatnonzero(flags[:m]):
                    require_inplace(codes, *origin_of(r, j, codes[r, j] & LINK))
