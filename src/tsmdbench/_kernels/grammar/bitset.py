"""A set of positions that finds its lowest: a tree of words of 32 bits.

A bit of a leaf is a position; a bit of a word above says that the word below it is not
empty. Four levels serve a million positions.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

FAN, SHIFT = 32, 5  # bits that a word uses; 2**SHIFT of them
# A tree begins with its number of levels and with where they begin, leaves first; there
# are seven at most, so the words follow from WORDS on.
DEPTH, LEVELS, WORDS = 0, 1, 8
EMPTY = 2**32 - 1  # no position


@strict_kernel
def no_positions(size):
    """Return the empty set of positions below `size`, which is at most 2**31. -> u4."""
    tree = np.zeros(WORDS + size // (FAN - 1) + WORDS, np.uint32)
    begin, width, level = WORDS, size, 0
    while level == 0 or width > 1:
        tree[LEVELS + level] = begin
        width = (width + FAN - 1) // FAN
        begin += max(width, 1)
        level += 1
    tree[DEPTH] = level
    return tree


@strict_kernel
def add_inplace(tree, place):
    """Add a position."""
    at = np.uint32(place)
    for level in range(tree[DEPTH]):
        word = tree[LEVELS + level] + (at >> SHIFT)
        was = tree[word]
        tree[word] = was | np.uint32(1 << (at & (FAN - 1)))
        if was != 0:  # the words above know that
            return
        at = np.uint32(at >> SHIFT)


@strict_kernel
def pop_inplace(tree):
    """Take the lowest position off and return it, or EMPTY."""
    place = np.uint32(0)
    for level in range(tree[DEPTH] - 1, -1, -1):
        word = tree[tree[LEVELS + level] + place]
        if word == 0:
            return np.uint32(EMPTY)
        place = np.uint32(place * FAN + _lowest_bit(word))
    at = place
    for level in range(tree[DEPTH]):
        index = tree[LEVELS + level] + (at >> SHIFT)
        left = tree[index]
        left &= np.uint32(left - 1)
        tree[index] = left
        if left != 0:
            break
        at = np.uint32(at >> SHIFT)
    return place


@strict_kernel
def _lowest_bit(word):
    """Return the number of the lowest bit: skip lower halves while they are empty."""
    bit = np.uint32(0)
    step = np.uint32(FAN // 2)
    while step > 0:
        if word & np.uint32((1 << step) - 1) == 0:
            word = np.uint32(word >> step)
            bit += step
        step = np.uint32(step >> 1)
    return bit
