"""Greedy choice of neighbours that do not overlap, from a short list of candidates.

A row of the distance matrix has one score per window, the higher the nearer, but only
its best few matter. `apart` therefore keeps the windows
whose score reaches a threshold that the row before suggests, and chooses among these.
The choice is exact: nearest first does not depend on where one stops, so if enough
windows are found above the threshold, they are those of the whole row. If not, the row
is done again with a lower threshold. A threshold that too many reach is raised.

Conventions
-----------
Nearest first; of equal scores the lowest start. A choice ``p`` blanks the windows that
overlap it, ``p - l + 1`` to ``p + l - 1``; so does the window of the row itself.
"""

import numpy as np

from tsmdbench._kernels.jit import kernel

STRIP = 4  # rows that are walked together, so that their tiles stay in a cache
FULL = 48  # candidates of a row from which on its threshold is raised


@kernel
def choose_apart(starts, scores, i, l, chosen, values):  # noqa: E741
    """Choose from the candidates of row i, nearest first. Writes all but starts.

    starts, scores: i4[m], f8[m], ascending starts; chosen, values: i8[k], f8[k] -> how
    many were chosen.
    """
    low, high = i - l + 1, i + l - 1
    for found in range(chosen.size):
        best, score = -1, -np.inf
        for c in range(starts.size):
            if low <= starts[c] <= high:
                scores[c] = -np.inf
            elif scores[c] > score:
                best, score = c, scores[c]
        if best < 0:
            return found
        p = np.int64(starts[best])
        chosen[found], values[found] = p, score
        low, high = p - l + 1, p + l - 1
    return chosen.size


@kernel
def raise_threshold(starts, scores, size, i, l, threshold, k):  # noqa: E741
    """Raise the threshold to the k-th choice of so far; drop what no longer reaches it.

    starts, scores: i4[m], f8[m], of which `size` are used; both are written. ->
    threshold, size.
    """
    chosen, values = np.empty(k, np.int64), np.empty(k)
    room = scores[:size].copy()
    if choose_apart(starts[:size], room, i, l, chosen, values) < k:
        return threshold, size
    left = 0
    for c in range(size):
        if scores[c] >= values[k - 1]:
            starts[left], scores[left] = starts[c], scores[c]
            left += 1
    return values[k - 1], left
