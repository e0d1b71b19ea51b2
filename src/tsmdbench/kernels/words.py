"""Windows that share a word: where they are, and how alike they are."""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel


@strict_kernel
def locations(ids, starts, count):
    """Group window starts by word. i8[m], i8[m] -> i8[m], bounds i8[count + 1]. O(m).

    The starts of one word keep their order.
    """
    bounds = np.zeros(count + 1, np.int64)
    for word in ids:
        bounds[word + 1] += 1
    for word in range(count):
        bounds[word + 1] += bounds[word]
    free = bounds[:count].copy()
    grouped = np.empty(len(ids), np.int64)
    for k in range(len(ids)):
        grouped[free[ids[k]]] = starts[k]
        free[ids[k]] += 1
    return grouped, bounds


@strict_kernel
def first_of_runs(starts, bounds):
    """Keep the first of windows that follow each other by one sample. -> b1[.]."""
    keep = np.ones(len(starts), np.bool_)
    for group in range(len(bounds) - 1):
        for k in range(bounds[group] + 1, bounds[group + 1]):
            keep[k] = starts[k] != starts[k - 1] + 1
    return keep


@strict_kernel
def mean_squared_distance(x, moments, w, starts, bounds):
    """Mean squared distance of all pairs of z-normalised windows, per group.

    moments: f8[2, N] of `sax.window_moments`. The sum over all pairs is
    k sum |z|^2 - |sum z|^2, so the cost is that of reading the k windows: O(k w).
    """
    result = np.zeros(len(bounds) - 1)
    total = np.empty(w)
    for group in range(len(result)):
        k = bounds[group + 1] - bounds[group]
        total[:] = 0.0
        shapes = 0  # windows that are not flat: |z|^2 = w
        for member in range(bounds[group], bounds[group + 1]):
            start = starts[member]
            gain = moments[1, start] * w
            mean = moments[0, start] / w
            shapes += gain > 0.0
            window = x[start : start + w]
            for t in range(w):
                total[t] += (window[t] - mean) * gain
        apart = 1.0 * k * w * shapes
        for t in range(w):
            apart -= total[t] * total[t]
        if k > 1:
            result[group] = max(apart, 0.0) / (k * (k - 1) / 2)
    return result
