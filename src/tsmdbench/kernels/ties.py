"""Order of equal values under an unstable quicksort, without sorting the rest.

Which of two equally large cells a path search takes first can decide what it finds.
The authors of LoCoMotif take the order that numba's ``argsort`` leaves them in: a
quicksort with the median of three as pivot, whose result for equal values depends on
all other values. Its parts are independent of each other, though, so only those that
can hold the value asked for need to be split further. A tree of the splits is kept
for the next question.

Sorted are keys: positions, u4, or, in a `window`, wide ones: values shifted by 32 bits
plus positions, u8. Those take twice the memory but need no look at values elsewhere.
`bits` are those values, float32 as u4. A node of the tree is a row of i8[., 6]: first
and last index, index of the pivot or -1 while not split, the rows of its two children,
-1 for a part that has been sorted as a whole, and the value of the pivot.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.keys import SHIFT

SMALL = 15  # shorter parts are sorted by insertion
BLOCK = 256  # keys compared with a pivot at a time; their indices fit 8 bits
SHORT = 64  # the same for what is left, and for short parts
AT_ONCE = 4  # keys that a loop handles at once
NONE = np.uint64(0)


@strict_kernel
def list_positive_inplace(bits, n, band, keys):
    """Set `keys` to those of all cells outside the band that are not 0, in order.

    bits: packed cells, u4; keys: u4 or u8, longer than there are cells. Return how
    many there are. O(n^2).
    """
    size = 0
    start = 0
    for i in range(n):
        # Slices, whose indices cannot be negative, take half the instructions.
        part, target = bits[start + band + 1 : start + n - i], keys[size:]
        count = NONE
        for t in range(len(part)):
            # Written in any case, counted if it is one: no branch to guess wrong.
            value = np.uint64(part[t]) if keys.itemsize == 8 else NONE
            target[count] = value << SHIFT | np.uint64(start + band + 1 + t)
            count += np.uint64(part[t] != 0)
        size += np.int64(count)
        start += n - i
    return size


@strict_kernel
def value_at(bits, keys, a):
    """Value that the key with index a stands for."""
    # The size is known to the compiler, which leaves out the other case.
    if keys.itemsize == 8:
        return np.uint32(np.uint64(keys[a]) >> SHIFT)
    return bits[keys[a]]


@strict_kernel
def swap_inplace(keys, a, b):
    """Exchange two keys."""
    keys[a], keys[b] = keys[b], keys[a]


@strict_kernel
def find_large_inplace(bits, keys, low, block, pivot, found):
    """List which of keys[low .. low + block - 1] are at least `pivot`, from 0 on, u1.

    Return how many there are. Each index is written, but counted only if it is one: no
    branch that could be guessed wrong. Some at a time, which halves what loops take;
    unsigned, since such an index is not looked at for being negative.
    """
    size = NONE
    at = np.uint64(low)
    for first in range(0, block, AT_ONCE):
        for t in range(AT_ONCE):
            found[size] = first + t
            size += np.uint64(value_at(bits, keys, at + np.uint64(t)) >= pivot)
        at += np.uint64(AT_ONCE)
    return np.int64(size)


@strict_kernel
def find_small_inplace(bits, keys, high, block, pivot, found):
    """List which of keys[high .. high - block + 1] are at most `pivot`. As above."""
    size = NONE
    at = np.uint64(high)
    for first in range(0, block, AT_ONCE):
        for t in range(AT_ONCE):
            found[size] = first + t
            size += np.uint64(value_at(bits, keys, at - np.uint64(t)) <= pivot)
        at -= np.uint64(AT_ONCE)
    return np.int64(size)


@strict_kernel
def exchange_blocks_inplace(bits, keys, low, high, pivot, block):
    """Do the first exchanges of a split of keys[low .. high] by blocks at both ends.

    Return the indices that one exchange after the other would go on from. First the
    keys of a block are found that are to be exchanged; then the first of the left is
    exchanged with the first of the right, and so on, as they would be one by one.
    """
    left, right = np.empty(block + 1, np.uint8), np.empty(block + 1, np.uint8)
    left_next, left_size, right_next, right_size = 0, 0, 0, 0
    while high - low + 1 >= 2 * block:
        if left_next == left_size:
            left_next = 0
            left_size = find_large_inplace(bits, keys, low, block, pivot, left)
        if right_next == right_size:
            right_next = 0
            right_size = find_small_inplace(bits, keys, high, block, pivot, right)
        many = min(left_size - left_next, right_size - right_next)
        for t in range(many):
            a = np.uint64(low) + np.uint64(left[np.uint64(left_next + t)])
            b = np.uint64(high) - np.uint64(right[np.uint64(right_next + t)])
            swap_inplace(keys, a, b)
        left_next += many
        right_next += many
        low += block if left_next == left_size else 0
        high -= block if right_next == right_size else 0
    low += np.int64(left[left_next]) if left_next < left_size else 0
    high -= np.int64(right[right_next]) if right_next < right_size else 0
    return low, high


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
    i, j = low, high - 1
    pivot = value_at(bits, keys, high)
    for block in (BLOCK, SHORT):
        if j - i > 2 * block:
            i, j = exchange_blocks_inplace(bits, keys, i, j, pivot, block)
    while True:
        while i < high and value_at(bits, keys, i) < pivot:
            i += 1
        while j >= low and pivot < value_at(bits, keys, j):
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
def new_tree(count):
    """Tree of `count` keys of which none has been split."""
    nodes = np.empty((1024, 6), np.int64)
    nodes[0, 0], nodes[0, 1], nodes[0, 2] = 0, count - 1, -1
    return nodes


@strict_kernel
def split_node(bits, keys, nodes, size, node):
    """Split or sort an open node; return the tree, larger if it was full, and size."""
    low, high = nodes[node, 0], nodes[node, 1]
    if high - low < SMALL:
        insert_inplace(bits, keys, low, high)
        nodes[node, 2:] = low, -1, -1, 0
        return nodes, size
    if size + 2 > len(nodes):
        larger = np.empty((2 * len(nodes), 6), np.int64)
        larger[:size] = nodes[:size]
        nodes = larger
    pivot = split_inplace(bits, keys, low, high)
    nodes[node, 2:5] = pivot, size, size + 1
    nodes[node, 5] = value_at(bits, keys, pivot)
    nodes[size] = low, pivot - 1, -1, -1, -1, 0
    nodes[size + 1] = pivot + 1, high, -1, -1, -1, 0
    return nodes, size + 2


@strict_kernel
def most_from(first, slots):
    """How many keys, from this one on, a part may have; see `parts_with`."""
    return max(1, slots - (first + 1) // 2)


@strict_kernel
def parts_with(bits, keys, nodes, size, value, slots):
    """Split until parts that can hold a value are sorted, or small enough.

    keys: u4 or u8[m], reordered; value: bits of a value. slots: with 0 parts are split
    to the end; else a part is small enough if it can be moved to the last slots, each
    as wide as two keys, without reaching those of the keys before it. Return the tree,
    its size, and the parts, i8[., 2], first and last index, the last part first; a
    pivot that has the value is a part of its own. O(m) the first time.
    """
    parts = np.empty((16, 2), np.int64)
    found = 0
    waiting = [(0, -1)]  # node and, if the node is -1, index of a pivot
    while len(waiting):
        node, first = waiting.pop()
        last = first
        if node >= 0:
            first, last = nodes[node, 0], nodes[node, 1]
            large = last - first >= most_from(first, slots)
            if large and nodes[node, 2] < 0:
                nodes, size = split_node(bits, keys, nodes, size, node)
            if large and nodes[node, 3] >= 0:
                pivot = nodes[node, 5]
                if value <= pivot:
                    waiting.append((nodes[node, 3], np.int64(-1)))
                if value == pivot:
                    waiting.append((np.int64(-1), nodes[node, 2]))
                if value >= pivot:
                    waiting.append((nodes[node, 4], np.int64(-1)))
                continue
        if first <= last:
            if found == len(parts):
                larger = np.empty((2 * found, 2), np.int64)
                larger[:found] = parts
                parts = larger
            parts[found, 0], parts[found, 1] = first, last
            found += 1
    return nodes, size, parts[:found]
