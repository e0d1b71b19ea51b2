"""k-motiflets from their description, with the whole matrix in memory."""

import numpy as np


def squares(x, m):
    """Squared z-normalised distances of all windows; 2 m where one is flat.

    Summed over the channels where there are several.
    """
    if x.ndim == 2:
        return np.sum([squares(channel, m) for channel in x.T], axis=0)
    windows = np.lib.stride_tricks.sliding_window_view(x, m)
    sigma = windows.std(axis=1)
    flat = sigma < 1e-4 * min(1.0, x.std())
    z = (windows - windows.mean(axis=1, keepdims=True)) / np.where(flat, 1, sigma)[
        :, None
    ]
    cells = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    cells[flat] = cells[:, flat] = 2.0 * m
    np.fill_diagonal(cells, 0.0)
    return cells


def nearest_apart(distances, i, k, zone):
    """Itself, then the nearest whose zone [p - zone, p + zone) is still free."""
    left = distances.copy()
    picks = []
    pick = i
    while len(picks) < k and np.isfinite(left[pick]):
        picks.append(pick)
        left[max(pick - zone, 0) : pick + zone] = np.inf
        pick = int(np.argmin(left))
    return picks


def extents(x, m, k_max, slack=0.5):
    """Smallest extent and its set for k = 2 ... k_max - 1, by looking at all rows."""
    cells = squares(x, m)
    k_max = max(3, min(int(len(cells) // (m * slack)), k_max))
    rows = [
        nearest_apart(cells[i], i, k_max - 1, int(m * slack)) for i in range(len(cells))
    ]
    best = {}
    for k in range(2, k_max):
        candidates = [
            (cells[np.ix_(row[:k], row[:k])].max(), sorted(row[:k]))
            for row in rows
            if len(row) >= k
        ]
        best[k] = min(candidates, default=(np.inf, []))
    return best
