"""Nearest windows that do not overlap each other, and the extents of such sets.

Conventions
-----------
See `tsmdbench.kernels.sliding` for ``y`` and ``tracks``; here a window without shape
has the inverse norm 0 and the bias 0, i.e. the squared distance 2 l from every other.
Distances are squared z-normalised Euclidean, summed over the channels. The zone of a
window p is ``[p - zone, p + zone)``: the right end is free.
"""

import numpy as np

from tsmdbench.kernels._jit import kernel
from tsmdbench.kernels.sliding import (
    BIAS,
    INVERSE,
    MEAN,
    ROWS,
    STEP,
    TREND,
    advance_cells,
    start_cells,
)

LANES = 8  # a block maximum is taken over so many running maxima, to use vectors


@kernel
def nearest_apart(y, tracks, l, zone, k, first, step):  # noqa: E741
    """Itself and the k - 1 nearest windows of every window, zones not overlapping.

    Greedy, nearest first, the lowest start among equals. Rows of the blocks first,
    first + step, etc. are filled. -> starts i4[N, k], -1 where there is none, and
    squared distances f8[N, k], inf there. O(d N^2) time, O(N k) memory.
    """
    count, channels = tracks.shape[2], y.shape[0]
    starts = np.full((count, k), -1, np.int32)
    squares = np.full((count, k), -np.inf)  # scores, until all are found
    cells = np.empty((channels, count + ROWS))
    scores = np.empty(count)
    for top in range(first * ROWS, count, step * ROWS):
        bottom = min(top + ROWS, count)
        for i in range(top, bottom):
            shift = bottom - 1 - i
            for channel in range(channels):
                track, row = tracks[channel], cells[channel]
                new = 1 if i > top else count
                mean = track[MEAN]
                start_cells(y[channel], mean, l, i, 0, row[shift : shift + new])
                rest = row[shift + new : shift + count]
                advance_cells(track[STEP], track[TREND], i, new, rest)
            if tracks[0, BIAS, i] == 0.0:
                add_scores(tracks, i, shift, cells, scores)
                scores[i] = channels
                pick_apart(scores, i, zone, starts[i], squares[i])
    squares = 2.0 * l * (channels - squares)
    return starts, squares


@kernel
def add_scores(tracks, i, shift, cells, scores):
    """Set scores[j] to the sum of the correlations with window i, each at most 1."""
    for j in range(scores.size):
        scores[j] = tracks[0, BIAS, j]
    for channel in range(tracks.shape[0]):
        inverse = tracks[channel, INVERSE]
        row = cells[channel, shift : shift + scores.size]
        own = inverse[i]
        for j in range(scores.size):
            rho = row[j] * own * inverse[j]
            scores[j] += rho if rho < 1.0 else 1.0


@kernel
def pick_apart(scores, i, zone, starts, best):
    """Pick i, then the highest scores whose zones are free. Writes all but i, zone.

    Block maxima are kept, so a pick looks at blocks and at the few it has changed.
    """
    size = scores.size
    width = LANES * int(np.ceil(np.sqrt(size) / LANES))
    blocks = (size + width - 1) // width
    peaks = np.empty(blocks)
    lanes = np.empty(LANES)
    for block in range(blocks):
        peaks[block] = peak(scores[block * width : (block + 1) * width], lanes)
    pick = i
    for p in range(starts.size):
        if p > 0:
            block = np.argmax(peaks)
            if peaks[block] == -np.inf:
                return
            pick = block * width
            while scores[pick] != peaks[block]:
                pick += 1
        starts[p] = pick
        best[p] = scores[pick]
        low, high = max(0, pick - zone), min(pick + zone, size)
        scores[low:high] = -np.inf
        for block in range(low // width, (high - 1) // width + 1):
            peaks[block] = peak(scores[block * width : (block + 1) * width], lanes)


@kernel
def peak(scores, lanes):
    """Highest score, by running maxima in `LANES` lanes. Writes lanes."""
    whole = scores.size // LANES * LANES
    lanes[:] = -np.inf
    for t in range(0, whole, LANES):
        for lane in range(LANES):
            score = scores[t + lane]
            lanes[lane] = score if score > lanes[lane] else lanes[lane]
    top = -np.inf
    for lane in range(LANES):
        top = lanes[lane] if lanes[lane] > top else top
    for t in range(whole, scores.size):
        top = scores[t] if scores[t] > top else top
    return top


@kernel
def prefix_extents(y, tracks, l, starts, order, prune):  # noqa: E741
    """Largest squared distance within the first 1, 2, ... of every row of starts.

    starts: i4[N, k] of `nearest_apart`, order: i8[N], the order of work -> f8[N, k],
    inf for sets that are not complete. With `prune`, also inf where a set of all k
    with a smaller extent was met before: no extent of that row can be the smallest,
    as they grow along the row. O(N k^2 d l), much less with pruning.
    """
    count, k = starts.shape
    extents = np.full((count, k), np.inf)
    bound = np.inf
    for i in order:
        extent = 0.0
        for p in range(k):
            if starts[i, p] < 0:
                break
            for q in range(p):
                square = pair_square(y, tracks, l, starts[i, p], starts[i, q])
                extent = square if square > extent else extent
                if extent > bound:
                    break
            if extent > bound:
                break
            extents[i, p] = extent
        if prune and extents[i, k - 1] < bound:
            bound = extents[i, k - 1]
    return extents


@kernel
def pair_square(y, tracks, l, i, j):  # noqa: E741
    """Squared distance of two windows, from the definition. O(d l)."""
    total = 0.0
    for channel in range(y.shape[0]):
        z, track = y[channel], tracks[channel]
        a, b = track[INVERSE, i], track[INVERSE, j]
        if a == 0.0 or b == 0.0:
            total += 2.0
            continue
        mean_a, mean_b = track[MEAN, i], track[MEAN, j]
        one, two = z[i : i + l], z[j : j + l]
        for s in range(l):
            gap = (one[s] - mean_a) * a - (two[s] - mean_b) * b
            total += gap * gap
    return l * total
