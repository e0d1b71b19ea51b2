"""Windows that share a word: where they are, and how alike they are."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.symbolic.sax import (
    first_place_inplace,
    no_words,
    table_size,
)


@strict_kernel
def locations(ids, starts, count):
    """Group window starts by word. i8[m], [m] -> [m], bounds i8[count + 1]. O(m).

    The starts of one word keep their order.
    """
    bounds = np.zeros(count + 1, np.int64)
    for word in ids:
        bounds[word + 1] += 1
    for word in range(count):
        bounds[word + 1] += bounds[word]
    free = bounds[:count].copy()
    grouped = np.empty_like(starts)
    for k in range(len(ids)):
        grouped[free[ids[k]]] = starts[k]
        free[ids[k]] += 1
    return grouped, bounds


@strict_kernel
def split(packed, mask, rows, bounds, starts, length):
    """Split groups of equal words by finer words; drop groups without a motif.

    packed: i8[m, limbs], compared where `mask` has bits; group k is
    ``rows[bounds[k]:bounds[k + 1]]``, ascending, and so are the new ones. Windows at
    `starts` that all overlap the first of their group are no motif at any resolution.
    -> i4[.], i8[groups + 1]. Only words of one group are compared, so that little
    memory is looked at at once. O(rows limbs).
    """
    largest = 0
    for group in range(len(bounds) - 1):
        largest = max(largest, bounds[group + 1] - bounds[group])
    limbs = packed.shape[1]
    table = no_words(largest)
    words = np.empty(largest * limbs, np.int64)
    parts = np.empty(largest, np.int32)
    ends = np.empty(largest + 1, np.int32)
    ordered = np.empty(largest, np.int32)
    new_rows = np.empty(len(rows), np.int32)
    new_bounds = np.zeros(len(rows) + 1, np.int64)
    groups, filled = 0, 0
    for group in range(len(bounds) - 1):
        members = rows[bounds[group] : bounds[group + 1]]
        if starts[members[-1]] - starts[members[0]] < length:
            continue
        for k in range(len(members)):
            for limb in range(limbs):
                words[k * limbs + limb] = packed[members[k], limb] & mask
        count = _parts_inplace(words[: len(members) * limbs], limbs, table, parts)
        _order_inplace(members, parts, count, ends, ordered)
        for part in range(count):
            first, end = ends[part - 1] if part else 0, ends[part]
            if starts[ordered[end - 1]] - starts[ordered[first]] < length:
                continue
            for k in range(first, end):
                new_rows[filled] = ordered[k]
                filled += 1
            groups += 1
            new_bounds[groups] = filled
    return new_rows[:filled].copy(), new_bounds[: groups + 1].copy()


@strict_kernel
def _parts_inplace(words, limbs, table, parts):
    """Give the words of a group numbers by first appearance; return how many."""
    size = len(words) // limbs
    room = table[: table_size(size)]
    room[:] = -1
    count = 0
    for k in range(size):
        place = first_place_inplace(words, limbs, limbs, room, k)
        if place < 0:
            parts[k] = count
            count += 1
        else:
            parts[k] = parts[place]
    return count


@strict_kernel
def _order_inplace(members, parts, count, ends, ordered):
    """Put the members of each part next to each other, in their order."""
    ends[: count + 1] = 0
    for k in range(len(members)):
        ends[parts[k] + 1] += 1
    for part in range(count):
        ends[part + 1] += ends[part]
    for k in range(len(members)):
        ordered[ends[parts[k]]] = members[k]
        ends[parts[k]] += 1


@strict_kernel
def occurrences(starts, rows, bounds, length):
    """Disjoint occurrences of the words that have two or more. O(rows).

    Windows that follow each other by one sample are one occurrence, the first of them;
    of what is left, from left to right, those that overlap none before.
    -> i8[.], i8[words + 1].
    """
    kept = np.empty(len(rows), np.int64)
    new_bounds = np.zeros(len(bounds), np.int64)
    groups, filled = 0, 0
    for group in range(len(bounds) - 1):
        free, last = 0, -2
        for k in range(bounds[group], bounds[group + 1]):
            start = starts[rows[k]]
            if start != last + 1 and start >= free:
                kept[filled] = start
                filled += 1
                free = start + length
            last = start
        if filled - new_bounds[groups] < 2:
            filled = new_bounds[groups]
        else:
            groups += 1
            new_bounds[groups] = filled
    return kept[:filled].copy(), new_bounds[: groups + 1].copy()


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
