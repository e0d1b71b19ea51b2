"""Order of equal values under an unstable quicksort, without sorting the rest.

Which of two equally large cells a path search takes first can decide what it finds.
The authors of LoCoMotif take the order that numba's ``argsort`` leaves them in: a
quicksort with the median of three as pivot, whose result for equal values depends on
all other values. Its parts are independent of each other, though, so only those that
can hold the value asked for need to be split further. A tree of the splits is kept
for the next question.

Sorted are positions, u4, by the values at them: `bits` are float32 as u4, whose sign
does not count. A node of the tree is a row of i8[., 5]: first and last index, index of
the pivot or -1 while not split, and the rows of its two children.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

MODULUS = np.uint32(0x7FFFFFFF)
SMALL = 15  # shorter parts are sorted by insertion


@strict_kernel
def free_positions(bits, n, band, count):
    """Positions of all `count` cells outside the band that are not 0, in order.

    bits: packed cells. -> u4[count]. O(n^2).
    """
    positions = np.empty(count, np.uint32)
    size = 0
    start = 0
    for i in range(n):
        for at in range(start + band + 1, start + n - i):
            if bits[at] & MODULUS:
                positions[size] = at
                size += 1
        start += n - i
    return positions


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
def value_at(bits, keys, a):
    """Value that the key with index a stands for."""
    return bits[keys[a]] & MODULUS


@strict_kernel
def swap_inplace(keys, a, b):
    """Exchange two keys."""
    keys[a], keys[b] = keys[b], keys[a]


@strict_kernel
def split_inplace(bits, keys, low, high):
    """Split keys[low .. high] about the median of three; return the pivot's index."""
    middle = (low + high) >> 1
    if value_at(bits, keys, middle) < value_at(bits, keys, low):
        swap_inplace(keys, low, middle)
    if value_at(bits, keys, high) < value_at(bits, keys, middle):
        swap_inplace(keys, high, middle)
    if value_at(bits, keys, middle) < value_at(bits, keys, low):
        swap_inplace(keys, low, middle)
    swap_inplace(keys, high, middle)  # the pivot waits at the end
    i = low
    j = high - 1
    while True:
        while i < high and value_at(bits, keys, i) < value_at(bits, keys, high):
            i += 1
        while j >= low and value_at(bits, keys, high) < value_at(bits, keys, j):
            j -= 1
        if i >= j:
            break
        swap_inplace(keys, i, j)
        i += 1
        j -= 1
    swap_inplace(keys, i, high)
    return i


@strict_kernel
def insert_inplace(bits, keys, low, high):
    """Sort keys[low .. high] by insertion."""
    for i in range(low + 1, high + 1):
        j = i
        while j > low and value_at(bits, keys, j) < value_at(bits, keys, j - 1):
            swap_inplace(keys, j, j - 1)
            j -= 1


@strict_kernel
def split_node(bits, keys, nodes, size, node):
    """Split or sort an open node; return the tree, larger if it was full, and size."""
    low, high = nodes[node, 0], nodes[node, 1]
    if high - low < SMALL:
        insert_inplace(bits, keys, low, high)
        nodes[node, 2:] = low, -1, -1
        return nodes, size
    if size + 2 > len(nodes):
        larger = np.empty((2 * len(nodes), 5), np.int64)
        larger[:size] = nodes[:size]
        nodes = larger
    pivot = split_inplace(bits, keys, low, high)
    nodes[node, 2:] = pivot, size, size + 1
    nodes[size] = low, pivot - 1, -1, -1, -1
    nodes[size + 1] = pivot + 1, high, -1, -1, -1
    return nodes, size + 2


@strict_kernel
def settle(bits, keys, nodes, size, value):
    """Bring keys of this value into their final order; return the tree and its size.

    keys: u4[m], reordered; value: bits of a value. O(m) the first time.
    """
    waiting = [0]
    while len(waiting):
        node = waiting.pop()
        if nodes[node, 1] <= nodes[node, 0]:
            continue
        if nodes[node, 2] < 0:
            nodes, size = split_node(bits, keys, nodes, size, node)
        if nodes[node, 3] < 0:
            continue
        pivot = value_at(bits, keys, nodes[node, 2])
        if value <= pivot:
            waiting.append(nodes[node, 3])
        if value >= pivot:
            waiting.append(nodes[node, 4])
    return nodes, size


@strict_kernel
def first_at_least(bits, keys, value):
    """Index of the first key of at least this value, once settled. O(log m)."""
    low = 0
    high = len(keys)
    while low < high:
        middle = (low + high) // 2
        if value_at(bits, keys, middle) < value:
            low = middle + 1
        else:
            high = middle
    return low
