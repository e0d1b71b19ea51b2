"""Search for warping paths in the cumulative similarities, largest end first.

Cells are packed as in `similarity`; cell (i, k) stands for samples i and j = i + k.
Cells with ``k <= band`` belong to the main diagonal and are never entered.

A path starts in the largest free cell and goes back to where its value came from
until that is used up. Paths of fewer than `l_min` rows and columns use up their own
cells and those they step over, longer ones also the cells within `band` of them in
their rows and columns.

Only the ends that `ends` lists are looked at, plus, from a heap, cells that were not
listed since a path was to lead on from them, which then was used up without them.
`grouped` is their positions by groups, `begins` where the groups begin, and `ranked`
room, u8[.], for the sorted keys of one group at a time.
Where several free cells are equally large and the order may decide which paths result,
the search stops and asks for it or, if told not to, takes the last in packed order
first.

`cells` and `codes` are those of `links`, `settings` i8[4]: n, l_min, band, whether to
stop for a tie; `state` i8[6]. All arrays are passed one by one: references to what a
tuple holds are counted at every call, which would take a quarter of the time.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.ends import rank_inplace
from tsmdbench._kernels.locomotif.heap import pop_inplace, push_inplace, reserve
from tsmdbench._kernels.locomotif.keys import POSITION, SHIFT
from tsmdbench._kernels.locomotif.links import LINK, USED, link_target
from tsmdbench._kernels.locomotif.order import depend_on_order
from tsmdbench._kernels.locomotif.trace import is_long, origin, trace_inplace
from tsmdbench._kernels.locomotif.triangle import row_of, row_start
from tsmdbench._kernels.locomotif.vicinity import (
    has_free_origin,
    left_by_spans,
    use_up_spans_inplace,
    vicinity,
)

LEFT = 0  # state: keys of the group still to be looked at
HEAP = 1  # state: size of the heap
CELLS = 2  # state: path cells written
PATHS = 3  # state: paths written
TIE = 4  # state: bits of the value whose order is asked for; 0 when all is done
GROUP = 5  # state: the group whose turn it is


@strict_kernel
def free_origins(cells, codes, n, bounds, state, heap, left):
    """Let the origins of cells that were used up without them end paths themselves.

    left: i8[m, 2], rows and positions of such cells, as `has_free_origin` tells them.
    An origin goes to the heap, which is returned, if it is not listed since it is no
    larger than the cell, and its path would be more than itself. bounds: values to be
    above of and not above of.
    """
    heap = reserve(heap, state[HEAP], len(left))
    values = np.empty((len(left), 2), np.float32)
    bits = values.view(np.uint32)
    # First all values are fetched: with no branch between, their fetches overlap.
    for t in range(len(left)):
        at = left[t, 1]
        values[t, 0] = cells[at]
        left[t, 0], at = link_target(n, left[t, 0], at, codes[at] & LINK)
        left[t, 1] = at
        values[t, 1] = cells[at]
    for t in range(len(left)):
        value = values[t, 1]
        if bounds[0] < value <= min(values[t, 0], bounds[1]):
            at = left[t, 1]
            if origin(cells, codes, n, left[t, 0], at, value)[0] >= 0:
                key = np.uint64(bits[t, 1]) << SHIFT | np.uint64(at)
                push_inplace(heap, state[HEAP], key)
                state[HEAP] += 1
    return heap


@strict_kernel
def use_up_path_inplace(codes, n, path):
    """Use up the cells of a path and those it steps over.

    A step over a cell that was free until now is marked by a 2; return how many.
    """
    stepped = 0
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
                stepped += 1
    return stepped


@strict_kernel
def left_by_steps(codes, n, path, stepped):
    """Cells that a path stepped over and that have a free origin, as `free_origins`."""
    left = np.empty((stepped, 2), np.int64)
    size = 0
    for t in range(len(path)):
        if path[t, 2] == 2:
            i, j = path[t, 0] - 1, path[t, 1] - 1
            at = row_start(n, i) + j - i
            if i > 0 and has_free_origin(codes, n - i, at):
                left[size, 0], left[size, 1] = i, at
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
def take(cells, codes, settings, bounds, state, heap, flat, path):
    """Take a traced path; return the heap and the flat list of long paths.

    bounds as for `free_origins`.
    """
    n = settings[0]
    stepped = use_up_path_inplace(codes, n, path)
    if is_long(path, settings[1]):
        flat = append(flat, state, path)
        spans = vicinity(n, settings[2], path)
        use_up_spans_inplace(codes, n, spans)
        left = left_by_spans(codes, n, spans)
        heap = free_origins(cells, codes, n, bounds, state, heap, left)
    elif stepped:
        left = left_by_steps(codes, n, path, stepped)
        heap = free_origins(cells, codes, n, bounds, state, heap, left)
    return heap, flat


@strict_kernel
def take_all(cells, codes, order, settings, stop, state, heap, flat, room):
    """Take the paths that end at packed positions, in this order; skip used ones.

    codes are used up in place; order: i8[m]. -> heap: u8[.], flat: i4[., 3], rows of
    path number, row and column, path by path. room: i8[n, 3], to work in.
    """
    for position in order:
        if not codes[position] & USED:
            bounds = stop, cells[position]
            length, _ = trace_inplace(cells, codes, settings, position, room)
            path = room[:length]
            heap, flat = take(cells, codes, settings, bounds, state, heap, flat, path)
    return heap, flat


@strict_kernel
def next_free(cells, codes, grouped, begins, ranked, settings, state, heap, tie):
    """Remove and return the largest key whose cell is free, 0 if there is none.

    Keys of used cells are dropped, and of those whose origin is not free: their path
    would be themselves. With a key `tie`, only other keys of its value count.
    """
    n = settings[0]
    while True:
        left = state[LEFT]
        while left > 0 and codes[np.int64(ranked[left - 1] & POSITION)] & USED:
            left -= 1
        state[LEFT] = left
        if left == 0 and state[GROUP] > 0:
            state[GROUP] -= 1
            low, high = begins[state[GROUP]], begins[state[GROUP] + 1]
            if low < high:
                state[LEFT] = rank_inplace(cells, codes, grouped[low:high], ranked)
            continue
        listed = ranked[left - 1] if left else np.uint64(0)
        waiting = heap[0] if state[HEAP] else np.uint64(0)
        key = max(listed, waiting)
        if key == 0 or (tie and key >> SHIFT != tie >> SHIFT):
            return np.uint64(0)
        if key == listed:
            state[LEFT] -= 1
        else:
            pop_inplace(heap, state[HEAP])
            state[HEAP] -= 1
        at = np.int64(key & POSITION)
        if key == tie or codes[at] & USED:
            continue
        if origin(cells, codes, n, row_of(n, at), at, cells[at])[0] >= 0:
            return key


@strict_kernel
def all_equal(
    cells, codes, grouped, begins, ranked, settings, state, heap, first, second
):
    """Positions of two free keys of one value and of all others that have it."""
    group = np.empty(16, np.int64)
    group[0] = first & POSITION
    group[1] = second & POSITION
    size = 2
    while True:
        second = next_free(
            cells, codes, grouped, begins, ranked, settings, state, heap, second
        )
        if second == 0:
            return group[:size]
        if size == len(group):
            larger = np.empty(4 * size, np.int64)
            larger[:size] = group
            group = larger
        group[size] = second & POSITION
        size += 1


@strict_kernel
def take_until_tie(
    cells, codes, grouped, begins, ranked, settings, stop, state, heap, flat, room
):
    """Take paths, largest end first, until the order of equal ends matters.

    room as in `take_all`. Then state[TIE] holds the bits of that value, else 0: all are
    found. -> heap, flat.
    """
    state[TIE] = 0
    alone = np.empty(1, np.int64)
    while True:
        key = next_free(
            cells, codes, grouped, begins, ranked, settings, state, heap, np.uint64(0)
        )
        if key == 0:
            return heap, flat
        other = next_free(
            cells, codes, grouped, begins, ranked, settings, state, heap, key
        )
        alone[0] = key & POSITION
        if other:
            order = all_equal(
                cells, codes, grouped, begins, ranked, settings, state, heap, key, other
            )
        else:
            order = alone
            length, tied = trace_inplace(cells, codes, settings, alone[0], room)
            if not tied:
                bounds = stop, cells[alone[0]]
                path = room[:length]
                heap, flat = take(
                    cells, codes, settings, bounds, state, heap, flat, path
                )
                continue
        if settings[3] and depend_on_order(cells, codes, order, settings, room):
            state[TIE] = key >> SHIFT
            return heap, flat
        heap, flat = take_all(
            cells, codes, order, settings, stop, state, heap, flat, room
        )
