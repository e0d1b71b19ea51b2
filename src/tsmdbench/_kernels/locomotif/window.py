"""The order of equal values, found in one part of the keys at a time.

To split many keys by the values that they point to is slow: once they are out of order,
each value has to be fetched from anywhere. So parts that fit into a window are not
split further where they are, but moved to it, keys and values together, as wide keys.

The window has no memory of its own: it is at the end of that of the keys, with some
room behind them. Values are asked for in falling order, so keys behind a part that is
moved are no longer needed. The first part has to fit the room; those that follow also
have the place of all before.

See `ties` for keys, bits and trees.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.keys import POSITION, SHIFT
from tsmdbench._kernels.locomotif.ties import new_tree, parts_with, value_at


@strict_kernel
def widen_inplace(bits, keys, low, high, wide):
    """Move keys[low .. high], u4, to the end of `wide`, u8, each with its value.

    Both are the same memory. The last key first: then none is overwritten too early.
    """
    ahead = len(wide) - 1 - high
    for t in range(high, low - 1, -1):
        wide[ahead + t] = np.uint64(bits[keys[t]]) << SHIFT | np.uint64(keys[t])


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
    """Return `found` and after it the positions of keys with this value. i8.

    The last key of a part first.
    """
    size = len(found)
    longer = np.empty(size + count_equal(keys, parts, value), np.int64)
    longer[:size] = found
    for p in range(len(parts)):
        for t in range(parts[p, 1], parts[p, 0] - 1, -1):
            if value_at(keys, keys, t) == value:
                longer[size] = np.int64(np.uint64(keys[t]) & POSITION)
                size += 1
    return longer


@strict_kernel
def ordered(bits, keys, wide, nodes, size, inner, held, value, lists):
    """Find all cells of a value, the last in the order of the quicksort first.

    The value is less than any asked for before. keys: u4[m], reordered and, from the
    end on, lost; nodes, size: their tree; wide: u8, the same memory, longer than
    (m + `ties.SMALL`) / 2; inner: tree of the window; held: i8[3], the part of the keys
    that is in it, first and last, and the size of its tree; lists: `ties.new_lists()`.
    -> positions, i8, nodes, size, inner.
    """
    found = np.empty(0, np.int64)
    nodes, size, parts = parts_with(bits, keys, nodes, size, value, len(wide), lists)
    for p in range(len(parts)):
        low, high = parts[p, 0], parts[p, 1]
        part = wide[len(wide) - 1 - (high - low) :]
        if held[0] != low or held[1] != high:
            widen_inplace(bits, keys, low, high, wide)
            inner = new_tree(len(part))
            held[0], held[1], held[2] = low, high, 1
        inner, many, within = parts_with(bits, part, inner, held[2], value, 0, lists)
        held[2] = many
        found = append_equal(part, within, value, found)
    return found, nodes, size, inner
