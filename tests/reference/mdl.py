"""MDL-Clust from its definition: every saving is computed anew before every step."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np

TIE = 1e-9  # bits


def quantise(x, bits):
    known = np.asarray(x)[np.isfinite(x)]
    span = known.max() - known.min()
    if span == 0:
        return [1] * len(x)
    scaled = (np.asarray(x) - known.min()) / span * (2**bits - 1)
    return [1 if not np.isfinite(v) else int(np.round(v)) + 1 for v in scaled]


def description(values):
    counts = Counter(values).values()
    total = sum(counts)
    return -math.fsum(c * math.log2(c / total) for c in counts)


def cost(values, centre, members):
    """Centre and differences but the largest; members are (start, length, shift)."""
    parts = [
        description([values[b + t] - centre[shift + t] for t in range(length)])
        for b, length, shift in members
    ]
    return description(centre) + math.fsum(parts) - max(parts)


def alone(values, members):
    return math.fsum(description(values[b : b + n]) for b, n, _ in members)


def overlaps(start, length, taken):
    return any(taken[start : start + length])


def nearest_pairs(values, usable, length, k):
    """(squared distance, window, rank, neighbour) of the k nearest that stand apart."""
    v = np.array(values)
    count = len(v) - length + 1
    good = [all(usable[i : i + length]) for i in range(count)]
    found = []
    for i in range(count):
        if not good[i]:
            continue
        free = {j for j in range(count) if good[j] and abs(i - j) >= length}
        squares = {
            j: int(((v[i : i + length] - v[j : j + length]) ** 2).sum()) for j in free
        }
        for rank in range(k):
            if not free:
                break
            best = min(free, key=lambda j: (squares[j], j))
            found.append((squares[best], i, rank, best))
            free = {j for j in free if abs(j - best) >= length}
    return sorted(found)


def creation(values, pairs, length, taken):
    for _, i, _, j in pairs:
        if not overlaps(i, length, taken) and not overlaps(j, length, taken):
            halves = [Fraction(values[i + t] + values[j + t], 2) for t in range(length)]
            members = [(i, length, 0), (j, length, 0)]
            return [round(h) for h in halves], members
    return None


def addition(values, group, taken):
    centre, members = group
    length, k = len(centre), len(members)
    starts = [
        i for i in range(len(values) - length + 1) if not overlaps(i, length, taken)
    ]
    if not starts:
        return None
    best = min(
        starts,
        key=lambda i: sum((values[i + t] - centre[t]) ** 2 for t in range(length)),
    )
    means = [Fraction(k * centre[t] + values[best + t], k + 1) for t in range(length)]
    return [round(m) for m in means], [*members, (best, length, 0)]


def merges(one, other):
    """Both groups at every shift with a shared sample."""
    (first, mine), (second, theirs) = one, other
    total = len(mine) + len(theirs)
    weights = len(mine) / total, len(theirs) / total
    shifts = [(o, 0) for o in range(len(second))]
    shifts += [(0, o) for o in range(1, len(first))]
    for a, b in shifts:
        centre = []
        for t in range(max(a + len(first), b + len(second))):
            left = first[t - a] if a <= t < a + len(first) else None
            right = second[t - b] if b <= t < b + len(second) else None
            if left is None or right is None:
                centre.append(right if left is None else left)
            else:
                centre.append(round(left * weights[0] + right * weights[1]))
        members = [(s, n, shift + a) for s, n, shift in mine]
        members += [(s, n, shift + b) for s, n, shift in theirs]
        yield centre, members


def mdl_clust(x, lengths, *, operations=50, bits=6, k=10):
    """Motif sets as sorted lists of segments, those that save most first."""
    values = quantise(x, bits)
    usable = np.isfinite(x)
    taken = ~usable
    pairs = {n: nearest_pairs(values, usable, n, k) for n in lengths}
    groups = []
    for _ in range(operations):
        options = []  # (saving, new group, groups that it replaces)
        for n in lengths:
            new = creation(values, pairs[n], n, taken)
            if new:
                options.append((alone(values, new[1]) - cost(values, *new), new, []))
        for old in groups:
            new = addition(values, old, taken)
            if new:
                saving = cost(values, *old) + alone(values, new[1][-1:])
                options.append((saving - cost(values, *new), new, [old]))
        for i, one in enumerate(groups):
            for other in groups[i + 1 :]:
                before = cost(values, *one) + cost(values, *other)
                for new in merges(one, other):
                    options.append((before - cost(values, *new), new, [one, other]))
        if not options:
            break
        most = max(option[0] for option in options)
        if most <= TIE:
            break
        _, new, replaced = next(o for o in options if o[0] > most - TIE)
        groups = [group for group in groups if group not in replaced] + [new]
        for start, length, _ in new[1]:
            taken[start : start + length] = True
    groups.sort(
        key=lambda g: (
            round(cost(values, *g) - alone(values, g[1]), 6),
            min(g[1]),
        )
    )
    return [sorted((s, s + n) for s, n, _ in members) for _, members in groups]
