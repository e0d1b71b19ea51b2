"""The cells in which a path can end, ordered by their cumulative similarity.

Cells and codes are packed as in `links`. A key, u8, is the bits of the value of a cell,
shifted by 32, plus its position.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.links import END, NEEDED

BLOCK = 512  # words of eight codes looked at together
WANTED = np.uint8(END | NEEDED)
NEEDED_IN_ALL = np.uint64(0x0101010101010101 * NEEDED)  # in a word of eight codes
APART = np.uint64(2)  # bits from NEEDED to END
ONE, EIGHT = np.uint64(1), np.uint64(8)


@strict_kernel
def count_ends(codes):
    """Count needed cells that end a path. u1[m]."""
    count = 0
    for t in range(len(codes)):
        count += codes[t] & WANTED == WANTED
    return count


@strict_kernel
def append_wanted(keys, size, bits, codes, low, high):
    """Add the keys of wanted cells from `low` to `high`; return how many there are.

    All are u8: such an index is not looked at for being negative. Each key is written,
    but counted only if it is wanted: no branch to guess wrong.
    """
    at = low
    while at < high:
        keys[size] = np.uint64(bits[at]) << np.uint64(32) | at
        size += np.uint64(codes[at] & WANTED == WANTED)
        at += ONE
    return size


@strict_kernel
def list_ends_inplace(cells, codes, keys):
    """Set `keys` to those of needed cells that a path may end in, in packed order.

    cells: packed f4, codes: packed u1, keys: u8, one more than `count_ends`. O(n^2).
    """
    bits = cells.view(np.uint32)
    size = np.uint64(0)
    words = codes[: len(codes) // 8 * 8].view(np.uint64)
    chosen = np.empty(BLOCK + 1, np.uint64)  # words that hold a wanted cell
    for start in range(0, len(words), BLOCK):
        count = 0
        for w in range(start, min(start + BLOCK, len(words))):
            chosen[count] = w
            count += words[w] >> APART & words[w] & NEEDED_IN_ALL != 0
        for w in chosen[:count]:
            size = append_wanted(keys, size, bits, codes, w * EIGHT, (w + ONE) * EIGHT)
    rest = np.uint64(8 * len(words))
    append_wanted(keys, size, bits, codes, rest, np.uint64(len(codes)))


@strict_kernel
def sort_keys_inplace(keys, room):
    """Sort keys by their upper halves, keeping the order of equal ones. u8[m]. O(m).

    room: u8[m], to work in.
    """
    source, target = keys, room
    for shift in (32, 40, 48, 56):
        ends = np.zeros(257, np.int64)
        for key in source:
            ends[((key >> np.uint64(shift)) & np.uint64(255)) + np.uint64(1)] += 1
        ends = np.cumsum(ends)
        for key in source:
            digit = (key >> np.uint64(shift)) & np.uint64(255)
            target[ends[digit]] = key
            ends[digit] += 1
        source, target = target, source  # four times, so the last is `keys` again
