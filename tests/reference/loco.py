"""LoCoMotif from its definition: full matrices, plain loops, nothing shared."""

import itertools
import math

import numpy as np


def similarities(x):
    """Full matrix of similarities of a float32[n, d] series, -inf where j < i."""
    n, d = x.shape
    gamma = float(1 / np.std(x, axis=None) ** 2)
    sm = np.full((n, n), -np.inf, np.float32)
    for i in range(n):
        for j in range(i, n):
            total = 0.0
            for c in range(d):
                step = np.float32(x[i, c] - x[j, c])
                total += gamma * float(np.float32(step * step))
            sm[i, j] = np.float32(math.exp(-total))
    return sm


def threshold(sm, rho):
    return quantile(sm[np.triu_indices(len(sm))], rho)


def quantile(values, rho):
    """Quantile of float32 values by linear interpolation, every step in float32.

    This is the rule of `np.quantile` before NumPy 2.4, written out: later versions
    compute the position in float64, and a result must not depend on the version.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float32))
    last = len(ordered) - 1
    place = np.float32(last) * np.float32(rho)
    if place >= np.float32(last):
        return ordered[-1]
    floor = np.floor(place)
    share = place - floor
    low = ordered[int(floor)]
    # The next position is a float32 too: above 2 ** 24 it can be the same one.
    high = ordered[int(floor + np.float32(1))]
    if share < np.float32(0.5):
        return low + (high - low) * share
    return high - (high - low) * (np.float32(1) - share)


def cumulate(sm, tau, warping):
    """Cumulative similarities with two rows and columns of zeros in front."""
    n = len(sm)
    csm = np.zeros((n + 2, n + 2), np.float32)
    for i in range(2, n + 2):
        for j in range(i, n + 2):
            best = csm[i - 1, j - 1]
            if warping:
                best = max(best, csm[i - 2, j - 1], csm[i - 1, j - 2])
            sim = sm[i - 2, j - 2]
            if sim < tau:
                value = 0.5 * float(best) - 2 * float(tau)
            else:
                value = np.float32(sim + best)
            csm[i, j] = max(0, value)
    return csm


def trace(csm, used, i, j, warping):
    """Cells back from (i, j) to where a cell is used up."""
    path = []
    while True:
        path.append((i, j))
        steps = [(1, 1), (2, 1), (1, 2)] if warping else [(1, 1)]
        di, dj = max(steps, key=lambda s: csm[i - s[0], j - s[1]])
        i, j = i - di, j - dj
        if used[i, j]:
            return path[::-1]


def use_up(used, path, width):
    size = len(used)
    for t, (i, j) in enumerate(path):
        rows, columns = [i], [j]
        if t + 1 < len(path):
            rows = range(i, path[t + 1][0])
            columns = range(j, path[t + 1][1])
        for row in rows:
            used[row, max(0, j - width) : min(size, j + width + 1)] = True
        for column in columns:
            used[max(0, i - width) : min(size, i + width + 1), column] = True


def paths(csm, l_min, warping):
    """Paths above the diagonal as lists of (row, column), in the order found."""
    width = max(10, l_min // 2)
    rows, columns = np.indices(csm.shape)
    used = (columns - rows <= width) | (csm <= 0)
    free = np.argwhere(~used)
    # From the back: of equally large cells the last row, then the last column first.
    order = np.argsort(csm[tuple(free.T)], kind="stable")
    found = []
    for i, j in free[order[::-1]].tolist():
        if used[i, j]:
            continue
        path = trace(csm, used, i, j, warping)
        use_up(used, path, 0)
        (i0, j0), (i1, j1) = path[0], path[-1]
        if max(i1 - i0, j1 - j0) + 1 >= l_min:
            use_up(used, path, width)
            found.append([(a - 2, b - 2) for a, b in path])
    return found


def with_mirrors(found, n):
    mirrored = [[(j, i) for i, j in path] for path in found]
    return [[(i, i) for i in range(n)], *found, *mirrored]


def induced(path, sm, start, end):
    """Segment, number of cells and similarity of a path over columns, or None."""
    if path[0][1] > start or path[-1][1] < end - 1:
        return None
    first = next(t for t, cell in enumerate(path) if cell[1] >= start)
    last = next(t for t, cell in enumerate(path) if cell[1] >= end - 1)
    sims = np.array([sm[min(cell), max(cell)] for cell in path], np.float32)
    sums = np.concatenate([[np.float32(0)], np.cumsum(sims, dtype=np.float32)])
    total = float(np.float32(sums[last + 1] - sums[first]))
    return path[first][0], path[last][0] + 1, last - first + 1, total


def fitness(every, sm, start, end, mask, overlap):
    members = [induced(path, sm, start, end) for path in every]
    members = sorted(m for m in members if m and not mask[m[0] : m[1]].any())
    if len(members) < 2:
        return 0.0, []
    shared = 0
    for one, other in itertools.pairwise(members):
        common = max(0, one[1] - other[0])
        if overlap * min(one[1] - one[0], other[1] - other[0]) < common:
            return 0.0, []
        shared += common
    length = end - start
    mean = (sum(m[3] for m in members) - length) / sum(m[2] for m in members)
    coverage = (sum(m[1] - m[0] for m in members) - shared - length) / len(sm)
    if mean == coverage == 0:
        return 0.0, []
    return 2 * mean * coverage / (mean + coverage), [m[:2] for m in members]


def motif_sets(x, l_min, l_max, rho, warping, overlap=0.0, starts=None, ends=None):
    """All motif sets of a float32[n, d] series, best first."""
    n = len(x)
    sm = similarities(x)
    csm = cumulate(sm, threshold(sm, rho), warping)
    every = with_mirrors(paths(csm, l_min, warping), n)
    starts = np.ones(n, bool) if starts is None else np.array(starts)
    ends = np.ones(n, bool) if ends is None else np.array(ends)
    mask = np.zeros(n, bool)
    found = []
    while True:
        best, best_set = 0.0, []
        for start in range(n - l_min + 1):
            for end in range(start + l_min, min(n, start + l_max) + 1):
                if mask[start:end].any() or not (starts[start] and ends[end - 1]):
                    continue
                value, members = fitness(every, sm, start, end, mask, overlap)
                if value > best:
                    best, best_set = value, members
        if not best_set:
            return found
        found.append(best_set)
        for begin, stop in best_set:
            length = max(1, int((1 - 2 * overlap) * (stop - begin)))
            first = begin + (stop - begin - length) // 2
            mask[first : first + length] = True
