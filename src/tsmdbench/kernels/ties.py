"""Order of equal values under an unstable quicksort, without sorting the rest.

Which of two equally large cells a path search takes first can decide what it finds.
The authors of LoCoMotif take the order that numba's ``argsort`` leaves them in: a
quicksort with the median of three as pivot, whose result for equal values depends on
all other values. Its parts are independent of each other, though, so only those that
can hold the value asked for need to be split further. A tree of the splits is kept
for the next question.

Keys are u8: the bits of a positive float32, shifted by 32, plus a position that is
not compared. A node of the tree is a row of i8[., 5]: first and last index, index of
the pivot or -1 while not split, and the rows of its two children.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

SMALL = 15  # shorter parts are sorted by insertion


@strict_kernel
def free_keys(cells, n, band, count):
    """Keys of all `count` cells outside the band that are not 0, in packed order.

    cells: packed f4, negative where used up. -> u8[count]. O(n^2).
    """
    bits = cells.view(np.uint32)
    keys = np.empty(count, np.uint64)
    size = 0
    start = 0
    for i in range(n):
        for at in range(start + band + 1, start + n - i):
            value = bits[at] & np.uint32(0x7FFFFFFF)
            if value:
                keys[size] = np.uint64(value) << np.uint64(32) | np.uint64(at)
                size += 1
        start += n - i
    return keys


@strict_kernel
def count_free(cells, n, band):
    """Count the cells outside the band that are not 0. O(n^2)."""
    count = 0
    start = 0
    for i in range(n):
        for value in cells[start + band + 1 : start + n - i]:
            count += value != 0
        start += n - i
    return count


@strict_kernel
def is_less(keys, a, b):
    """Compare two keys without their positions."""
    return keys[a] >> np.uint64(32) < keys[b] >> np.uint64(32)


@strict_kernel
def swap_inplace(keys, a, b):
    """Exchange two keys."""
    keys[a], keys[b] = keys[b], keys[a]


@strict_kernel
def split_inplace(keys, low, high):
    """Split keys[low .. high] about the median of three; return the pivot's index."""
    middle = (low + high) >> 1
    if is_less(keys, middle, low):
        swap_inplace(keys, low, middle)
    if is_less(keys, high, middle):
        swap_inplace(keys, high, middle)
    if is_less(keys, middle, low):
        swap_inplace(keys, low, middle)
    swap_inplace(keys, high, middle)  # the pivot waits at the end
    i = low
    j = high - 1
    while True:
        while i < high and is_less(keys, i, high):
            i += 1
        while j >= low and is_less(keys, high, j):
            j -= 1
        if i >= j:
            break
        swap_inplace(keys, i, j)
        i += 1
        j -= 1
    swap_inplace(keys, i, high)
    return i


@strict_kernel
def insert_inplace(keys, low, high):
    """Sort keys[low .. high] by insertion."""
    for i in range(low + 1, high + 1):
        j = i
        while j > low and is_less(keys, j, j - 1):
            swap_inplace(keys, j, j - 1)
            j -= 1


@strict_kernel
def split_node(keys, nodes, size, node):
    """Split or sort an open node; return the tree, larger if it was full, and size."""
    low, high = nodes[node, 0], nodes[node, 1]
    if high - low < SMALL:
        insert_inplace(keys, low, high)
        nodes[node, 2:] = low, -1, -1
        return nodes, size
    if size + 2 > len(nodes):
        larger = np.empty((2 * len(nodes), 5), np.int64)
        larger[:size] = nodes[:size]
        nodes = larger
    pivot = split_inplace(keys, low, high)
    nodes[node, 2:] = pivot, size, size + 1
    nodes[size] = low, pivot - 1, -1, -1, -1
    nodes[size + 1] = pivot + 1, high, -1, -1, -1
    return nodes, size + 2


@strict_kernel
def settle(keys, nodes, size, value):
    """Bring keys of this value into their final order; return the tree and its size.

    keys: u8[m], reordered; value: upper half of a key. O(m) the first time.
    """
    waiting = [0]
    while len(waiting):
        node = waiting.pop()
        if nodes[node, 1] <= nodes[node, 0]:
            continue
        if nodes[node, 2] < 0:
            nodes, size = split_node(keys, nodes, size, node)
        if nodes[node, 3] < 0:
            continue
        pivot = keys[nodes[node, 2]] >> np.uint64(32)
        if value <= pivot:
            waiting.append(nodes[node, 3])
        if value >= pivot:
            waiting.append(nodes[node, 4])
    return nodes, size


@strict_kernel
def first_at_least(keys, value):
    """Index of the first key of at least this value, once settled. O(log m)."""
    low = 0
    high = len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] >> np.uint64(32) < value:
            low = middle + 1
        else:
            high = middle
    return low
