"""A fixed amount of work, to compare the speed of machines.

It must stay as it is: a change needs a new number in the module of the same name in
`tsmdbench.experiments`.
"""

from __future__ import annotations

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def sliding_distances(x, m):
    """Return the sum of the distances of all pairs of windows of `m` samples."""
    total = 0.0
    windows = len(x) - m + 1
    for i in range(windows):
        for j in range(i, windows):
            distance = 0.0
            for k in range(m):
                difference = x[i + k] - x[j + k]
                distance += difference * difference
            total += np.sqrt(distance)
    return total
