"""Pairs of neighbouring words that occur more than once: only they can form rules."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def numbered(words):
    """Give the pairs that occur again numbers from 1 on; 0 is any that occurs once.

    i8[m] -> u4[max(m - 1, 0)], for every word but the last the number of its pair with
    the next. In most series few pairs occur again, and a grammar need not look at the
    others: this one pass over a small table replaces many over large ones. O(m).
    """
    count = max(len(words) - 1, 0)
    numbers = np.zeros(count, np.uint32)
    table = _no_pairs(count)
    top = 0
    for i in range(count):
        place = _first_place(words, table, i)
        if place >= 0:
            if numbers[place] == 0:
                top += 1
                numbers[place] = top
            numbers[i] = numbers[place]
    return numbers


@strict_kernel
def _no_pairs(count):
    """Return a table with room for the first places of `count` pairs."""
    size = 16
    while size < 2 * count:
        size *= 2
    return np.full(size, -1, np.int32)


@strict_kernel
def _first_place(words, table, i):
    """Return where the pair of word i and the next stood first; -1 if it is new."""
    mask = len(table) - 1
    left, right = words[i], words[i + 1]
    slot = _slot(left, right) & mask
    place = table[slot]
    while place >= 0 and (words[place] != left or words[place + 1] != right):
        slot = (slot + 1) & mask
        place = table[slot]
    if place < 0:
        table[slot] = i
    return place


@strict_kernel
def _slot(left, right):
    """Mix a pair into 32 bits; no product exceeds 63 bits."""
    mixed = ((left & 0x7FFFFFFF) * 2654435761) & 0xFFFFFFFF
    mixed = ((mixed ^ (right & 0x7FFFFFFF)) & 0x7FFFFFFF) * 2246822519
    return (mixed & 0xFFFFFFFF) ^ (mixed >> 32)
