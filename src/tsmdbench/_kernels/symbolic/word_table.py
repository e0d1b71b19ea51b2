"""A hash table of packed words, which finds where an equal word stood first.

Words are given one after the other in one flat array, word i from ``flat[i * limbs]``
on: kernels pass that on faster than rows. A hash only chooses where to look: words are
compared in full, so that different words are never taken for equal.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def no_words(count):
    """Return a table with room for `count` words; at least half of it stays empty."""
    return np.full(table_size(count), -1, np.int32)


@strict_kernel
def table_size(count):
    """Return the size of a table for `count` words, a power of two."""
    size = 4
    while size < 2 * count:
        size *= 2
    return size


@strict_kernel
def first_place_inplace(flat, limbs, table, i):
    """Return where a word equal to word i stood first; -1 if it is new. Enters it then.

    table: i4 of `no_words`, or a part of one of the size that `table_size` says.
    """
    begin, mask = i * limbs, len(table) - 1
    mixed = 0
    for k in range(begin, begin + limbs):  # no product exceeds 63 bits
        mixed = (mixed ^ flat[k] ^ (flat[k] >> 31)) & 0x7FFFFFFF
        mixed = (mixed * 2654435761) >> 24
    slot = mixed & mask
    place = table[slot]
    while place >= 0 and differ(flat, place * limbs, begin, limbs):
        slot = (slot + 1) & mask
        place = table[slot]
    if place < 0:
        table[slot] = i
    return place


@strict_kernel
def differ(flat, first, second, limbs):
    """Return True if the words that begin at two places differ."""
    for k in range(limbs):
        if flat[first + k] != flat[second + k]:
            return True
    return False
