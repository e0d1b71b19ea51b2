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
def choose_apart(starts, scores, i, l, compressed, chosen, values):  # noqa: E741
    """Choose from the candidates of row i, nearest first. Writes all but starts.

    starts, scores: i4[m], f8[m], ascending starts; chosen, values: i8[k], f8[k] -> how
    many were chosen. `compressed` reproduces the zones of tsmd 0.1.4, which counts the
    windows that are still there instead of the samples (see `widen`).
    """
    low, high = i - l + 1, i + l - 1
    blanked = np.empty((chosen.size + 1, 2), np.int64)
    blanked[0, 0], blanked[0, 1] = low, high
    zones = 1
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
        if compressed:
            low, high, zones = widen(blanked, zones, p, l)
    return chosen.size


@kernel
def widen(blanked, zones, p, l):  # noqa: E741
    """Return a zone of l - 1 windows that are left on either side of p.

    blanked: i8[k, 2], the first `zones` rows are disjoint zones, both ends inclusive;
    the new zone is added and replaces those that lie in it. -> low, high, zones.
    """
    low, high = p - l + 1, p + l - 1
    changed = True
    inside = np.zeros(zones, np.bool_)
    while changed:
        changed = False
        for z in range(zones):
            if not inside[z] and blanked[z, 1] >= low and blanked[z, 0] <= high:
                inside[z] = changed = True
                size = blanked[z, 1] - blanked[z, 0] + 1
                if blanked[z, 0] > p:
                    high += size
                else:
                    low -= size
    left = 0
    for z in range(zones):
        if not inside[z]:
            blanked[left] = blanked[z]
            left += 1
    blanked[left, 0], blanked[left, 1] = low, high
    return low, high, left + 1


@kernel
def raise_threshold(starts, scores, size, i, l, compressed, threshold, k):  # noqa: E741
    """Raise the threshold to the k-th choice of so far; drop what no longer reaches it.

    starts, scores: i4[m], f8[m], of which `size` are used; both are written. ->
    threshold, size.
    """
    chosen, values = np.empty(k, np.int64), np.empty(k)
    room = scores[:size].copy()
    if choose_apart(starts[:size], room, i, l, compressed, chosen, values) < k:
        return threshold, size
    left = 0
    for c in range(size):
        if scores[c] >= values[k - 1]:
            starts[left], scores[left] = starts[c], scores[c]
            left += 1
    return values[k - 1], left
