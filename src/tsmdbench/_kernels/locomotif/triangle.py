"""The upper triangle of a matrix packed by rows: row i holds k = j - i from 0 on."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def row_start(n, i):
    """Packed position of cell (i, 0)."""
    return i * n - i * (i - 1) // 2


@strict_kernel
def row_of(n, position):
    """Row of a packed position: the root of a quadratic, put right by at most one."""
    odd = 2 * n + 1
    i = np.int64((odd - np.sqrt(np.float64(odd * odd - 8 * position))) / 2)
    while row_start(n, i) > position:
        i -= 1
    while row_start(n, i + 1) <= position:
        i += 1
    return i
