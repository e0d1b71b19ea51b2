"""Search for warping paths in the cumulative similarities, largest end first.

Cells are packed as in `similarity`; cell (i, k) stands for samples i and j = i + k.
Cells with ``k <= band`` belong to the main diagonal and are never entered.

A path starts in the largest free cell and goes back to where its value came from
until that is used up. Paths of fewer than `l_min` rows and columns use up their own
cells and those they step over, longer ones also the cells within `band` of them in
their rows and columns.

Only the ends that `ends` lists are looked at, plus, from a heap, cells that were not
listed since a path was to lead on from them, which then was used up without them.
`listed` is their positions by groups, where the groups begin, and room, u8[.], for the
sorted keys of one group at a time.
Where several free cells are equally large and the order may decide which paths result,
the search stops and asks for it or, if told not to, takes the last in packed order
first.

`grid` is the cells and their codes (see `links`), `settings` i8[4]: n, l_min, band,
whether to stop for a tie; `state` i8[6].
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.ends import rank_inplace
from tsmdbench.kernels.heap import pop_inplace, push
from tsmdbench.kernels.links import LINK, USED, link_target
from tsmdbench.kernels.order import depend_on_order
from tsmdbench.kernels.trace import is_long, origin, trace_inplace
from tsmdbench.kernels.triangle import row_of, row_start
from tsmdbench.kernels.vicinity import (
    has_free_origin,
    left_by_spans,
    use_up_spans_inplace,
    vicinity,
)

LEFT = 0  # state: keys of the group still to be looked at
HEAP = 1  # state: size of the heap
CELLS = 2  # state: path cells written
PATHS = 3  # state: paths written
SHIFT = np.uint64(32)  # a key is the bits of a value, shifted by this, and a position
POSITION = np.uint64(0xFFFFFFFF)
TIE = 4  # state: bits of the value whose order is asked for; 0 when all is done
GROUP = 5  # state: the group whose turn it is


@strict_kernel
def free_origins(grid, n, bounds, state, heap, left):
    """Let the origins of cells that were used up without them end paths themselves.

    left: i8[m, 2], rows and positions of such cells, as `has_free_origin` tells them.
    An origin goes to the heap, which is returned, if it is not listed since it is no
    larger than the cell, and its path would be more than itself. bounds: values to be
    above of and not above of.
    """
    cells, codes = grid
    values = np.empty((len(left), 2), np.float32)
    # First all values are fetched: with no branch between, their fetches overlap.
    for t in range(len(left)):
        i, at = left[t]
        values[t, 0] = cells[at]
        left[t] = link_target(n, i, at, codes[at] & LINK)
        values[t, 1] = cells[left[t, 1]]
    for t in range(len(left)):
        value = values[t, 1]
        if bounds[0] < value <= min(values[t, 0], bounds[1]):
            i, at = left[t]
            if origin(grid, n, i, at, value)[0] >= 0:
                bits = values[t, 1:].view(np.uint32)[0]
                heap = push(heap, state[HEAP], np.uint64(bits) << SHIFT | np.uint64(at))
                state[HEAP] += 1
    return heap


@strict_kernel
def use_up_path_inplace(codes, n, path):
    """Use up the cells of a path and those it steps over.

    A step over a cell that was free until now is marked by a 2.
    """
    for t in range(len(path)):
        i, j = path[t, 0], path[t, 1]
        codes[row_start(n, i) + j - i] |= USED
    for t in range(len(path)):
        if path[t, 2]:
            # The cell one row and one column back, wherever the step went.
            i, j = path[t, 0] - 1, path[t, 1] - 1
            at = row_start(n, i) + j - i
            if not codes[at] & USED:
                codes[at] |= USED
                path[t, 2] = 2


@strict_kernel
def left_by_steps(codes, n, path):
    """Cells that a path stepped over and that have a free origin, as `free_origins`."""
    left = np.empty((len(path), 2), np.int64)
    size = 0
    for t in range(len(path)):
        if path[t, 2] == 2:
            i, j = path[t, 0] - 1, path[t, 1] - 1
            at = row_start(n, i) + j - i
            if i > 0 and has_free_origin(codes, n - i, at):
                left[size] = i, at
                size += 1
    return left[:size]


@strict_kernel
def append(flat, state, path):
    """Add a path, last cell first, to the flat list of paths, which is returned."""
    size = state[CELLS]
    if size + len(path) > len(flat):
        larger = np.empty((2 * (size + len(path)), 3), np.int32)
        larger[:size] = flat[:size]
        flat = larger
    for t in range(len(path)):
        flat[size + t, 0] = state[PATHS]
        flat[size + t, 1] = path[len(path) - 1 - t, 0]
        flat[size + t, 2] = path[len(path) - 1 - t, 1]
    state[CELLS] += len(path)
    state[PATHS] += 1
    return flat


@strict_kernel
def take(grid, settings, bounds, state, heap, flat, path):
    """Take a traced path; return the heap and the flat list of long paths.

    bounds as for `free_origins`.
    """
    n = settings[0]
    use_up_path_inplace(grid[1], n, path)
    if is_long(path, settings[1]):
        flat = append(flat, state, path)
        spans = vicinity(n, settings[2], path)
        use_up_spans_inplace(grid[1], n, spans)
        left = left_by_spans(grid[1], n, spans)
    else:
        left = left_by_steps(grid[1], n, path)
    if len(left):
        heap = free_origins(grid, n, bounds, state, heap, left)
    return heap, flat


@strict_kernel
def take_all(grid, order, settings, stop, state, heap, flat, room):
    """Take the paths that end at packed positions, in this order; skip used ones.

    grid: packed cells, f4, and codes, u1, used up in place; order: i8[m]. -> heap:
    u8[.], flat: i4[., 3], rows of path number, row and column, path by path. room:
    i8[n, 3], to work in.
    """
    cells, codes = grid
    for position in order:
        if not codes[position] & USED:
            bounds = stop, cells[position]
            length, _ = trace_inplace(grid, settings, position, room)
            path = room[:length]
            heap, flat = take(grid, settings, bounds, state, heap, flat, path)
    return heap, flat


@strict_kernel
def next_listed(grid, listed, state):
    """Largest listed key whose cell is free, 0 if there is none."""
    grouped, begins, ranked = listed
    codes = grid[1]
    while True:
        left = state[LEFT]
        while left > 0 and codes[np.int64(ranked[left - 1] & POSITION)] & USED:
            left -= 1
        state[LEFT] = left
        if left > 0:
            return ranked[left - 1]
        if state[GROUP] == 0:
            return np.uint64(0)
        state[GROUP] -= 1
        low, high = begins[state[GROUP]], begins[state[GROUP] + 1]
        if low < high:
            state[LEFT] = rank_inplace(grid, grouped[low:high], ranked)


@strict_kernel
def next_free(grid, listed, settings, state, heap, tie):
    """Remove and return the largest key whose cell is free, 0 if there is none.

    Keys of used cells are dropped, and of those whose origin is not free: their path
    would be themselves. With a key `tie`, only other keys of its value count.
    """
    n = settings[0]
    cells, codes = grid
    while True:
        key = next_listed(grid, listed, state)
        waiting = heap[0] if state[HEAP] else np.uint64(0)
        largest = max(key, waiting)
        if largest == 0 or (tie and largest >> SHIFT != tie >> SHIFT):
            return np.uint64(0)
        if key == largest:
            state[LEFT] -= 1
        else:
            pop_inplace(heap, state[HEAP])
            state[HEAP] -= 1
        key = largest
        at = np.int64(key & POSITION)
        if key == tie or codes[at] & USED:
            continue
        if origin(grid, n, row_of(n, at), at, cells[at])[0] >= 0:
            return key


@strict_kernel
def all_equal(grid, listed, settings, state, heap, first, second):
    """Positions of two free keys of one value and of all others that have it."""
    group = np.empty(16, np.int64)
    group[0] = first & POSITION
    group[1] = second & POSITION
    size = 2
    while True:
        second = next_free(grid, listed, settings, state, heap, second)
        if second == 0:
            return group[:size]
        if size == len(group):
            larger = np.empty(4 * size, np.int64)
            larger[:size] = group
            group = larger
        group[size] = second & POSITION
        size += 1


@strict_kernel
def take_until_tie(grid, listed, settings, stop, state, heap, flat, room):
    """Take paths, largest end first, until the order of equal ends matters.

    room as in `take_all`. Then state[TIE] holds the bits of that value, else 0: all are
    found. -> heap, flat.
    """
    state[TIE] = 0
    alone = np.empty(1, np.int64)
    while True:
        key = next_free(grid, listed, settings, state, heap, np.uint64(0))
        if key == 0:
            return heap, flat
        other = next_free(grid, listed, settings, state, heap, key)
        alone[0] = key & POSITION
        if other:
            order = all_equal(grid, listed, settings, state, heap, key, other)
        else:
            order = alone
            length, tied = trace_inplace(grid, settings, alone[0], room)
            if not tied:
                bounds = stop, grid[0][alone[0]]
                path = room[:length]
                heap, flat = take(grid, settings, bounds, state, heap, flat, path)
                continue
        if settings[3] and depend_on_order(grid, order, settings, room):
            state[TIE] = key >> SHIFT
            return heap, flat
        heap, flat = take_all(grid, order, settings, stop, state, heap, flat, room)
