"""Distance profile of one window, and nearest neighbour of every window.

The matrix of all distances is walked once, in tiles: a block of `ROWS` rows times
`WIDTH` neighbouring diagonals. Each cell serves both of its windows: the row keeps its
best partner to the right, the column its best partner to the left. O(N^2) time, O(N)
memory per thread.

Conventions
-----------
See `sliding`. `gap` is the smallest difference of the starts of two
windows that may be compared: ``l`` for windows that do not overlap, ``ceil(l / 4) + 1``
for stumpy's exclusion zone. Among equally near windows the one with the lowest start
wins. The nearest neighbour is searched by the recurrence; its distance is then
computed from the definition, so that distances near zero are exact as well.

Threads take whole blocks of rows and are merged by the same rule, so the result does
not depend on their number.
"""

from functools import reduce

import numpy as np

from tsmdbench._kernels.distance.sliding import (
    BIAS,
    INVERSE,
    NEAR,
    ROWS,
    STEP,
    TREND,
    WIDTH,
    advance_row,
    pair_distances,
    score_row,
    start_row,
    to_distance,
)
from tsmdbench._kernels.jit import kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk, thread_count
from tsmdbench.arrays import Floats, Integers

MARGIN = 1e-14  # more than two ways of rounding a correlation differ


def nearest_neighbours(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    gap: int,
    n_jobs: int = 1,
    floor: Floats | None = None,
) -> tuple[Floats, Integers]:
    """Return distance f8[N] and start i8[N] of every window's nearest neighbour.

    ``inf`` and -1 where there is none: no partner at least `gap` away, or NaN or
    infinite samples, or no score above floor f8[N], if given: what need not be noted
    costs less. For several channels the distance is the mean over them.
    """
    if floor is None:
        floor = np.full(tracks.shape[2], -np.inf)
    count = len(floor)
    none = np.full(count, -1)
    best = [
        (floor.copy(), none.copy(), floor.copy(), none.copy())
        for _ in range(thread_count(n_jobs))
    ]
    run_walk(
        nearest_in_blocks,
        [(y, tracks, l, gap, one) for one in best],
        -(-max(count - gap, 0) // ROWS),
        ROWS * count * len(y) / 2,
    )
    left, left_start = reduce(_better, [one[:2] for one in best])
    right, right_start = reduce(_better, [one[2:] for one in best])
    start = np.where(left >= right, left_start, right_start)
    return pair_distances(y, tracks, l, np.arange(count), start), start


def distance_profile(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    i: int,
) -> Floats:
    """Return the distance f8[N] of window i to every window, from the definition."""
    every = [
        _channel_profile(y[channel : channel + 1], tracks[channel : channel + 1], l, i)
        for channel in range(len(y))
    ]
    mean: Floats = np.mean(every, axis=0)
    return mean


def _channel_profile(y, tracks, l, i):  # noqa: E741
    """Distance profile of one channel; what is near is computed pair by pair."""
    count = tracks.shape[2]
    cells = np.empty((1, count))
    rho, scores = np.empty(count), np.empty(count)
    start_row(y, tracks, l, i, 0, 0, count, cells)
    score_row(tracks, l, i, 0, 0, cells, rho, scores)
    distances = to_distance(scores, l, 1)
    near = np.flatnonzero(scores > 1.0 - NEAR)
    distances[near] = pair_distances(y, tracks, l, np.full(near.size, i), near)
    return distances


def _better(one, other):
    """Return the higher scores and their starts; the lower start where both are equal.

    one, other: scores f8[N] and starts i8[N].
    """
    take = (other[0] > one[0]) | ((other[0] == one[0]) & (other[1] < one[1]))
    return np.where(take, other[0], one[0]), np.where(take, other[1], one[1])


@kernel
def nearest_in_blocks(y, tracks, l, gap, best_inplace, signal, first, step):  # noqa: E741
    """Best partner to the left and right over the row blocks first, first + step, etc.

    best_inplace: scores f8[N] and starts i8[N] of the left, then of the right, floor
    and -1 where there is none. Rows ascend and tiles go from the far right to the
    diagonal, so that partners to the left are met in ascending, those to the right in
    descending order of their start.
    """
    count = tracks.shape[2]
    left, left_start, right, right_start = best_inplace
    cells = np.empty((y.shape[0], WIDTH))
    rho, score_buffer = np.empty(WIDTH), np.empty(WIDTH)
    for top in range(first * ROWS, count - gap, step * ROWS):
        tiles = (count - top - gap + WIDTH - 1) // WIDTH
        for tile in range(tiles - 1, -1, -1):
            if signal[STOP]:
                return
            offset = gap + tile * WIDTH
            width = min(WIDTH, count - top - offset)
            start_row(y, tracks, l, top, top + offset, 0, width, cells)
            for i in range(top, min(top + ROWS, count - offset)):
                j = i + offset
                width = min(width, count - j)
                best = left[j : j + width]
                if i > top and y.shape[0] == 1:
                    row = cells[0, :width]
                    if not advance_and_compare(tracks[0], i, j, row, best, right[i]):
                        continue
                elif i > top:
                    advance_row(tracks, i, j, 0, width, cells)
                scores = score_buffer[:width]
                score_row(tracks, l, i, j, 0, cells, rho[:width], scores)
                keep_best(scores, i, best, left_start[j : j + width])
                take_best(scores, i, j, right, right_start)
        signal[DONE] += 1


@kernel
def keep_best(scores, i, best, start):
    """Set best[k], start[k] to scores[k], i where it is higher. Writes both."""
    for k in range(scores.size):
        higher = scores[k] > best[k]
        best[k] = scores[k] if higher else best[k]
        start[k] = i if higher else start[k]


@kernel
def advance_and_compare(track, i, j, cells, best, threshold):
    """Advance one channel's cells; True if a score may be a new best. Writes cells.

    One pass without a branch: in most rows nothing is better, and the rest is skipped.
    `MARGIN` covers the rounding by which these scores differ from those of `score_row`,
    so that no new best is ever missed.
    """
    width = cells.size
    a, b = track[STEP, i], track[TREND, i]
    p, q = track[INVERSE, i], track[BIAS, i] + MARGIN
    f, g = track[STEP, j : j + width], track[TREND, j : j + width]
    u, v = track[INVERSE, j : j + width], track[BIAS, j : j + width]
    better = 0
    for k in range(width):
        cell = cells[k] + (a * g[k] + b * f[k])
        cells[k] = cell
        score = cell * p * u[k] + (q + v[k])
        better += (score > best[k]) | (score >= threshold)
    return better > 0


@kernel
def take_best(scores, i, j, best, start):
    """Set best[i], start[i] to the first highest finite score. Writes both."""
    reached = 0
    for k in range(scores.size):
        reached += scores[k] >= best[i]
    if reached == 0:
        return
    for k in range(scores.size):
        better = scores[k] > best[i]
        # An equal score of an earlier tile lies further right.
        if better or (scores[k] == best[i] and j + k < start[i]):
            best[i] = scores[k]
            start[i] = j + k
