"""Cells of pairs of samples: a triangle packed by rows, in reversed time.

Sample 0 is the last of the series, so that row i, which holds the columns 0 to i, is
the comparison of a sample with itself and with all *later* ones. A path runs forward in
time from high rows and columns to low ones. Cell (i, j) has the packed position ``i (i
+ 1) / 2 + j``: a lower position is a later row or, in the same row, a later column.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def row_start(i):
    """Packed position of cell (i, 0), and the number of cells of the rows before."""
    return i * (i + 1) // 2


@strict_kernel
def row_of(position):
    """Row of a packed position: the root of a quadratic, corrected by at most one."""
    i = np.int64((np.sqrt(8.0 * position + 1.0) - 1.0) / 2.0)
    while row_start(i) > position:
        i -= 1
    while row_start(i + 1) <= position:
        i += 1
    return i


@strict_kernel
def column_of(position, i):
    """Column of a packed position in row i."""
    return position - row_start(i)
