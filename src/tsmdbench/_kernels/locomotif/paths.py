"""Search for warping paths, the one with the largest end first.

A path starts in the largest free cell and goes back along links until the next cell is
used up or larger than its end: such a cell has had its turn. Paths of fewer than
`l_min` rows and columns use up their own cells and those they step over, longer ones
also their *vicinity*: the cells within `band` of them in their rows and columns.

Only listed ends have to be looked at, plus, from a heap, origins of cells that were
used up before a path could lead on to them. For example, let 4 -> 3 -> 2 -> 1 be links
and 4 the end. If the vicinity of another path uses up 3, then 2 becomes an end. Its
value is not kept; see `listing.value_of`.

Of equally large ends the latest comes first: that of the highest row, then of the
highest column, in the order of time. That is what a stable sort of all cells by value
gives.

All arrays are passed one by one: references to what a tuple holds are counted at every
call, which would take a quarter of the time.
"""

from heapq import heappop, heappush

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.cells import place_of, position_of, run_length
from tsmdbench._kernels.locomotif.links import (
    END,
    KEEPS,
    LINK,
    NEEDED,
    USED,
    origin_of,
)
from tsmdbench._kernels.locomotif.listing import EVERY, LOWER, UPPER, value_of
from tsmdbench._kernels.locomotif.triangle import column_of, row_of

FREE = NEEDED | USED  # of these bits, a free cell has the first only


@strict_kernel
def trace_inplace(
    codes, table, begins, values, x, gamma, packed, tau, room, i, j, level, path
):
    """Write the path that ends in cell (i, j), its end first; return its length.

    path: i8[n, 2]; level: the value of the end, f4.
    """
    code = codes[place_of(table, begins, i, j)]
    length = 0
    while True:
        path[length, 0], path[length, 1] = i, j
        length += 1
        if not code & LINK:
            return length
        i, j = origin_of(i, j, code & LINK)
        keeps = code & KEEPS
        code = codes[place_of(table, begins, i, j)]
        if code & FREE != NEEDED:
            return length
        # Where a cell keeps what its origin has, the origin is not above the level.
        if not keeps:
            value = value_of(
                codes, table, begins, values, x, gamma, packed, tau, room, i, j
            )
            if value > level:
                return length


@strict_kernel
def use_up_path_inplace(codes, table, begins, path):
    """Use up the cells of a path, i8[m, 2], and those that it steps over.

    -> i8[., 2], the cells that it stepped over and that were free.
    """
    stepped = np.empty((len(path), 2), np.int64)
    size = 0
    for t in range(len(path)):
        codes[place_of(table, begins, path[t, 0], path[t, 1])] |= USED
    for t in range(len(path) - 1):
        # The next cell in a straight line, wherever the step goes.
        i, j = path[t, 0] + 1, path[t, 1] + 1
        if path[t + 1, 0] != i or path[t + 1, 1] != j:
            place = place_of(table, begins, i, j)
            if not codes[place] & USED:
                codes[place] |= USED
                stepped[size, 0], stepped[size, 1] = i, j
                size += 1
    return stepped[:size]


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
def use_up_spans_inplace(codes, table, begins, spans):
    """Use up all cells of a vicinity."""
    for t in range(len(spans)):
        i, j, stop = spans[t, 0], spans[t, 1], spans[t, 2]
        while j < stop:
            m = run_length(table, j, stop)
            place = np.uint64(place_of(table, begins, i, j))
            for at in range(place, place + np.uint64(m)):
                codes[at] |= USED
            j += m


@strict_kernel
def leads_out(codes, table, begins, i, j):
    """Whether a used cell keeps what a free origin, not listed as an end, has."""
    code = codes[place_of(table, begins, i, j)]
    if not code & NEEDED or not code & LINK or not code & KEEPS:
        return False
    i, j = origin_of(i, j, code & LINK)
    return codes[place_of(table, begins, i, j)] & (FREE | END) == NEEDED


@strict_kernel
def leading_out_of_spans(codes, table, begins, spans):
    """Cells of a vicinity from which links lead out of it to a free cell. -> i8[., 2].

    Cells of the inner part, whose origins lie in the spans of the next two rows, are
    passed over.
    """
    found = np.empty((64, 2), np.int64)
    size = 0
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
                if leads_out(codes, table, begins, i, j):
                    if size == len(found):
                        larger = np.empty((2 * size, 2), np.int64)
                        larger[:size] = found
                        found = larger
                    found[size, 0], found[size, 1] = i, j
                    size += 1
    return found[:size]


@strict_kernel
def is_long(path, l_min):
    """Whether a path, its end first, has at least l_min rows or columns."""
    return max(path[-1, 0] - path[0, 0], path[-1, 1] - path[0, 1]) + 1 >= l_min


@strict_kernel
def append(flat, sizes, path, n):
    """Add a path, in the order of time, to the flat list of paths, which is returned.

    sizes: i8[2], cells and paths so far. Rows of the list: number, sample, sample.
    """
    size = sizes[0]
    if size + len(path) > len(flat):
        larger = np.empty((2 * (size + len(path)), 3), np.int32)
        larger[:size] = flat[:size]
        flat = larger
    for t in range(len(path)):
        back = len(path) - 1 - t
        flat[size + t, 0] = sizes[1]
        flat[size + t, 1] = n - 1 - path[back, 0]
        flat[size + t, 2] = n - 1 - path[back, 1]
    sizes[0] += len(path)
    sizes[1] += 1
    return flat


@strict_kernel
def free_keys_inplace(codes, ends, groups, group, keys):
    """Set `keys` to the sorted keys of a group whose cells are free; return how many.

    ends: u8[m], strip after strip; groups: i8[strips, .], where the groups of each
    begin.
    """
    size = 0
    for s in range(len(groups)):
        for t in range(groups[s, group], groups[s, group + 1]):
            keys[size] = ends[t]
            size += codes[np.int64(ends[t] & LOWER)] & USED == 0
    keys[:size].sort()
    return size


@strict_kernel
def search(
    codes,
    table,
    begins,
    firsts,
    ends,
    groups,
    values,
    x,
    gamma,
    packed,
    tau,
    band,
    l_min,
    stop,
):
    """Find all paths of at least l_min rows or columns.

    codes and where they are: see `cells`; they are used up. ends, groups: see
    `free_keys_inplace`; values: see `value_of`. stop: what the end of a long
    path exceeds. -> i4[m, 3], rows of path number, row and column in the order of time,
    path by path.
    """
    n = x.shape[1]
    flat = np.empty((1 << 10, 3), np.int32)
    sizes = np.zeros(2, np.int64)
    path = np.empty((n, 2), np.int64)
    room = np.empty((EVERY + 1, 2), np.int64)
    bits = np.empty(1, np.uint32)
    level = bits.view(np.float32)
    heap = [np.uint64(0xFFFFFFFFFFFFFFFF)]  # never removed
    largest = 0
    for group in range(groups.shape[1] - 1):
        largest = max(largest, np.sum(groups[:, group + 1] - groups[:, group]))
    keys = np.empty(largest + 1, np.uint64)
    turn, size, group = 0, 0, 0
    while True:
        while turn == size and group < groups.shape[1] - 1:
            size = free_keys_inplace(codes, ends, groups, group, keys)
            turn, group = 0, group + 1
        if turn < size and keys[turn] <= heap[0]:
            key = keys[turn]
            turn += 1
        elif len(heap) > 1:
            key = heappop(heap)
        else:
            return flat[: sizes[0]]
        place = np.int64(key & LOWER)
        if codes[place] & USED:
            continue
        bits[0] = np.uint32(LOWER - (key >> UPPER))
        position = position_of(firsts, place)
        i = row_of(position)
        j = column_of(position, i)
        length = trace_inplace(
            codes,
            table,
            begins,
            values,
            x,
            gamma,
            packed,
            tau,
            room,
            i,
            j,
            level[0],
            path,
        )
        if length == 1:
            continue  # its path is itself, which concerns no other cell
        taken = path[:length]
        left = use_up_path_inplace(codes, table, begins, taken)
        if is_long(taken, l_min):
            flat = append(flat, sizes, taken, n)
            spans = vicinity(n, band, taken)
            use_up_spans_inplace(codes, table, begins, spans)
            left = leading_out_of_spans(codes, table, begins, spans)
        highest = level[0]
        for t in range(len(left)):
            i, j = left[t, 0], left[t, 1]
            if not leads_out(codes, table, begins, i, j):
                continue
            i, j = origin_of(i, j, codes[place_of(table, begins, i, j)] & LINK)
            value = value_of(
                codes, table, begins, values, x, gamma, packed, tau, room, i, j
            )
            place = place_of(table, begins, i, j)
            codes[place] |= END
            if stop < value <= highest:
                level[0] = value
                key = (LOWER - np.uint64(bits[0])) << UPPER | np.uint64(place)
                heappush(heap, key)
