"""Dependent dynamic time warping from its definition; imports nothing from us."""

import numpy as np


def dtw(first, second):
    """Least sum of squared differences over all monotone alignments; [length, d]."""
    n, m = len(first), len(second)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            step = float(((first[i] - second[j]) ** 2).sum())
            best = min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
            cost[i + 1, j + 1] = step + best
    return cost[n, m]
