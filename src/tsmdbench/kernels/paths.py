"""Search for warping paths in the cumulative similarities, largest end first.

Cells are packed as in `similarity`; cell (i, k) stands for samples i and j = i + k. A
cell with a negative value is used up, the value being its modulus. Cells with
``k <= band`` belong to the main diagonal and are never entered.

A path starts in the largest free cell and goes back to where its value came from
until that is used up. Paths of fewer than `l_min` rows and columns use up their own
cells, longer ones also the cells within `band` of them in their rows and columns.

Only the cells of `ends.path_ends` are looked at, plus, from a heap, the cells
whose continuation was used up without them. Where several free cells are equally
large and the order may decide which paths result, the search stops and asks for it
or, if told not to, takes the last in packed order first.

`grid` is the cells and their codes (see `links`), `settings` i8[4]: n, l_min, band,
whether to stop for a tie; `state` i8[5].
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.heap import pop_inplace, push
from tsmdbench.kernels.links import LINK, link_target
from tsmdbench.kernels.triangle import row_of, row_start
from tsmdbench.kernels.vicinity import (
    flag_free_origins_inplace,
    use_up_spans_inplace,
    vicinity,
)

LEFT = 0  # state: candidates still to be looked at
HEAP = 1  # state: size of the heap
CELLS = 2  # state: path cells written
PATHS = 3  # state: paths written
SHIFT = np.uint64(32)  # a key is the bits of a value, shifted by this, and a position
MANY = 64  # equal cells beyond which it is not looked whether their order matters
POSITION = np.uint64(0xFFFFFFFF)
TIE = 4  # state: bits of the value whose order is asked for; 0 when all is done


@strict_kernel
def origin(grid, n, i, at, level):
    """Row and position of the cell that a path goes on to, row -1 if there is none.

    The path ends with the value `level` and is at row i, this position.
    """
    cells, codes = grid
    link = codes[at] & LINK
    if link == 0:
        return -1, at
    i, at = link_target(n, i, at, link)
    return (i, at) if 0 < cells[at] <= level else (-1, at)


@strict_kernel
def trace_inplace(grid, settings, position, path):
    """Write the path that ends at `position`, last cell first.

    Return its length and whether another of its cells is as large as the end.
    path: i8[n, 3], rows, columns, and 1 where it steps over a row or column, else 0.
    """
    n = settings[0]
    cells = grid[0]
    level = cells[position]
    i, at = row_of(n, position), position
    length = 0
    tied = False
    while i >= 0:
        path[length, 0] = i
        path[length, 1] = i + at - row_start(n, i)
        above = at - (n - i + 1)
        i, at = origin(grid, n, i, at, level)
        tied |= i >= 0 and cells[at] == level
        path[length, 2] = i >= 0 and at != above
        length += 1
    return length, tied


@strict_kernel
def is_long(path, l_min):
    """Whether a path, last cell first, has at least l_min rows or columns."""
    return max(path[0, 0] - path[-1, 0], path[0, 1] - path[-1, 1]) + 1 >= l_min


@strict_kernel
def free_origin(grid, n, bounds, state, heap, i, at):
    """Let the origin of a cell that was used up without it end a path itself.

    It goes to the heap, which is returned, if it is free and was not listed because
    the cell is larger. bounds: values to be above of and not above of.
    """
    cells = grid[0]
    value = -cells[at]
    i, at = origin(grid, n, i, at, bounds[1])
    if i >= 0 and bounds[0] < cells[at] < value:
        bits = cells[at : at + 1].view(np.uint32)[0]
        heap = push(heap, state[HEAP], np.uint64(bits) << SHIFT | np.uint64(at))
        state[HEAP] += 1
    return heap


@strict_kernel
def use_up_path_inplace(grid, settings, bounds, state, heap, path):
    """Use up the cells of a path and those it steps over; return the heap."""
    n, cells = settings[0], grid[0]
    for t in range(len(path)):
        i, j = path[t, 0], path[t, 1]
        at = row_start(n, i) + j - i
        cells[at] = -cells[at]
    for t in range(len(path)):
        if path[t, 2]:
            # The cell one row and one column back, wherever the step went.
            i, j = path[t, 0] - 1, path[t, 1] - 1
            at = row_start(n, i) + j - i
            if cells[at] > 0:
                cells[at] = -cells[at]
                heap = free_origin(grid, n, bounds, state, heap, i, at)
    return heap


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

    bounds as for `free_origin`.
    """
    heap = use_up_path_inplace(grid, settings, bounds, state, heap, path)
    if is_long(path, settings[1]):
        flat = append(flat, state, path)
        spans = vicinity(settings[0], settings[2], path)
        use_up_spans_inplace(grid[0], settings[0], spans)
        heap = free_origins(grid, settings[0], bounds, state, heap, spans)
    return heap, flat


@strict_kernel
def free_origins(grid, n, bounds, state, heap, spans):
    """Let origins of cells that were used up without them end paths; return the heap.

    spans: i8[m, 3] as from `vicinity`.
    """
    cells, codes = grid
    flags = np.empty(n, np.uint8)
    for t in range(len(spans)):
        i = spans[t, 0]
        start = row_start(n, i)
        low, high = start + spans[t, 1], start + spans[t, 2]
        if i > 0 and low < high:
            found = flags[: high - low]
            if flag_free_origins_inplace(cells, codes, n - i, low, found):
                for k in np.flatnonzero(found):
                    heap = free_origin(grid, n, bounds, state, heap, i, low + k)
    return heap


@strict_kernel
def take_all(grid, order, settings, stop, state, heap, flat, room):
    """Take the paths that end at packed positions, in this order; skip used ones.

    grid: packed cells, f4, used up in place, and codes, u1; order: i8[m]. -> heap:
    u8[.], flat: i4[., 3], rows of path number, row and column, path by path. room:
    i8[n, 3], to work in.
    """
    cells = grid[0]
    for position in order:
        if cells[position] > 0:
            bounds = stop, cells[position]
            length, _ = trace_inplace(grid, settings, position, room)
            path = room[:length]
            heap, flat = take(grid, settings, bounds, state, heap, flat, path)
    return heap, flat


@strict_kernel
def next_key(ranked, state, heap):
    """Largest key that is left, 0 if there is none, and whether the list holds it."""
    left, waiting = state[LEFT], state[HEAP]
    if left > 0 and (waiting == 0 or ranked[left - 1] >= heap[0]):
        return ranked[left - 1], True
    if waiting > 0:
        return heap[0], False
    return np.uint64(0), False


@strict_kernel
def next_free(grid, ranked, settings, state, heap, tie):
    """Remove and return the largest key whose cell is free, 0 if there is none.

    Keys of used cells are dropped, and of those whose origin is not free: their path
    would be themselves. With a key `tie`, only other keys of its value count.
    """
    n = settings[0]
    cells = grid[0]
    while True:
        # Most listed keys are used: a short loop, so that their reads overlap.
        left = state[LEFT]
        while left > 0 and cells[np.int64(ranked[left - 1] & POSITION)] <= 0:
            left -= 1
        state[LEFT] = left
        key, listed = next_key(ranked, state, heap)
        if key == 0 or (tie and key >> SHIFT != tie >> SHIFT):
            return np.uint64(0)
        if listed:
            state[LEFT] -= 1
        else:
            pop_inplace(heap, state[HEAP])
            state[HEAP] -= 1
        at = np.int64(key & POSITION)
        if key == tie or cells[at] <= 0:
            continue
        if origin(grid, n, row_of(n, at), at, cells[at])[0] >= 0:
            return key


@strict_kernel
def all_equal(grid, ranked, settings, state, heap, first, second):
    """Positions of two free keys of one value and of all others that have it."""
    group = np.empty(16, np.int64)
    group[0] = first & POSITION
    group[1] = second & POSITION
    size = 2
    while True:
        second = next_free(grid, ranked, settings, state, heap, second)
        if second == 0:
            return group[:size]
        if size == len(group):
            larger = np.empty(4 * size, np.int64)
            larger[:size] = group
            group = larger
        group[size] = second & POSITION
        size += 1


@strict_kernel
def collide(one, other, reach):
    """Whether a path has or steps over a cell of another, or comes within `reach`."""
    for a in range(len(one)):
        for b in range(len(other)):
            rows = one[a, 0] - other[b, 0]
            columns = one[a, 1] - other[b, 1]
            if abs(rows) <= reach and abs(columns) <= reach:
                return True
            # What is stepped over lies one row and one column back.
            over = one[a, 2] if rows == 1 else other[b, 2] and rows == -1
            if over and rows == columns:
                return True
    return False


@strict_kernel
def depend_on_order(grid, order, settings, path):
    """Whether the paths that end at these free cells may depend on which goes first.

    They do not if none has or steps over a cell of another or, being long, comes near
    it. path: i8[n, 3], room to work in.
    """
    if len(order) > MANY:
        return True
    boxes = np.empty((len(order), 5), np.int64)
    for m in range(len(order)):
        length, tied = trace_inplace(grid, settings, order[m], path)
        if tied:
            return True
        boxes[m, 0], boxes[m, 1] = path[length - 1, 0], path[length - 1, 1]
        boxes[m, 2], boxes[m, 3] = path[0, 0], path[0, 1]
        boxes[m, 4] = 0
        if is_long(path[:length], settings[1]):
            boxes[m, 4] = settings[2] + 1
    for a in range(len(order)):
        for b in range(a):
            reach = max(boxes[a, 4], boxes[b, 4])
            if (
                boxes[a, 0] > boxes[b, 2] + reach
                or boxes[b, 0] > boxes[a, 2] + reach
                or boxes[a, 1] > boxes[b, 3] + reach
                or boxes[b, 1] > boxes[a, 3] + reach
            ):
                continue
            length, _ = trace_inplace(grid, settings, order[a], path)
            one = path[:length].copy()
            length, _ = trace_inplace(grid, settings, order[b], path)
            if collide(one, path[:length], reach):
                return True
    return False


@strict_kernel
def take_until_tie(grid, ranked, settings, stop, state, heap, flat, room):
    """Take paths, largest end first, until the order of equal ends matters.

    ranked: u8[m], sorted keys of `ends.path_ends`; room as in `take_all`. Then
    state[TIE] holds the bits of that value, else 0: all are found. -> heap, flat.
    """
    state[TIE] = 0
    alone = np.empty(1, np.int64)
    while True:
        key = next_free(grid, ranked, settings, state, heap, np.uint64(0))
        if key == 0:
            return heap, flat
        other = next_free(grid, ranked, settings, state, heap, key)
        order = alone
        if other:
            order = all_equal(grid, ranked, settings, state, heap, key, other)
            tied = depend_on_order(grid, order, settings, room)
        else:
            alone[0] = key & POSITION
            _, tied = trace_inplace(grid, settings, alone[0], room)
        if tied and settings[3]:
            state[TIE] = key >> SHIFT
            return heap, flat
        heap, flat = take_all(grid, order, settings, stop, state, heap, flat, room)
