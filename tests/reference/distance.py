"""Z-normalised distances from the definition: all windows, all pairs, no recurrence."""

import numpy as np


def znormalised(x, l):  # noqa: E741
    """All z-normalised windows in extended precision, and their kinds."""
    windows = np.lib.stride_tricks.sliding_window_view(
        np.asarray(x, dtype=np.longdouble), l
    )
    broken = ~np.isfinite(windows).all(axis=1)
    safe = np.where(broken[:, None], 0, windows)
    constant = ~broken & (safe.max(axis=1) == safe.min(axis=1))
    centred = safe - safe.mean(axis=1, keepdims=True)
    deviation = safe.std(axis=1, keepdims=True)
    deviation[constant | broken] = 1
    centred[constant | broken] = 0
    return centred / deviation, constant, broken


def distance_matrix(x, l):  # noqa: E741
    """zED of every pair of windows; several channels: the mean over them."""
    x = np.asarray(x, dtype=float)
    if x.ndim == 2:
        return np.mean([distance_matrix(column, l) for column in x.T], axis=0)
    z, constant, broken = znormalised(x, l)
    distances = np.empty((len(z), len(z)))
    for i in range(len(z)):
        distances[i] = np.sqrt(((z - z[i]) ** 2).sum(axis=1))
    distances[np.ix_(constant, ~constant)] = np.sqrt(l)
    distances[np.ix_(~constant, constant)] = np.sqrt(l)
    distances[np.ix_(constant, constant)] = 0
    distances[broken] = np.inf
    distances[:, broken] = np.inf
    return distances


def nearest_neighbours(distances, gap):
    """Distance and lowest start of the nearest window at least `gap` away."""
    count = len(distances)
    best, start = np.full(count, np.inf), np.full(count, -1)
    for i, row in enumerate(distances):
        far = np.where(np.abs(np.arange(count) - i) >= gap, row, np.inf)
        if np.isfinite(far.min()):
            best[i], start[i] = far.min(), far.argmin()
    return best, start


def choose_apart(row, radius, left, right):
    """Take the nearest within the radius, blank its zone, repeat; low starts first."""
    row = np.array(row, dtype=float)
    chosen = []
    while np.isfinite(row).any() and row.min() <= radius:
        p = int(row.argmin())
        chosen.append((p, row[p]))
        row[max(0, p - left) : p + right + 1] = np.inf
    return chosen
