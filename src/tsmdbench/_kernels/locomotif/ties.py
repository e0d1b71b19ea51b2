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

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.keys import SHIFT

SMALL = 15  # shorter parts are sorted by insertion
BLOCK = 256  # keys compared with a pivot at a time; their indices fit 8 bits
SHORT = 32  # the same for what is left, and for short parts
LIST = BLOCK + 1  # room for a list of them
AT_ONCE = 4  # keys that a loop handles at once
NONE, ONE = np.uint64(0), np.uint64(1)


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
def new_lists():
    """Room to split in: u1, for two lists of keys that are to be exchanged."""
    return np.empty(2 * LIST, np.uint8)


@strict_kernel
def find_large_inplace(bits, keys, low, block, pivot, lists):
    """List which of keys[low .. low + block - 1] are at least `pivot`, from 0 on.

    In the first list; return how many there are. Each index is written, but counted
    only if it is one: no branch that could be guessed wrong. Some at a time, which
    halves what loops take; unsigned, since such an index is not looked at for being
    negative.
    """
    size = NONE
    at = np.uint64(low)
    for first in range(0, block, AT_ONCE):
        for t in range(AT_ONCE):
            lists[size] = first + t
            size += np.uint64(value_at(bits, keys, at + np.uint64(t)) >= pivot)
        at += np.uint64(AT_ONCE)
    return np.int64(size)


@strict_kernel
def find_small_inplace(bits, keys, high, block, pivot, lists):
    """List which of keys[high .. high - block + 1] are at most `pivot`, as above.

    In the second list.
    """
    size = np.uint64(LIST)
    at = np.uint64(high)
    for first in range(0, block, AT_ONCE):
        for t in range(AT_ONCE):
            lists[size] = first + t
            size += np.uint64(value_at(bits, keys, at - np.uint64(t)) <= pivot)
        at -= np.uint64(AT_ONCE)
    return np.int64(size)


@strict_kernel
def exchange_blocks_inplace(bits, keys, low, high, pivot, block, lists):
    """Do the first exchanges of a split of keys[low .. high] by blocks at both ends.

    Return the indices that one exchange after the other would go on from. First the
    keys of a block are found that are to be exchanged; then the first of the left is
    exchanged with the first of the right, and so on, as they would be one by one.
    """
    left, left_end, right, right_end = 0, 0, LIST, LIST
    while high - low + 1 >= 2 * block:
        if left == left_end:
            left = 0
            left_end = find_large_inplace(bits, keys, low, block, pivot, lists)
        if right == right_end:
            right = LIST
            right_end = find_small_inplace(bits, keys, high, block, pivot, lists)
        many = min(left_end - left, right_end - right)
        for t in range(many):
            a = np.uint64(low) + np.uint64(lists[np.uint64(left + t)])
            b = np.uint64(high) - np.uint64(lists[np.uint64(right + t)])
            swap_inplace(keys, a, b)
        left += many
        right += many
        low += block if left == left_end else 0
        high -= block if right == right_end else 0
    low += np.int64(lists[left]) if left < left_end else 0
    high -= np.int64(lists[right]) if right < right_end else 0
    return low, high


@strict_kernel
def exchange_rest_inplace(bits, keys, low, high, pivot, lists):
    """Do the last exchanges of a split, of fewer than `LIST` keys[low .. high].

    Return where the search for a large key would end. What lies before them is not
    large, and what lies behind is not small. All keys are looked at from both sides;
    pairs are exchanged until they meet.
    """
    m = high - low + 1
    left, right = NONE, np.uint64(LIST)
    a, b = np.uint64(low), np.uint64(high)
    for t in range(m):
        lists[left] = t
        left += np.uint64(value_at(bits, keys, a) >= pivot)
        lists[right] = t
        right += np.uint64(value_at(bits, keys, b) <= pivot)
        a += ONE
        b -= ONE
    lists[left], lists[right] = m, m  # the neighbours end both searches
    end, pair = high + 1, NONE
    while True:
        i = low + np.int64(lists[pair])
        j = high - np.int64(lists[np.uint64(LIST) + pair])
        if i >= j:
            return min(i, end)
        swap_inplace(keys, i, j)
        end = j  # now holds a large one
        pair += ONE


@strict_kernel
def split_inplace(bits, keys, low, high, lists):
    """Split keys[low .. high] about the median of three; return the pivot's index."""
    middle = (low + high) >> 1
    if value_at(bits, keys, middle) < value_at(bits, keys, low):
        swap_inplace(keys, low, middle)
    if value_at(bits, keys, high) < value_at(bits, keys, middle):
        swap_inplace(keys, high, middle)
    if value_at(bits, keys, middle) < value_at(bits, keys, low):
        swap_inplace(keys, low, middle)
    swap_inplace(keys, high, middle)  # the pivot waits at the end
    pivot = value_at(bits, keys, high)
    i, j = low, high - 1
    for block in (BLOCK, SHORT):
        i, j = exchange_blocks_inplace(bits, keys, i, j, pivot, block, lists)
    i = exchange_rest_inplace(bits, keys, i, j, pivot, lists)
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
def with_room(table, size, more):
    """Table, i8[., .], or if it has no room for more rows, a longer copy of it."""
    if size + more <= len(table):
        return table
    longer = np.empty((2 * (size + more), table.shape[1]), np.int64)
    longer[:size] = table[:size]
    return longer


@strict_kernel
def split_node(bits, keys, nodes, size, node, lists):
    """Split or sort an open node; return the tree, larger if it was full, and size."""
    low, high = nodes[node, 0], nodes[node, 1]
    if high - low < SMALL:
        insert_inplace(bits, keys, low, high)
        nodes[node, 2:] = low, -1, -1, 0
        return nodes, size
    nodes = with_room(nodes, size, 2)
    pivot = split_inplace(bits, keys, low, high, lists)
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
def parts_with(bits, keys, nodes, size, value, slots, lists):
    """Split until parts that can hold a value are sorted, or small enough.

    keys: u4 or u8[m], reordered; value: bits of a value. slots: with 0 parts are split
    to the end; else a part is small enough if it can be moved to the last slots, each
    as wide as two keys, without reaching those of the keys before it. Return the tree,
    its size, and the parts, i8[., 2], first and last index, the last part first; a
    pivot that has the value is a part of its own. O(m) the first time.
    """
    parts, found = np.empty((4, 2), np.int64), 0
    # A stack of nodes or, where the node is -1, of indices of pivots.
    waiting, top = np.empty((8, 2), np.int64), 1
    waiting[0] = 0, -1
    while top:
        top -= 1
        node, first = waiting[top, 0], waiting[top, 1]
        last = first
        if node >= 0:
            first, last = nodes[node, 0], nodes[node, 1]
            large = last - first >= most_from(first, slots)
            if large and nodes[node, 2] < 0:
                nodes, size = split_node(bits, keys, nodes, size, node, lists)
            if large and nodes[node, 3] >= 0:
                pivot = nodes[node, 5]
                waiting = with_room(waiting, top, 3)
                if value <= pivot:
                    waiting[top] = nodes[node, 3], -1
                    top += 1
                if value == pivot:
                    waiting[top] = -1, nodes[node, 2]
                    top += 1
                if value >= pivot:
                    waiting[top] = nodes[node, 4], -1
                    top += 1
                continue
        if first <= last:
            parts = with_room(parts, found, 1)
            parts[found] = first, last
            found += 1
    return nodes, size, parts[:found]
