"""PEPA and A-PEPA from their definition: full matrix, components as sets of windows."""

import numpy as np


def remainders(x, l):  # noqa: E741
    """Windows without their least-squares line, scaled to norm 1; None for lines."""
    time = np.arange(l, dtype=np.longdouble)
    found = []
    for start in range(len(x) - l + 1):
        window = np.asarray(x[start : start + l], dtype=np.longdouble)
        if not np.isfinite(window).all():
            found.append(None)
            continue
        centred = window - window.mean()
        middle = time - time.mean()
        rest = centred - middle * (centred @ middle) / (middle @ middle)
        norm = np.sqrt(rest @ rest)
        line = norm <= max(1e-7 * np.sqrt(centred @ centred), 1e-14 * abs(window).max())
        found.append(None if line else rest / norm)
    return found


def distance_matrix(x, l):  # noqa: E741
    """Distance of every pair of windows; inf where there is none.

    Of several channels the root of the mean square, which is 2 in a channel in which
    one of the two has no shape.
    """
    if x.ndim == 2:
        every = np.stack([distance_matrix(channel, l) for channel in x.T])
        mean = np.sqrt(np.where(np.isinf(every), 2.0, every**2).mean(axis=0))
        gone = np.isinf(every[:, np.arange(len(mean)), np.arange(len(mean))]).all(0)
        gone |= [not np.isfinite(x[i : i + l]).all() for i in range(len(mean))]
        mean[gone] = mean[:, gone] = np.inf
        return mean
    windows = remainders(x, l)
    count = len(windows)
    matrix = np.full((count, count), np.inf)
    known = [i for i in range(count) if windows[i] is not None]
    stacked = np.array([windows[i] for i in known])
    for i in known:
        matrix[i, known] = np.sqrt(((stacked - windows[i]) ** 2).sum(axis=1))
    return matrix


def nearest_apart(matrix, l, k):  # noqa: E741
    """For every window the k nearest [(start, distance)] that overlap nothing."""
    found = []
    for i, row in enumerate(matrix):
        row = row.copy()
        row[max(0, i - l + 1) : i + l] = np.inf
        mine = []
        while len(mine) < k and np.isfinite(row).any():
            p = int(row.argmin())
            mine.append((p, float(row[p])))
            row[max(0, p - l + 1) : p + l] = np.inf
        found.append(mine)
    return found


def edges(near):
    """Edges (weight, is in time, low, high): lists of neighbours, then time."""
    chosen = {(min(i, j), max(i, j)): d for i, mine in enumerate(near) for j, d in mine}
    every = [(d, 0, low, high) for (low, high), d in chosen.items()]
    for i in range(len(near) - 1):
        if near[i] and near[i + 1]:
            weight = max(near[i][0][1], near[i + 1][0][1])
            every.append((weight, 1, i, i + 1))
    return sorted(every)


def grow(every, joins=lambda _weight, _birth: True):
    """Let edges enter; return births, deaths, tree and components {eldest: nodes}."""
    birth, death, tree, members, eldest = {}, {}, [], {}, {}
    for edge in every:
        weight, _, low, high = edge
        for node in (low, high):
            if node not in birth:
                birth[node] = weight
                members[node] = {node}
                eldest[node] = node
        u, v = eldest[low], eldest[high]
        if u == v or not joins(weight, max(birth[u], birth[v])):
            continue
        elder, younger = (u, v) if birth[u] < birth[v] else (v, u)
        for node in members[younger]:
            eldest[node] = elder
        members[elder] |= members.pop(younger)
        death[younger] = weight
        tree.append(edge)
    return birth, death, tree, members


def scale(d, alpha):
    return 2 * np.sqrt(np.tanh(alpha * d**2) / np.tanh(4 * alpha))


def otsu(values):
    """Lower edge of the histogram bin that separates best; None if all are equal."""
    if len(set(values)) < 2:
        return None
    counts, bounds = np.histogram(values, 1024)
    best, cut = -1.0, None
    for last in range(1023):
        below = counts[: last + 1].sum() / len(values)
        mean = (counts[: last + 1] * bounds[: last + 1]).sum() / len(values)
        other = (np.mean(values) - mean) / (1 - below)
        between = below * (1 - below) * (mean / below - other) ** 2
        if between > best * (1 + 1e-12):
            best, cut = between, bounds[last]
    return cut


def cut_for(sizes, sets):
    if not sizes:
        return np.inf
    after = [*sizes, 0.0][sets] if sets < len(sizes) else 0.0
    return (sizes[min(sets, len(sizes)) - 1] + after) / 2


def cut_at_gap(sizes, jump):
    if len(sizes) < 2:
        return cut_for(sizes, 1)
    begin, chosen = 0, None
    for _ in range(jump):
        gaps = [(sizes[i] - sizes[i + 1], -i) for i in range(begin, len(sizes) - 1)]
        if gaps:
            chosen = -max(gaps)[1]
            begin = chosen + 1
    return (sizes[chosen] + sizes[chosen + 1]) / 2


def pepa(x, l, *, sets=None, jump=1, k=5, alpha=10.0):  # noqa: E741
    """Motif sets as lists of segments, the most persistent first."""
    near = nearest_apart(distance_matrix(x, l), l, k)
    birth, death, tree, _ = grow(edges(near))
    if not birth:
        return []
    last = max([*birth.values(), *death.values()])
    born = {node: scale(b, alpha) for node, b in birth.items()}
    lived = {n: scale(death.get(n, last), alpha) - born[n] for n in birth}
    birth_cut = otsu([born[node] for node in birth if node in death])
    if birth_cut is None:
        return []
    early = {node for node in birth if born[node] < birth_cut}
    counted = early if sets else early & death.keys()
    sizes = sorted((lived[n] for n in counted if lived[n] > 0), reverse=True)
    cut = cut_for(sizes, sets) if sets else cut_at_gap(sizes, jump)
    scaled = [(scale(w, alpha), kind, low, high) for w, kind, low, high in tree]
    _, _, _, groups = grow(scaled, lambda weight, age: weight - age < cut)
    wanted = sorted(
        (root for root in groups if root in early),
        key=lambda root: (-lived[root], born[root], root),
    )
    return segments([sorted(groups[r] & early) for r in wanted], near, l, len(x))[:sets]


def segments(groups, near, l, n):  # noqa: E741
    """Runs of consecutive windows; the window with the nearest neighbour first."""
    runs = []
    for label, starts in enumerate(groups):
        for start in starts:
            if not runs or runs[-1][0] != label or runs[-1][1][-1] != start - 1:
                runs.append((label, []))
            runs[-1][1].append(start)
    owner, claimed = [None] * n, {}
    claims = [
        (near[s][0][1], s, r) for r, (_, starts) in enumerate(runs) for s in starts
    ]
    for _, start, run in sorted(claims):
        if all(owner[t] in (None, run) for t in range(start, start + l)):
            owner[start : start + l] = [run] * l
            claimed.setdefault(run, []).append(start)
    found = [[] for _ in groups]
    for run, (label, _) in enumerate(runs):
        covered = sorted({s + t for s in claimed.get(run, []) for t in range(l)})
        for t in covered:
            mine = found[label]
            if mine and mine[-1][1] == t and t - 1 in covered:
                mine[-1] = (mine[-1][0], t + 1)
            else:
                mine.append((t, t + 1))
    return [mine for mine in found if len(mine) > 1]
