"""Search for warping paths in the cumulative similarities, largest end first.

Cells are packed as in `similarity`; cell (i, k) stands for samples i and j = i + k. A
cell with a negative value is used up, the value being its modulus. Cells with
``k <= band`` belong to the main diagonal and are never entered.

A path starts in the largest free cell and goes back to where its value came from
until that is used up. Paths of fewer than `l_min` rows and columns use up their own
cells, longer ones also the cells within `band` of them in their rows and columns.

Only the cells of `cumulative.path_ends` are looked at, plus, from a heap, the cells
whose continuation was used up without them. Where several free cells are equally
large and the order decides which paths result, the search stops and asks for it.

`settings` is i8[4]: n, l_min, band, warping. `state` is i8[5], see the names below.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

LEFT = 0  # state: candidates still to be looked at
HEAP = 1  # state: size of the heap
CELLS = 2  # state: path cells written
PATHS = 3  # state: paths written
TIE = 4  # state: bits of the value whose order is asked for; 0 when all is done


@strict_kernel
def row_start(n, i):
    """Packed position of cell (i, 0)."""
    return i * n - i * (i - 1) // 2


@strict_kernel
def row_of(n, position):
    """Row of a packed position, by bisection."""
    low = 0
    high = n
    while high - low > 1:
        middle = (low + high) // 2
        if row_start(n, middle) <= position:
            low = middle
        else:
            high = middle
    return low


@strict_kernel
def is_free(cells, n, band, i, k):
    """Whether a path may enter cell (i, k)."""
    return i >= 0 and k > band and cells[row_start(n, i) + k] > 0


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
    """Write the path that ends at `position`, last cell first; return its length.

    path: i8[n, 2], rows and columns.
    """
    n, band, warping = settings[0], settings[2], settings[3]
    i = row_of(n, position)
    k = position - row_start(n, i)
    length = 0
    free = True
    while free:
        path[length, 0] = i
        path[length, 1] = i + k
        length += 1
        i, k = origin(cells, n, i, k, warping)
        free = is_free(cells, n, band, i, k)
    return length


@strict_kernel
def is_long(path, l_min):
    """Whether a path, last cell first, has at least l_min rows or columns."""
    rows = path[0, 0] - path[-1, 0] + 1
    columns = path[0, 1] - path[-1, 1] + 1
    return max(rows, columns) >= l_min


@strict_kernel
def push(heap, size, key):
    """Add a key to the max-heap, which is returned, larger if it was full."""
    if size == len(heap):
        larger = np.empty(2 * size + 1024, np.uint64)
        larger[:size] = heap
        heap = larger
    at = size
    while at > 0 and heap[(at - 1) // 2] < key:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = key
    return heap


@strict_kernel
def pop_inplace(heap, size):
    """Remove the largest key of the max-heap of `size` keys."""
    last = heap[size - 1]
    size -= 1
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= last:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last


@strict_kernel
def use_up_inplace(cells, bits, settings, stop, state, heap, i, j):
    """Use up cell (i, j) beside a path; return the heap.

    Its origin is no longer continued by it, so it may now end a path itself.
    """
    n, band, warping = settings[0], settings[2], settings[3]
    k = j - i
    if k <= band or cells[row_start(n, i) + k] <= 0:
        return heap
    at = row_start(n, i) + k
    value = cells[at]
    cells[at] = -value
    i, k = origin(cells, n, i, k, warping)
    if is_free(cells, n, band, i, k):
        at = row_start(n, i) + k
        if stop < cells[at] < value:
            key = np.uint64(bits[at]) << np.uint64(32) | np.uint64(at)
            heap = push(heap, state[HEAP], key)
            state[HEAP] += 1
    return heap


@strict_kernel
def use_up_vicinity_inplace(cells, bits, settings, stop, state, heap, path):
    """Use up all cells within `band` of a path in its rows and columns."""
    n, band = settings[0], settings[2]
    for t in range(len(path)):
        i, j = path[t]
        rows = 1
        columns = 1
        if t > 0:
            rows = path[t - 1, 0] - i
            columns = path[t - 1, 1] - j
        # A step over a row or a column also uses up the one in between.
        for row in range(i, i + rows):
            for column in range(max(0, j - band), min(n, j + band + 1)):
                heap = use_up_inplace(
                    cells, bits, settings, stop, state, heap, row, column
                )
        for column in range(j, j + columns):
            for row in range(max(0, i - band), min(n, i + band + 1)):
                heap = use_up_inplace(
                    cells, bits, settings, stop, state, heap, row, column
                )
    return heap


@strict_kernel
def take_inplace(cells, bits, settings, stop, state, heap, path, position):
    """Take the path that ends at `position`; return its length, 0 if short, and heap.

    path: i8[n, 2] receives the cells, last first.
    """
    n = settings[0]
    length = trace_inplace(cells, settings, position, path)
    for t in range(length):
        i, j = path[t]
        at = row_start(n, i) + j - i
        cells[at] = -cells[at]
    for t in range(1, length):
        i, j = path[t]
        if path[t - 1, 0] - i == 2:
            heap = use_up_inplace(cells, bits, settings, stop, state, heap, i + 1, j)
        elif path[t - 1, 1] - j == 2:
            heap = use_up_inplace(cells, bits, settings, stop, state, heap, i, j + 1)
    if not is_long(path[:length], settings[1]):
        return 0, heap
    heap = use_up_vicinity_inplace(
        cells, bits, settings, stop, state, heap, path[:length]
    )
    return length, heap


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
        flat[size + t, 1:] = path[len(path) - 1 - t]
    state[CELLS] += len(path)
    state[PATHS] += 1
    return flat


@strict_kernel
def take_all(cells, order, settings, stop, state, heap, flat, path):
    """Take the paths that end at packed positions, in this order; skip used ones.

    cells: packed f4, used up in place; order: i8[m]. -> heap: u8[.], flat: i4[., 3],
    rows of path number, row and column, path by path. path: i8[n, 2], room to work in.
    """
    bits = cells.view(np.uint32)
    for position in order:
        if cells[position] > 0:
            length, heap = take_inplace(
                cells, bits, settings, stop, state, heap, path, position
            )
            if length:
                flat = append(flat, state, path[:length])
    return heap, flat


@strict_kernel
def largest_free(cells, ranked, state, heap):
    """Remove and return all keys of the largest value that is free. -> sorted u8[m].

    Keys of cells that have been used up are dropped on the way.
    """
    group = np.empty(4, np.uint64)
    size = 0
    low = np.uint64(0xFFFFFFFF)
    while True:
        left, waiting = state[LEFT], state[HEAP]
        if left == 0 and waiting == 0:
            break
        listed = waiting == 0 or (left > 0 and ranked[left - 1] >= heap[0])
        key = ranked[left - 1] if listed else heap[0]
        if size and key >> np.uint64(32) != group[0] >> np.uint64(32):
            break
        if listed:
            state[LEFT] -= 1
        else:
            pop_inplace(heap, waiting)
            state[HEAP] -= 1
        if cells[np.int64(key & low)] <= 0 or (size and group[size - 1] == key):
            continue
        if size == len(group):
            larger = np.empty(4 * size, np.uint64)
            larger[:size] = group
            group = larger
        group[size] = key
        size += 1
    return group[:size]


@strict_kernel
def are_near(one, other, band):
    """Whether any cell of a path lies within band + 1 rows and columns of another's."""
    for a in range(len(one)):
        for b in range(len(other)):
            rows = abs(one[a, 0] - other[b, 0])
            if rows <= band + 1 and abs(one[a, 1] - other[b, 1]) <= band + 1:
                return True
    return False


@strict_kernel
def depend_on_order(cells, order, settings, path):
    """Whether the paths that end at these free cells depend on which goes first.

    They do not if no two share a cell, none steps over a cell of another, and none
    that is long lies near another. path: i8[n, 2], room to work in.
    """
    n = settings[0]
    traced = np.empty((4 * len(order), 2), np.int64)
    touched = np.empty(8 * len(order), np.int64)
    ends = np.zeros(len(order) + 1, np.int64)
    size = 0
    for m in range(len(order)):
        length = trace_inplace(cells, settings, order[m], path)
        if size + length > len(traced):
            larger = np.empty((2 * (size + length), 2), np.int64)
            larger[:size] = traced[:size]
            traced = larger
            wider = np.empty(4 * (size + length), np.int64)
            wider[: 2 * size] = touched[: 2 * size]
            touched = wider
        for t in range(length):
            i, j = path[t]
            traced[size + t] = path[t]
            # Twice the position of a cell, plus one if it was only stepped over.
            touched[2 * (size + t)] = 2 * (row_start(n, i) + j - i)
            over = -1 - 2 * (size + t)  # a number that no other cell has
            if t > 0 and path[t - 1, 0] - i == 2:
                over = 2 * (row_start(n, i + 1) + j - i - 1) + 1
            elif t > 0 and path[t - 1, 1] - j == 2:
                over = 2 * (row_start(n, i) + j - i + 1) + 1
            touched[2 * (size + t) + 1] = over
        size += length
        ends[m + 1] = size
    touched = np.sort(touched[: 2 * size])
    for t in range(1, len(touched)):
        if touched[t - 1] % 2 == 0 and touched[t - 1] // 2 == touched[t] // 2:
            return True
    for a in range(len(order)):
        one = traced[ends[a] : ends[a + 1]]
        if not is_long(one, settings[1]):
            continue
        for b in range(len(order)):
            other = traced[ends[b] : ends[b + 1]]
            if a != b and are_near(one, other, settings[2]):
                return True
    return False


@strict_kernel
def take_until_tie(cells, ranked, settings, stop, state, heap, flat):
    """Take paths, largest end first, until the order of equal ends matters.

    ranked: u8[m], sorted keys of `cumulative.path_ends`. Then state[TIE] holds the
    bits of that value, else 0: all paths are found. -> heap, flat as in `take_all`.
    """
    state[TIE] = 0
    low = np.uint64(0xFFFFFFFF)
    path = np.empty((settings[0], 2), np.int64)
    while True:
        group = largest_free(cells, ranked, state, heap)
        if len(group) == 0:
            break
        order = (group & low).astype(np.int64)
        if len(order) > 1 and depend_on_order(cells, order, settings, path):
            state[TIE] = np.int64(group[0] >> np.uint64(32))
            break
        heap, flat = take_all(cells, order, settings, stop, state, heap, flat, path)
    return heap, flat
