"""EMMA's search: count matches by neighbourhoods, that of the largest bucket first.

Buckets hold windows of equal words. The *neighbourhood* of a bucket are the windows of
all buckets whose words may be within the radius. In it, every window counts its
matches: nearest first, none within `gap` of an earlier one. Which windows match is
known beforehand (`neighbours.neighbour_lists`); a neighbourhood only leaves some out.

Many neighbourhoods hold all windows; their counts are given. In the others, most
windows need not be counted. A window has a *bound*: the most matches that are
`gap` apart, whichever are left out. If it is below the best count so far, the window is
passed over. For example, with matches at 10, 12, 30 and a gap of 5 the bound is 2.
"""

import numpy as np

from tsmdbench._kernels.jit import kernel


@kernel
def bounds_of(starts, offsets, gap):
    """Most matches of each window that are `gap` apart. -> i8[N]. O(matches).

    starts: i8, the matches of window i from offsets[i] to offsets[i + 1], ascending.
    Taking the first that fits, again and again, gives the most.
    """
    bounds = np.zeros(offsets.size - 1, np.int64)
    for i in range(bounds.size):
        last = -gap
        for t in range(offsets[i], offsets[i + 1]):
            if starts[t] - last >= gap:
                bounds[i] += 1
                last = starts[t]
    return bounds


@kernel
def sort_by_distance_inplace(starts, distances, offsets):
    """Sort the matches of each window, the nearest first, equal ones by start."""
    for i in range(offsets.size - 1):
        own = slice(offsets[i], offsets[i + 1])
        order = np.argsort(distances[own], kind="mergesort")
        starts[own] = starts[own][order]
        distances[own] = distances[own][order]


@kernel
def mark_near_inplace(words, members, begins, cell, limit, bucket, near):
    """Mark the windows of buckets whose squared word distance is within `limit`.

    -> how many buckets these are. words: i8[B, letters]; members: i8, the windows of
    bucket b from begins[b] to begins[b + 1]; cell: f8, squared distances of letters.
    """
    count = 0
    for other in range(len(words)):
        square = 0.0
        for t in range(words.shape[1]):
            square += cell[words[other, t], words[bucket, t]]
        within = square <= limit
        count += within
        for t in range(begins[other], begins[other + 1]):
            near[members[t]] = within
    return count


@kernel
def reaches_all(words, lowest, highest, cell, limit, bucket):
    """Whether the words of all buckets are near, by the farthest letters alone. O(w).

    lowest, highest: i8[w], of the letters at each place. A no may be wrong.
    """
    square = 0.0
    for t in range(words.shape[1]):
        letter = words[bucket, t]
        square += max(cell[letter, lowest[t]], cell[letter, highest[t]])
    return square <= limit


@kernel
def count_one(starts, distances, near, gap, chosen):
    """Count the matches of a window in a neighbourhood. -> size, spread.

    starts, distances: its matches, the nearest first; chosen: room, i8[.].
    """
    size, total, squares = 0, 0.0, 0.0
    for t in range(starts.size):
        p = starts[t]
        fits = near[p]
        c = 0
        while fits and c < size:
            fits = abs(p - chosen[c]) >= gap
            c += 1
        if fits:
            chosen[size] = p
            size += 1
            total += distances[t]
    mean = total / max(size, 1)
    c = 0
    for t in range(starts.size):
        if c < size and starts[t] == chosen[c]:
            squares += (distances[t] - mean) ** 2
            c += 1
    return size, np.sqrt(squares / max(size, 1))


@kernel
def count_by_words(buckets, limit, full, matches, bounds, far, gap):
    """Count matches bucket by bucket, until the next bucket promises no more.

    buckets: words, members, begins and cell, see `mark_near_inplace`; full: sizes and
    spreads where all windows are in the neighbourhood; matches: starts, distances and
    offsets, the nearest first, or empty. far: b1[N], which windows can be centres. A
    window in several neighbourhoods keeps its highest count. -> sizes i8[N], 0 for
    windows that were passed over, spreads f8[N], and whether matches were missing, so
    that the counts are of no use.
    """
    words, members, begins, cell = buckets
    starts, distances, offsets = matches
    sizes = np.zeros(far.size, np.int64)
    spreads = np.full(far.size, np.inf)
    near = np.zeros(far.size, np.bool_)
    chosen = np.empty(bounds.max() + 1 if bounds.size else 1, np.int64)
    lowest, highest = words[:1].copy(), words[:1].copy()
    for bucket in range(len(words)):
        lowest[0] = np.minimum(lowest[0], words[bucket])
        highest[0] = np.maximum(highest[0], words[bucket])
    best, complete = 0, False
    for bucket in range(len(words)):
        if best >= begins[bucket + 1] - begins[bucket]:
            break
        every = reaches_all(words, lowest[0], highest[0], cell, limit, bucket)
        if not every:
            count = mark_near_inplace(words, members, begins, cell, limit, bucket, near)
            every = count == len(words)
        if every and complete:
            continue  # the same neighbourhood as before
        complete |= every
        if not every and not offsets.size:
            return sizes, spreads, True
        for i in range(far.size):
            if not far[i]:
                continue
            size, spread = 0, 0.0
            if every:
                size, spread = full[0][i], full[1][i]
            elif near[i] and bounds[i] >= max(best, 1):
                own = slice(offsets[i], offsets[i + 1])
                size, spread = count_one(starts[own], distances[own], near, gap, chosen)
            if size > sizes[i]:
                sizes[i], spreads[i] = size, spread
                best = max(best, size)
    return sizes, spreads, False
