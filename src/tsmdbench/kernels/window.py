"""The order of equal values, found in one part of the keys at a time.

To split many keys by the values that they point to is slow: once they are out of order,
each value has to be fetched from anywhere. So parts that fit into a window are not
split further where they are, but copied to it, keys and values together. Values are
asked for in falling order, so a part is seldom copied twice.

See `ties` for keys, bits and trees.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.keys import POSITION, SHIFT
from tsmdbench.kernels.ties import new_tree, parts_with, value_at


@strict_kernel
def fill_inplace(bits, keys, window):
    """Copy keys, u4[m], to a window, u8[m], each with its value."""
    for t in range(len(keys)):
        window[t] = np.uint64(bits[keys[t]]) << SHIFT | np.uint64(keys[t])


@strict_kernel
def count_equal(keys, parts, value):
    """Count keys of the parts that have this value. keys: u8."""
    count = 0
    for p in range(len(parts)):
        for t in range(parts[p, 0], parts[p, 1] + 1):
            count += value_at(keys, keys, t) == value
    return count


@strict_kernel
def append_equal(keys, parts, value, found):
    """Return `found` and after it the positions of keys with this value. i8."""
    size = len(found)
    longer = np.empty(size + count_equal(keys, parts, value), np.int64)
    longer[:size] = found
    for p in range(len(parts)):
        for t in range(parts[p, 0], parts[p, 1] + 1):
            if value_at(keys, keys, t) == value:
                longer[size] = np.int64(np.uint64(keys[t]) & POSITION)
                size += 1
    return longer


@strict_kernel
def ordered(bits, keys, nodes, size, window, inner, held, value):
    """Find the positions of all cells of this value in the order of the quicksort.

    keys: u4[m], reordered; nodes, size: their tree; window: u8, of any content and at
    least `ties.SMALL` long unless m is less; inner: tree of the window; held: i8[3],
    the part of the keys that is in it, first and last, and the size of its tree. ->
    positions, i8, nodes, size, inner.
    """
    found = np.empty(0, np.int64)
    nodes, size, parts = parts_with(bits, keys, nodes, size, value, len(window))
    for p in range(len(parts)):
        low, high = parts[p, 0], parts[p, 1]
        part = window[: high - low + 1]
        if held[0] != low or held[1] != high:
            fill_inplace(bits, keys[low : high + 1], part)
            inner = new_tree(len(part))
            held[0], held[1], held[2] = low, high, 1
        inner, many, within = parts_with(bits, part, inner, held[2], value, 1)
        held[2] = many
        found = append_equal(part, within, value, found)
    return found, nodes, size, inner
