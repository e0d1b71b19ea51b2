"""Methods on the full distance matrix, each from its definition; slow and obvious."""

import math

import numpy as np

from tests.reference.distance import choose_apart, distance_matrix


def blanked(row, starts, gap):
    """Row without the windows that start less than `gap` from one of `starts`."""
    row = np.array(row)
    for start in starts:
        row[max(0, start - gap + 1) : start + gap] = np.inf
    return row


def setfinder(x, length, radius, max_sets):
    """Greedy match lists; longest first; centres more than 2 radius apart."""
    distances = distance_matrix(x, length)
    lists = []
    for i, row in enumerate(distances):
        far = blanked(row, [i], length)
        lists.append(choose_apart(far, radius, length - 1, length - 1))
    order = sorted(
        (i for i in range(len(lists)) if lists[i]),
        key=lambda i: (-len(lists[i]), np.std([d for _, d in lists[i]]), i),
    )
    centres = []
    for i in order:
        if len(centres) < max_sets and all(
            distances[i, c] > 2 * radius for c in centres
        ):
            centres.append(i)
    return [sorted([c, *(p for p, _ in lists[c])]) for c in centres]


def setfinder_disjoint(x, length, radius, max_sets):
    """As `setfinder`, but windows that overlap earlier sets are as if not there."""
    distances = distance_matrix(x, length)
    far = np.ones(len(distances), bool)
    used, found = [], []
    while len(found) < max_sets:
        best = None
        for i, row in enumerate(distances):
            if not far[i] or any(abs(i - start) < length for start in used):
                continue
            near = choose_apart(
                blanked(row, [i, *used], length), radius, length - 1, length - 1
            )
            key = (-len(near), np.std([d for _, d in near] or [0]), i)
            if near and (best is None or key < best[0]):
                best = key, i, sorted([i, *(p for p, _ in near)])
        if best is None:
            break
        used += best[2]
        found.append(best[2])
        far &= distances[best[1]] > 2 * radius
    return found


def emma_windows(x, length, radius):
    """Centre with the most windows within the radius; ties by spread, then start."""
    distances = distance_matrix(x, length)
    best = None
    for i, row in enumerate(distances):
        far = blanked(row, [i], length)
        near = np.flatnonzero(far <= radius)
        if near.size:
            key = (-near.size, np.std(far[near]), i)
            if best is None or key < best[0]:
                best = key, sorted([i, *near.tolist()])
    return [] if best is None else [best[1]]


def mmotifs(x, length, radius, max_sets, exclusion=0.25):
    """Seeds by the profile, members within the radius, a zone around each blanked.

    Of seeds that tie, as the two of every nearest pair do, the first is taken.
    """
    distances = distance_matrix(x, length)
    zone = min(math.ceil(exclusion * length), length - 1)
    profile = np.array(
        [blanked(row, [i], zone + 1).min() for i, row in enumerate(distances)]
    )
    sets = []
    while len(sets) < max_sets and profile.min() <= radius:
        seed = int(np.flatnonzero(profile <= profile.min() + 1e-9)[0])
        others = blanked(distances[seed], [seed], zone + 1)
        members = [p for p, _ in choose_apart(others, radius + 1e-8, zone, zone)]
        chosen = sorted([seed, *members])
        if len(chosen) > 1:
            sets.append(chosen)
        profile = blanked(profile, chosen, zone + 1)
    return sets


def overlaps(start, length, sets):
    """Whether a window shares a sample with a segment of earlier sets."""
    return any(start < e and b < start + length for s in sets for b, e in s)


def valmod(x, l_min, l_max, factor, max_sets):
    """Pairs of all lengths by zED / sqrt(l); members near to either window."""
    matrices = {
        length: distance_matrix(x, length) for length in range(l_min, l_max + 1)
    }
    best = {}
    for length, distances in matrices.items():
        for i, row in enumerate(distances):
            far = blanked(row, [i], math.ceil(length / 2))
            j = int(far.argmin())
            value = far[j] / math.sqrt(length)
            if np.isfinite(value) and value < best.get(i, (np.inf,))[0]:
                best[i] = value, i, j, length
    found = []
    for _, i, j, length in sorted(best.values(), key=lambda pair: pair[:2]):
        if len(found) == max_sets:
            break
        if overlaps(i, length, found) or overlaps(j, length, found):
            continue
        distances = matrices[length]
        row = np.minimum(distances[i], distances[j])
        for p in range(len(row)):
            if overlaps(p, length, found):
                row[p] = np.inf
        near = choose_apart(row, factor * distances[i, j], length - 1, length - 1)
        if len(near) > 1:
            found.append(sorted((p, p + length) for p, _ in near))
    return found


def stomp(x, length, factor, max_sets):
    """Seeds by the profile; radius from the nearest free window; overlaps blanked."""
    distances = distance_matrix(x, length)
    profile = np.array(
        [blanked(row, [i], length).min() for i, row in enumerate(distances)]
    )
    used, found = [], []
    while len(found) < max_sets and np.isfinite(profile.min()):
        seed = int(profile.argmin())
        row = blanked(distances[seed], [seed, *used], length)
        near = choose_apart(row, factor * row.min(), length - 1, length - 1)
        members = sorted([seed, *(p for p, _ in near)])
        used += members
        profile = blanked(profile, members, length)
        if len(members) > 1:
            found.append(members)
    return found
