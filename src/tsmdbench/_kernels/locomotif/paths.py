"""Search for warping paths, the one with the largest end first.

A path starts in the largest free cell and goes back along links until the next cell is
used up or larger than its end: such a cell has had its turn. Paths of fewer than
`l_min` rows and columns use up their own cells and those they step over, longer ones
also their *vicinity*: the cells within `band` of them in their rows and columns.

Only listed ends have to be looked at, plus, from a heap, origins of cells that were
used up before a path could lead on to them. For example, let 4 -> 3 -> 2 -> 1 be links
and 4 the end. If the vicinity of another path uses up 3, then 2 becomes an end.

Of equally large ends the latest comes first: that of the highest row, then of the
highest column, in the order of time. That is what a stable sort of all cells by value
gives.

Of a *tile*, 64 rows and columns, there is one bit per cell in `free`, u8[., 64], a word
per row: whether the cell is needed and not used up. All else does not change any more
and lies in `tiles`, u8[., 448]. First come three times 64 words, one per row: whether
there is no link to where the value comes from, then bits 0 and 1 of that (1 straight, 2
steep, 3 flat). Then come values, f4: of two of `EVERY` rows, 64 each. From any cell its
value came from there in fewer steps, which are done again. Values are seldom needed.

Whether a cell is a match is found from the series.

The *key* of an end is u8: how far the bits of its value are below those of the largest
value, n, then its row and its column, of `bits` bits each. Sorted by keys, the largest
value comes first and among equal ones that with the lowest row, the latest in time.

All arrays are passed one by one: references to what a tuple holds are counted at every
call, which would take a quarter of the time.
"""

from heapq import heappop, heappush

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.similarity import row_start, similarity_of
from tsmdbench._kernels.locomotif.strips import (
    ASIDE,
    BYTES,
    LINK,
    next_value,
    origin_of,
)

SIDE = 64  # rows and columns of a tile
EVERY = 16  # rows of which the values of two are kept
KEPT = 2 * SIDE // EVERY  # rows of a tile whose values are kept
WORDS = (3 + KEPT // 2) * SIDE  # of a tile: a word has two values
LINKED = True  # only links count
NONE, ONE, TWO, ALL = (np.uint64(word) for word in (0, 1, 2, 2**64 - 1))
LINKS = np.uint64(LINK) * BYTES


@strict_kernel
def first_bits(word):
    """Lowest bits of eight bytes, next to each other: the product moves them up."""
    return (word & BYTES) * np.uint64(0x0102040810204080) >> np.uint64(56)


@strict_kernel
def pack_inplace(codes, values, free, tiles):
    """Fill a strip of tiles from codes, u1[64, .], and the values kept, f4[KEPT, .].

    Eight codes are looked at as one word.
    """
    words = codes.view(np.uint64)
    for t in range(len(tiles)):
        for i in range(SIDE):
            needed, cut, one, two = NONE, NONE, NONE, NONE
            for part in range(8):
                word, shift = words[i, 8 * t + part], np.uint64(8 * part)
                aside = word >> np.uint64(ASIDE) & LINKS
                to = word | aside
                needed |= first_bits(word >> np.uint64(3)) << shift
                cut |= first_bits(aside | aside >> ONE | aside >> TWO) << shift
                one |= first_bits(to | to >> TWO) << shift  # straight or flat
                two |= first_bits(to >> ONE | to >> TWO) << shift  # steep or flat
            if needed:  # or else no memory is taken
                free[t, i] = needed
            tiles[t, i], tiles[t, SIDE + i], tiles[t, 2 * SIDE + i] = cut, one, two
        own = tiles[t, 3 * SIDE :].view(np.float32)
        for row in range(KEPT):
            own[row * SIDE : (row + 1) * SIDE] = values[row, t * SIDE : (t + 1) * SIDE]


@strict_kernel
def is_free(free, i, j):
    """Whether a cell is needed and not used up."""
    word = free[row_start(i >> 6) + (j >> 6), i & 63]
    return word >> np.uint64(j & 63) & ONE != 0


@strict_kernel
def use_up_inplace(free, i, first, last):
    """Use up the columns `first` to `last` - 1 of a row."""
    while first < last:
        stop = min(last, (first | 63) + 1)
        bits = ALL >> np.uint64(64 - (stop - first)) << np.uint64(first & 63)
        free[row_start(i >> 6) + (first >> 6), i & 63] &= ~bits
        first = stop


@strict_kernel
def free_keys(free, keys, bits):
    """Keys of cells that are free, u8."""
    found = np.empty(len(keys), np.uint64)
    size = 0
    for key in keys:
        i, j = cell_of(key, bits)
        found[size] = key
        size += is_free(free, i, j)
    return found[:size].copy()


@strict_kernel
def cell_of(key, bits):
    """Row and column of the end that has this key."""
    mask = (ONE << bits) - ONE
    return np.int64(key >> bits & mask), np.int64(key & mask)


@strict_kernel
def direction_of(tiles, i, j, linked):
    """Where a value comes from, 0 if from nowhere; or, if `linked`, by a link only."""
    words, bit = tiles[row_start(i >> 6) + (j >> 6)], np.uint64(j & 63)
    i &= 63
    if linked and words[i] >> bit & ONE:
        return np.int64(0)
    return np.int64(
        words[SIDE + i] >> bit & ONE | (words[2 * SIDE + i] >> bit & ONE) << ONE
    )


@strict_kernel
def value_of(tiles, x, gamma, packed, tau, room, i, j):
    """Value of a cell. f4. room: i8[EVERY, 2]."""
    size = 0
    while i % EVERY >= 2:
        room[size, 0], room[size, 1] = i, j
        size += 1
        direction = direction_of(tiles, i, j, not LINKED)
        if not direction:
            break
        i, j = origin_of(i, j, direction)
    value = np.float32(0.0)
    if i % EVERY < 2:
        row = 2 * ((i & 63) // EVERY) + i % EVERY
        values = tiles[row_start(i >> 6) + (j >> 6), 3 * SIDE :].view(np.float32)
        value = values[SIDE * row + (j & 63)]
    for t in range(size - 1, -1, -1):
        similarity = similarity_of(x, gamma, packed, room[t, 0], room[t, 1])
        value = next_value(similarity, value, tau)
    return value


@strict_kernel
def vicinity(n, band, path):
    """Vicinity of a path, which starts with its end, row by row.

    In each row it is one interval: the columns of the path in rows within the band,
    which are neighbours, and those within the band of where the path is in this row. A
    row or column that the path steps over counts as that before it in time, the higher
    one. -> i8[m, 3]: row, first column, column after the last, which may be less.
    """
    first, last = path[0, 0], path[-1, 0]
    low, high = max(0, first - band), min(n - 1, last + band)
    spans = np.empty((high - low + 1, 3), np.int64)
    # Indices into the path: its last cell up to the band above the row, its last cell
    # before the band below it, and its first cell that is in this row or above it.
    top, bottom, here = 0, -1, 0
    for i in range(low, high + 1):
        while top + 1 < len(path) and path[top + 1, 0] <= i + band:
            top += 1
        while path[bottom + 1, 0] < i - band:
            bottom += 1
        right = path[top, 1]
        left = path[bottom, 1] + 1 if bottom >= 0 else path[0, 1]
        if first <= i <= last:
            while path[here, 0] < i:
                here += 1
            left = min(left, path[here, 1] - band)
            right = max(right, path[here, 1] + band)
        spans[i - low, 0] = i
        spans[i - low, 1] = max(left, 0)
        spans[i - low, 2] = min(right + 1, i - band)
    return spans


@strict_kernel
def leads_out(free, tiles, i, j):
    """Whether a cell has a link to a free cell."""
    link = direction_of(tiles, i, j, LINKED)
    return link != 0 and is_free(free, *origin_of(i, j, link))


@strict_kernel
def use_up_spans_inplace(free, tiles, spans, left):
    """Use up a vicinity; list the cells from which links lead out to a free cell.

    Cells of the inner part, whose origins lie in the spans of the next two rows, are
    passed over.
    """
    for i, low, high in spans:
        use_up_inplace(free, i, low, high)
    for t in range(len(spans)):
        i, low, high = spans[t, 0], spans[t, 1], spans[t, 2]
        inner, outer = low, low
        if t + 2 < len(spans):
            inner = max(low, spans[t + 1, 1] - 1, spans[t + 2, 1] - 1)
            outer = min(high, spans[t + 1, 2] - 2, spans[t + 2, 2] - 1)
            if inner >= outer:
                inner, outer = low, low
        for begin, end in ((low, inner), (outer, high)):
            for j in range(begin, end):
                if leads_out(free, tiles, i, j):
                    left.append((i, j))


@strict_kernel
def search(
    free,
    tiles,
    x,
    gamma,
    packed,
    tau,
    band,
    l_min,
    stop,
    bits,
    keys,
    turn,
    new,
    until,
    most,
):
    """Find paths of at least l_min rows or columns, from the largest end on.

    keys: u8, of ends, sorted, looked at from index `turn` on. new: u8, a heap of keys
    of ends that were found on the way and come before the key `until`. Ends after about
    `most` cells, or when there is nothing left. Cells are used up. -> i8[p, 5], of each
    path row and column of its end and of its start, and how many cells it has; the next
    turn; the heap; and the keys of new ends from `until` on.
    """
    n = x.shape[1]
    found = [n for _ in range(0)]
    left = [(n, n)]  # cells whose origins may become ends
    path = np.empty((n, 2), np.int64)
    room = np.empty((EVERY, 2), np.int64)
    pattern = np.empty(1, np.uint32)
    level = pattern.view(np.float32)
    level[0] = n
    largest, low = np.uint64(pattern[0]), bits + bits
    waiting, later = list(new), [ALL for _ in range(0)]
    while most > 0 and (turn < len(keys) or len(waiting)):
        if not len(waiting) or (turn < len(keys) and keys[turn] <= waiting[0]):
            key = keys[turn]
            turn += 1
        else:
            key = heappop(waiting)
        i, j = cell_of(key, bits)
        if not is_free(free, i, j):
            continue
        pattern[0] = np.uint32(largest - (key >> low))
        highest = level[0]
        length = 0
        row, column = i, j
        while True:
            path[length, 0], path[length, 1] = row, column
            length += 1
            link = direction_of(tiles, row, column, LINKED)
            if not link:
                break
            to, across = origin_of(row, column, link)
            if not is_free(free, to, across):
                break
            # A match keeps what its origin has: the origin is not above the end.
            if similarity_of(x, gamma, packed, row, column) < tau and (
                value_of(tiles, x, gamma, packed, tau, room, to, across) > highest
            ):
                break
            row, column = to, across
        most -= SIDE + length
        if length == 1:
            continue  # its path is itself, which concerns no other cell
        taken = path[:length]
        left.clear()
        for row, column in taken:
            use_up_inplace(free, row, column, column + 1)
        for row, column in taken[:-1]:
            # The next cell in a straight line, wherever the step goes.
            if is_free(free, row + 1, column + 1):
                use_up_inplace(free, row + 1, column + 1, column + 2)
                left.append((row + 1, column + 1))
        row, column = taken[-1]
        if max(row - i, column - j) + 1 >= l_min:
            found += [i, j, row, column, length]
            left.clear()
            use_up_spans_inplace(free, tiles, vicinity(n, band, taken), left)
        for i, j in left:
            # What is not a match is not as large as its origin, which is not new then.
            if similarity_of(x, gamma, packed, i, j) < tau:
                continue
            if not leads_out(free, tiles, i, j):
                continue
            i, j = origin_of(i, j, direction_of(tiles, i, j, LINKED))
            value = value_of(tiles, x, gamma, packed, tau, room, i, j)
            if stop < value <= highest:
                level[0] = value
                key = (largest - np.uint64(pattern[0])) << low
                key |= np.uint64(i) << bits | np.uint64(j)
                if key < until:
                    heappush(waiting, key)
                else:
                    later.append(key)
    # No path, and no key, is an array of length 0.
    rows = np.array(found, np.int64).reshape(len(found) // 5, 5)
    return rows, turn, np.array(waiting, np.uint64), np.array(later, np.uint64)


@strict_kernel
def tabulate_inplace(tiles, x, gamma, packed, found, first, step, spans, columns, sums):
    """Fill the tables of every `step`-th path and its mirror image; see `candidates`.

    found: from `search`; spans: i8[2, p, 4], of the paths and of the mirror images.
    Each path is gone along once more, from its end back to its start.
    """
    last = x.shape[1] - 1
    for p in range(first, len(found), step):
        i, j, length = found[p, 0], found[p, 1], found[p, 4]
        start = spans[0, p, 3]
        for t in range(length - 1, -1, -1):
            sums[start + 1 + t] = similarity_of(x, gamma, packed, i, j)
            to, across = i + 1, j + 1
            if t:
                to, across = origin_of(i, j, direction_of(tiles, i, j, LINKED))
            # In the order of time; columns that the path steps over are of this cell.
            cell, steps = (last - i, last - j), (to - i, across - j)
            for mirror in range(2):
                row, column = cell[mirror], cell[1 - mirror]
                at = spans[mirror, p, 2] + column - spans[mirror, p, 0]
                columns[at - steps[1 - mirror] + 1 : at + 1, 0] = t
                columns[at - steps[1 - mirror] + 1 : at + 1, 1] = row
            i, j = to, across
        total = np.float32(0.0)
        sums[start] = total
        for t in range(start + 1, start + 1 + length):
            total += sums[t]
            sums[t] = total
