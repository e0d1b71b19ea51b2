"""The cells in which a path can end, the largest first.

Cells and codes are packed as in `links`. Positions of ends, u4, are grouped by the
upper bits of their cells. A group is sorted only when its turn comes: by then most of
its cells have been used up. See `keys` for what is sorted.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.keys import SHIFT
from tsmdbench._kernels.locomotif.links import END, NEEDED, USED

BLOCK = 512  # words of eight codes looked at together
WANTED = np.uint8(END | NEEDED)
NEEDED_IN_ALL = np.uint64(0x0101010101010101 * NEEDED)  # in a word of eight codes
APART = np.uint64(2)  # bits from NEEDED to END
NONE, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
REST = 18  # bits in which the values of a group differ
DIGIT = 9  # of those, bits by which keys are sorted at a time
DIGITS = np.uint64((1 << DIGIT) - 1)
FEW = 64  # keys up to which they are sorted by insertion


@strict_kernel
def count_ends(codes):
    """Count needed cells that end a path. u1[m]."""
    count = 0
    for t in range(len(codes)):
        count += codes[t] & WANTED == WANTED
    return count


@strict_kernel
def list_ends_inplace(codes, positions):
    """Set `positions` to those of needed cells that a path may end in, in order.

    codes: packed u1, positions: u4, one more than `count_ends`. O(n^2).
    """
    size = NONE
    words = codes[: len(codes) // 8 * 8].view(np.uint64)
    chosen = np.empty(BLOCK + 1, np.uint64)  # words that hold a wanted cell
    for start in range(0, len(words), BLOCK):
        count = NONE
        for w in range(start, min(start + BLOCK, len(words))):
            chosen[count] = w
            count += np.uint64(words[w] >> APART & words[w] & NEEDED_IN_ALL != 0)
        for w in chosen[:count]:
            for t in range(8):
                # Unsigned: such an index is not looked at for being negative. Written
                # in any case, but counted only if wanted: no branch to guess wrong.
                at = w * EIGHT + np.uint64(t)
                positions[size] = at
                size += np.uint64(codes[at] & WANTED == WANTED)
    for at in range(8 * len(words), len(codes)):
        positions[size] = at
        size += np.uint64(codes[at] & WANTED == WANTED)


@strict_kernel
def group_inplace(cells, positions, lowest, count, grouped):
    """Set `grouped` to the positions, those of smaller groups first, else in order.

    cells: packed f4, positions and grouped: u4[m]; lowest: upper bits that make
    the first of `count` groups. -> i8[count + 1], where each begins. O(m).
    """
    bits = cells.view(np.uint32)
    groups = np.empty(len(positions), np.uint16)  # kept, since cells are far apart
    begins = np.zeros(count + 1, np.int64)
    # First all are fetched: with no sum between that waits for them, fetches overlap.
    for t in range(len(positions)):
        groups[t] = np.int64(bits[np.uint64(positions[t])] >> REST) - lowest
    for t in range(len(positions)):
        begins[np.uint64(groups[t]) + ONE] += 1
    begins = np.cumsum(begins)
    ends = begins[:-1].astype(np.uint64)
    for t in range(len(positions)):
        group = np.uint64(groups[t])
        grouped[ends[group]] = positions[t]
        ends[group] += ONE
    return begins


@strict_kernel
def digit_of(key, shift):
    """Return some bits of a key. All u8."""
    return key >> shift & DIGITS


@strict_kernel
def sort_keys_inplace(keys, room):
    """Sort keys of a group by their values, keeping the order of equal ones. O(m).

    keys: u8[m]; room: u8[m], to work in.
    """
    if len(keys) <= FEW:
        for t in range(1, len(keys)):
            key, at = keys[t], t
            while at > 0 and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                at -= 1
            keys[at] = key
        return
    source, target = keys, room
    for shift in (SHIFT, SHIFT + np.uint64(DIGIT)):
        ends = np.zeros((1 << DIGIT) + 1, np.int64)
        for key in source:
            ends[digit_of(key, shift) + ONE] += 1
        ends = np.cumsum(ends)
        for key in source:
            digit = digit_of(key, shift)
            target[ends[digit]] = key
            ends[digit] += 1
        source, target = target, source  # twice, so the last is `keys` again


@strict_kernel
def rank_inplace(cells, codes, group, keys):
    """Set `keys` to those of the free cells of a group, sorted; return how many.

    group: u4[m], keys: u8, at least twice as long.
    """
    bits = cells.view(np.uint32)
    size = 0
    for at in group:
        keys[size] = at
        size += not codes[at] & USED
    for t in range(size):
        keys[t] |= np.uint64(bits[np.int64(keys[t])]) << SHIFT
    sort_keys_inplace(keys[:size], keys[len(group) : len(group) + size])
    return size
