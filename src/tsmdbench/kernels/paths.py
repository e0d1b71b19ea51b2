"""Search for warping paths in the cumulative similarities, largest end first.

Cells are packed as in `similarity`; cell (i, k) stands for samples i and j = i + k. A
cell with a negative value is used up, the value being its modulus. Cells with
``k <= band`` belong to the main diagonal and are never entered.

A path starts in the largest free cell and goes back to where its value came from
until that is used up. Paths of fewer than `l_min` rows and columns use up their own
cells, longer ones also the cells within `band` of them in their rows and columns.

Only the cells of `cumulative.path_ends` are looked at, plus, from a heap, the cells
whose continuation was used up without them. Where several free cells are equally
large and the order may decide which paths result, the search stops and asks for it
or, if told not to, takes the last in packed order first.

`settings` is i8[5]: n, l_min, band, warping, whether to stop for a tie; `state` i8[5].
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.heap import pop_inplace, push
from tsmdbench.kernels.triangle import row_of, row_start

LEFT = 0  # state: candidates still to be looked at
HEAP = 1  # state: size of the heap
CELLS = 2  # state: path cells written
PATHS = 3  # state: paths written
SHIFT = np.uint64(32)  # a key is the bits of a value, shifted by this, and a position
AHEAD = 16  # candidates whose cells are fetched together
MANY = 64  # equal cells beyond which it is not looked whether their order matters
POSITION = np.uint64(0xFFFFFFFF)
TIE = 4  # state: bits of the value whose order is asked for; 0 when all is done


@strict_kernel
def is_free(cells, n, band, i, k, level):
    """Whether a path whose end has the value `level` may enter cell (i, k)."""
    return i >= 0 and k > band and 0 < cells[row_start(n, i) + k] <= level


@strict_kernel
def origin(cells, n, i, k, warping):
    """Cell that the value of (i, k) came from; its row may be -1.

    The largest of three; of equal ones the diagonal, then two rows back.
    """
    if not warping or i == 0:
        return i - 1, k
    above = row_start(n, i - 1)
    straight = abs(cells[above + k])
    steep = np.float32(0.0)
    if i > 1:
        steep = abs(cells[row_start(n, i - 2) + k + 1])
    flat = np.float32(0.0)
    if k > 0:
        flat = abs(cells[above + k - 1])
    if straight >= steep and straight >= flat:
        return i - 1, k
    if steep >= flat:
        return i - 2, k + 1
    return i - 1, k - 1


@strict_kernel
def trace_inplace(cells, settings, position, path):
    """Write the path that ends at `position`, last cell first.

    Return its length and whether another of its cells is as large as the end.
    path: i8[n, 3], rows, columns, and 1 where it steps over a row or column, else 0.
    """
    n, band, warping = settings[0], settings[2], settings[3]
    level = cells[position]
    i = row_of(n, position)
    k = position - row_start(n, i)
    length = 0
    tied = False
    free = True
    while free:
        path[length, 0] = i
        path[length, 1] = i + k
        next_i, next_k = origin(cells, n, i, k, warping)
        free = is_free(cells, n, band, next_i, next_k, level)
        tied |= free and cells[row_start(n, next_i) + next_k] == level
        path[length, 2] = free and next_k != k
        i, k = next_i, next_k
        length += 1
    return length, tied


@strict_kernel
def is_long(path, l_min):
    """Whether a path, last cell first, has at least l_min rows or columns."""
    return max(path[0, 0] - path[-1, 0], path[0, 1] - path[-1, 1]) + 1 >= l_min


@strict_kernel
def has_used_origins(cells, n, i, at, warping):
    """Whether no cell that (i, k), at this position, can come from is free. Quick."""
    above = at - (n - i + 1)
    if i < 1 or cells[above] > 0:
        return i < 1
    if not warping:
        return True
    return cells[above - 1] <= 0 and (i < 2 or cells[above - (n - i + 1)] <= 0)


@strict_kernel
def free_origins(cells, settings, bounds, state, heap, used):
    """Let origins of cells that were used up without them end a path themselves.

    They go to the heap, which is returned, if they are free and were not listed
    because the cell is larger. bounds: values to be above of and not above of; used:
    i8[m, .], rows and positions.
    """
    n, band, warping = settings[0], settings[2], settings[3]
    for t in range(len(used)):
        i, at = used[t, 0], used[t, 1]
        if has_used_origins(cells, n, i, at, warping):
            continue
        value = -cells[at]
        i, k = origin(cells, n, i, at - row_start(n, i), warping)
        if is_free(cells, n, band, i, k, bounds[1]):
            at = row_start(n, i) + k
            if bounds[0] < cells[at] < value:
                bits = cells[at : at + 1].view(np.uint32)[0]
                key = np.uint64(bits) << SHIFT | np.uint64(at)
                heap = push(heap, state[HEAP], key)
                state[HEAP] += 1
    return heap


@strict_kernel
def use_up_inplace(cells, settings, i, j, used, size):
    """Use up cell (i, j) if it is free; note it in `used` and return the new size."""
    k = j - i
    at = row_start(settings[0], i) + k
    if k > settings[2] and cells[at] > 0:
        cells[at] = -cells[at]
        used[size, 0] = i
        used[size, 1] = at
        size += 1
    return size


@strict_kernel
def use_up_vicinity_inplace(cells, settings, path):
    """Use up all cells within `band` of a path in its rows and columns; return them.

    Where a path steps over a row or a column, its vicinity there is used up as well.
    """
    n, band = settings[0], settings[2]
    used = np.empty((len(path) * 3 * (2 * band + 1), 2), np.int64)
    size = 0
    first, last = path[-1, 0], path[0, 0]
    middles = np.empty(last - first + 1, np.int64)
    for t in range(len(path)):
        i, j = path[t, 0], path[t, 1]
        for row in range(i, path[t - 1, 0] if t else i + 1):
            middles[row - first] = j
            for column in range(max(0, j - band), min(n, j + band + 1)):
                size = use_up_inplace(cells, settings, row, column, used, size)
    for t in range(len(path)):
        i, j = path[t, 0], path[t, 1]
        for column in range(j, path[t - 1, 1] if t else j + 1):
            for row in range(max(0, i - band), min(n, i + band + 1)):
                # What the rows did not reach, near the ends and where it is steep.
                inside = first <= row <= last
                if not inside or abs(middles[row - first] - column) > band:
                    size = use_up_inplace(cells, settings, row, column, used, size)
    return used[:size]


@strict_kernel
def use_up_path_inplace(cells, settings, path, used):
    """Use up the cells of a path and those it steps over; return how many these are.

    used: i8[n, .] receives the rows and positions of those stepped over.
    """
    n = settings[0]
    size = 0
    for t in range(len(path)):
        i, j = path[t, 0], path[t, 1]
        at = row_start(n, i) + j - i
        cells[at] = -cells[at]
        if path[t, 2]:
            # The cell one row and one column back, wherever the step went.
            size = use_up_inplace(cells, settings, i - 1, j - 1, used, size)
    return size


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
def take(cells, settings, bounds, state, heap, flat, path, used):
    """Take a traced path; return the heap and the flat list of long paths.

    bounds as for `free_origins`; used: i8[n, .], room to work in.
    """
    size = use_up_path_inplace(cells, settings, path, used)
    # Origins last, since most were used up together with what they continue in.
    if is_long(path, settings[1]):
        flat = append(flat, state, path)
        around = use_up_vicinity_inplace(cells, settings, path)
        heap = free_origins(cells, settings, bounds, state, heap, around)
    if size:
        heap = free_origins(cells, settings, bounds, state, heap, used[:size])
    return heap, flat


@strict_kernel
def take_all(cells, order, settings, stop, state, heap, flat, room):
    """Take the paths that end at packed positions, in this order; skip used ones.

    cells: packed f4, used up in place; order: i8[m]. -> heap: u8[.], flat: i4[., 3],
    rows of path number, row and column, path by path. room: i8[2, n, 3], to work in.
    """
    for position in order:
        if cells[position] > 0:
            bounds = stop, cells[position]
            length, _ = trace_inplace(cells, settings, position, room[0])
            path = room[0, :length]
            heap, flat = take(cells, settings, bounds, state, heap, flat, path, room[1])
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
def next_free(cells, ranked, settings, state, heap, tie):
    """Remove and return the largest key whose cell is free, 0 if there is none.

    Keys of used cells are dropped, and of those whose origin is not free: their path
    would be themselves. With a key `tie`, only other keys of its value count.
    """
    n, band, warping = settings[0], settings[2], settings[3]
    while True:
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
        i = row_of(n, at)
        next_i, next_k = origin(cells, n, i, at - row_start(n, i), warping)
        if is_free(cells, n, band, next_i, next_k, cells[at]):
            return key


@strict_kernel
def all_equal(cells, ranked, settings, state, heap, first, second):
    """Positions of two free keys of one value and of all others that have it."""
    group = np.empty(16, np.int64)
    group[0] = first & POSITION
    group[1] = second & POSITION
    size = 2
    while True:
        second = next_free(cells, ranked, settings, state, heap, second)
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
def depend_on_order(cells, order, settings, path):
    """Whether the paths that end at these free cells may depend on which goes first.

    They do not if none has or steps over a cell of another or, being long, comes near
    it. path: i8[n, 3], room to work in.
    """
    if len(order) > MANY:
        return True
    boxes = np.empty((len(order), 5), np.int64)
    for m in range(len(order)):
        length, tied = trace_inplace(cells, settings, order[m], path)
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
            length, _ = trace_inplace(cells, settings, order[a], path)
            one = path[:length].copy()
            length, _ = trace_inplace(cells, settings, order[b], path)
            if collide(one, path[:length], reach):
                return True
    return False


@strict_kernel
def fetch(cells, n, ranked, left):
    """Read what the next candidates need at once, so as not to wait for each.

    Return the first index read; using the sum keeps the reads from being dropped.
    """
    low = max(0, left - AHEAD)
    total = np.float32(0.0)
    for t in range(low, left):
        total += abs(cells[np.int64(ranked[t] & POSITION)])
    for t in range(low, left):
        at = np.int64(ranked[t] & POSITION)
        if cells[at] > 0:
            i = row_of(n, at)
            for _ in range(3):
                at -= n - i + 1
                i -= 1
                if i >= 0:
                    total += abs(cells[at])
    return low if total >= 0 else 0


@strict_kernel
def take_until_tie(cells, ranked, settings, stop, state, heap, flat, room):
    """Take paths, largest end first, until the order of equal ends matters.

    ranked: u8[m], sorted keys of `cumulative.path_ends`; room as in `take_all`. Then
    state[TIE] holds the bits of that value, else 0: all are found. -> heap, flat.
    """
    state[TIE] = 0
    alone = np.empty(1, np.int64)
    fetched = state[LEFT]
    while True:
        if state[LEFT] <= fetched:
            fetched = fetch(cells, settings[0], ranked, state[LEFT])
        key = next_free(cells, ranked, settings, state, heap, np.uint64(0))
        if key == 0:
            return heap, flat
        other = next_free(cells, ranked, settings, state, heap, key)
        order = alone
        if other:
            order = all_equal(cells, ranked, settings, state, heap, key, other)
            tied = depend_on_order(cells, order, settings, room[0])
        else:
            alone[0] = key & POSITION
            _, tied = trace_inplace(cells, settings, alone[0], room[0])
        if tied and settings[4]:
            state[TIE] = key >> SHIFT
            return heap, flat
        heap, flat = take_all(cells, order, settings, stop, state, heap, flat, room)
