"""Where the codes of cells are kept: all of them, or chunks with a needed cell.

A chunk is `CHUNK` cells of a row. ``table``, u4, has for every chunk of the triangle
its number among those that are kept, or 0, where all codes are 0; ``begins``, i8[n +
1], is where the chunks of each row begin in it; ``firsts``, i8, is the packed position
of the first cell of each kept chunk. An empty table says that all cells are kept,
packed.

The *place* of a cell is its position among the kept codes. Places are in the order of
packed positions: the later of two cells in time has the lower place.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.links import NEEDED
from tsmdbench._kernels.locomotif.triangle import row_start

SHIFT = 6
CHUNK = 1 << SHIFT


@strict_kernel
def place_of(table, begins, i, j):
    """Place of cell (i, j)."""
    if len(table) == 0:
        return row_start(i) + j
    chunk = np.int64(table[begins[i] + (j >> SHIFT)])
    return chunk << SHIFT | j & (CHUNK - 1)


@strict_kernel
def position_of(firsts, place):
    """Packed position of the cell at a place."""
    if len(firsts) == 0:
        return np.int64(place)
    return firsts[place >> SHIFT] + (place & (CHUNK - 1))


@strict_kernel
def run_length(table, j, stop):
    """How many cells from column j to `stop` have places in succession."""
    if len(table) == 0:
        return stop - j
    return min(stop, (j >> SHIFT) + 1 << SHIFT) - j


@strict_kernel
def keep_chunks(codes, values, base, low, high, table, begins):
    """Keep the chunks of rows low to high - 1 that have a needed cell. O(cells).

    codes, u1, and values, f4: packed from position `base` on. Sets `table`, counting
    from 1. -> codes u1, values f4, firsts i8.
    """
    total = 0
    for i in range(low, high):
        start = row_start(i) - base
        for c in range(begins[i + 1] - begins[i]):
            needed = np.uint8(0)
            for at in range(start + c * CHUNK, start + min((c + 1) * CHUNK, i + 1)):
                needed |= codes[at]
            if needed & NEEDED:
                total += 1
                table[begins[i] + c] = total
    kept = np.zeros(total * CHUNK, np.uint8)
    kept_values = np.zeros(total * CHUNK, np.float32)
    firsts = np.empty(total, np.int64)
    total = 0
    for i in range(low, high):
        start = row_start(i) - base
        for c in range(begins[i + 1] - begins[i]):
            if table[begins[i] + c]:
                first = start + c * CHUNK
                size = min(CHUNK, i + 1 - c * CHUNK)
                target = total * CHUNK
                kept[target : target + size] = codes[first : first + size]
                kept_values[target : target + size] = values[first : first + size]
                firsts[total] = first + base
                total += 1
    return kept, kept_values, firsts
