"""VONSEM from its description, with the whole matrix in memory."""

import numpy as np


def pair(a, b, cap):
    """Distance in [0, 1] of two windows of equal length."""
    low, high = sorted([a.std(), b.std()])
    scale = min(high if low == 0 else high / low - 1, cap) / cap
    za = (a - a.mean()) / (a.std() or 1.0)
    zb = (b - b.mean()) / (b.std() or 1.0)
    shape = np.sqrt(((za - zb) ** 2).sum()) / (2 * np.sqrt(len(a)))
    return np.sqrt((shape**2 + scale**2) / 2)


def matrix(x, m, cap):
    """Distances of all windows; as `pair`, a row at a time."""
    windows = np.lib.stride_tricks.sliding_window_view(x, m)
    return np.array([row(window, windows, cap) for window in windows])


def row(window, windows, cap):
    """Distances of one window to many, none of them constant."""
    sigmas = windows.std(axis=1)
    ratios = np.maximum(sigmas / window.std(), window.std() / sigmas)
    scales = np.minimum(ratios - 1, cap) / cap
    own = (window - window.mean()) / window.std()
    others = (windows - windows.mean(axis=1, keepdims=True)) / sigmas[:, None]
    shapes = ((others - own) ** 2).sum(axis=1) / (4 * len(window))
    return np.sqrt((shapes + scales**2) / 2)


def profile(cells, m):
    """Column minima; cells with i - m//4 <= j < i + m//4 count as 1."""
    cells = cells.copy()
    for i in range(len(cells)):
        cells[i, max(i - m // 4, 0) : i + m // 4] = 1.0
    return cells.min(axis=0)


def runs(flags):
    """Lists of consecutive positions."""
    groups = []
    for position in np.flatnonzero(flags).tolist():
        if groups and groups[-1][-1] == position - 1:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups


def motif_sets(x, m, threshold, caps=(2.0, 1.0)):
    """Sets as (length, starts), in the order found: contiguous proofs, no overlap."""
    cells = matrix(x, m, caps[0])
    low = profile(cells, m)
    count = len(cells)
    free = np.ones(len(x), dtype=bool)
    hits = cells < threshold
    offsets = range(m, count)
    offsets = sorted(offsets, key=lambda d: (-np.trace(hits, d), d))
    found = []

    def alive(i):
        return free[i : i + m].all()

    def hit(i, d):
        return hits[i, i + d] and alive(i) and alive(i + d)

    for d in offsets:
        i = count - 1 - d
        while i >= 0:
            if not hit(i, d):
                i -= 1
                continue
            first = last = i
            while first > 0 and last - first + 1 + m <= d and hit(first - 1, d):
                first -= 1
            while last + 1 + d < count and last - first + 1 + m <= d:
                if not hit(last + 1, d):
                    break
                last += 1
            for start, end in split(x, m, low, first, last, d, threshold, caps[1]):
                length = end - start + m
                starts = members(x, start, start + d, length, threshold, caps[0], free)
                if len(starts) > 1:
                    found.append((length, sorted(starts)))
                    for s in starts:
                        free[s : s + length] = False
            i = first - 1
    return found


def split(x, m, low, first, last, d, threshold, cap):
    """The proof if its halves are alike, else runs of low profile, merged."""

    def apart(a, b):
        length = b - a + m
        return pair(x[a : a + length], x[a + d : a + d + length], cap)

    if apart(first, last) <= threshold:
        return [(first, last)]
    series = low[first : last + 1]
    median = np.median(series)
    mad = np.median(np.abs(series - median))
    parts = []
    for run in runs(series < median - 2 * 1.4826 * mad):
        start, end = first + run[0], first + run[-1]
        if parts and apart(parts[-1][0], end) < threshold:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    return parts


def members(x, first, second, length, threshold, cap, free):
    """Lowest points of the runs below threshold, nearest first, not overlapping."""
    count = len(x) - length + 1
    nearest = np.full(count, np.inf)
    candidates = set()
    for half in (first, second):
        windows = np.lib.stride_tricks.sliding_window_view(x, length)
        distances = row(x[half : half + length], windows, cap)
        for j in range(count):
            if not free[j : j + length].all():
                distances[j] = np.inf
        nearest = np.minimum(nearest, distances)
        for run in runs(distances < threshold):
            candidates.add(min(run, key=lambda j: (distances[j], j)))
    chosen = []
    for j in sorted(candidates, key=lambda j: (nearest[j], j)):
        if all(abs(j - other) >= length for other in chosen):
            chosen.append(j)
    return chosen
