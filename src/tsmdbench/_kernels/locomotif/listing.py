"""Ends of paths with their values, and how any other value is found again.

What paths have gathered is kept for the cells of two of `EVERY` rows only, or, where
only some cells are kept, for all of these. From any cell its value came from there in
at most `EVERY` steps, which are done again (see `value_of`).

The *key* of an end is u8: the complement of the bits of its value, a float32, in the
upper half, and its place in the lower half. Sorted by keys, the largest value comes
first and among equal ones that with the lowest place, the latest cell in time.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.cells import place_of
from tsmdbench._kernels.locomotif.cumulative import next_value
from tsmdbench._kernels.locomotif.links import (
    END,
    NEEDED,
    direction_of,
    origin_of,
)
from tsmdbench._kernels.locomotif.similarity import similarity_of
from tsmdbench._kernels.locomotif.triangle import row_start

BLOCK = 512  # words of eight codes looked at together
UPPER = np.uint64(32)
GROUP = np.uint64(50)  # of the value, 14 bits: sign, exponent, and five of 23
LOWER = np.uint64((1 << 32) - 1)
ONE_IN_ALL = np.uint64(0x0101010101010101)  # in a word of eight codes
END_IN_ALL = ONE_IN_ALL * np.uint64(END)
EVERY = 16  # of so many rows, the values of two are kept
ZERO, EIGHT = np.uint64(0), np.uint64(8)


@strict_kernel
def count_ends(codes, shift):
    """Count the ends among codes; with a shift of 2, those that are needed."""
    words = codes[: len(codes) // 8 * 8].view(np.uint64)
    count, shift = ZERO, np.uint64(shift)
    for word in words:
        # A bit per byte; the product has their sum in its highest byte.
        ends = (word & (word << shift) & END_IN_ALL) // np.uint64(END)
        count += ends * ONE_IN_ALL >> np.uint64(56)
    for code in codes[8 * len(words) :]:
        count += np.uint64(code & (code << shift) & END != 0)
    return count


@strict_kernel
def list_ends(strip, codes, shift, first):
    """Keys of the ends in a part of a strip, which begins at `first`; as `count_ends`.

    codes: those of the part. The bit of `NEEDED`, shifted by 2, is that of `END`, also
    in a word of eight codes. -> u8[m], with positions in the strip.
    """
    keys = np.empty(count_ends(codes, shift) + np.uint64(1), np.uint64)
    bits, first = strip.view(np.uint32), np.uint64(first)
    size, shift = ZERO, np.uint64(shift)
    words = codes[: len(codes) // 8 * 8].view(np.uint64)
    chosen = np.empty(BLOCK + 1, np.uint64)  # words that hold an end
    for start in range(0, len(words), BLOCK):
        found = ZERO
        for w in range(np.uint64(start), np.uint64(min(start + BLOCK, len(words)))):
            chosen[found] = w
            found += np.uint64(words[w] & (words[w] << shift) & END_IN_ALL != ZERO)
        for c in range(found):
            # Written in any case, but counted only if an end: no branch to guess wrong.
            # Unsigned: such an index is not looked at for being negative.
            for at in range(chosen[c] * EIGHT, chosen[c] * EIGHT + EIGHT):
                keys[size] = (LOWER - np.uint64(bits[at])) << UPPER | first + at
                code = np.uint64(codes[at])
                size += np.uint64(code & (code << shift) & np.uint64(END) != ZERO)
    for at in range(np.uint64(8 * len(words)), np.uint64(len(codes))):
        keys[size] = (LOWER - np.uint64(bits[at])) << UPPER | first + at
        code = np.uint64(codes[at])
        size += np.uint64(code & (code << shift) & np.uint64(END) != ZERO)
    return keys[:size]


@strict_kernel
def keep_keys_inplace(keys, a, codes, base, table, begins):
    """Keep the keys of needed cells, with their places; return how many. O(m).

    keys: u8, of the strip that begins with row a; codes: packed, from `base` on.
    """
    size = 0
    start = row_start(a)
    i = a
    for t in range(len(keys)):
        position = start + np.int64(keys[t] & LOWER)
        if codes[position - base] & NEEDED:
            while row_start(i + 1) <= position:
                i += 1
            place = place_of(table, begins, i, position - row_start(i))
            keys[size] = keys[t] >> UPPER << UPPER | np.uint64(place)
            size += 1
    return size


@strict_kernel
def group_keys(keys, lowest, count):
    """Order keys by their upper bits only, otherwise as they are. O(m + count).

    Groups are sorted when their turn comes: by then most of their cells are used up.
    -> u8[m], and i8[count + 1], where each group begins.
    """
    begins = np.zeros(count + 1, np.int64)
    for key in keys:
        begins[np.int64(key >> GROUP) - lowest + 1] += 1
    begins = np.cumsum(begins)
    ends = begins.copy()
    grouped = np.empty(len(keys), np.uint64)
    for key in keys:
        group = np.int64(key >> GROUP) - lowest
        grouped[ends[group]] = key
        ends[group] += 1
    return grouped, begins


@strict_kernel
def kept_start(i):
    """Where the values of row i begin among those that are kept: all such rows before.

    Rows 0, 1, E, E + 1, 2 E, ... have 1, 2, E + 1, E + 2, 2 E + 1, ... cells.
    """
    turn = i // EVERY
    start = EVERY * turn * (turn - 1) + 3 * turn
    return start + turn * EVERY + 1 if i % EVERY else start


@strict_kernel
def keep_values_inplace(strip, a, rows, values):
    """Keep the values of some rows of a strip. f4."""
    for i in range(a, a + rows):
        if i % EVERY < 2:
            start, own = kept_start(i), row_start(i) - row_start(a)
            values[start : start + i + 1] = strip[own : own + i + 1]


@strict_kernel
def value_of(codes, table, begins, values, x, gamma, packed, tau, room, i, j):
    """Value of a kept cell. f4. room: i8[EVERY + 1, 2].

    values: of all kept cells, or those of `keep_values_inplace`, which are fewer.
    """
    if len(values) >= len(codes):
        return values[place_of(table, begins, i, j)]
    size = 0
    while i % EVERY >= 2:
        room[size, 0], room[size, 1] = i, j
        size += 1
        direction = direction_of(codes[place_of(table, begins, i, j)])
        if not direction:
            break
        i, j = origin_of(i, j, direction)
    value = np.float32(0.0)
    if i % EVERY < 2:
        value = values[kept_start(i) + j]
    for t in range(size - 1, -1, -1):
        similarity = similarity_of(x, gamma, packed, room[t, 0], room[t, 1])
        value = next_value(similarity, value, tau)
    return value
