"""Nearest neighbours that stand apart, for scores that are not z-normalised.

The rows of the matrix are walked in strips, all columns at a time, with the recurrence
of `sliding`. Each cell becomes a score, the higher the nearer,

    score(i, j) = (c(i, j) inverse[i] - pull[i] lean[j]) inverse[j] + offset[i]

which covers the correlation of windows without their trend (`trend`) and the Euclidean
distance of windows of whole numbers (`nearest_quantised`). O(N^2) time, O(N) memory.

A row has one score per window, but only its best few matter. So it keeps the windows
whose score reaches a threshold that the row before suggests, and chooses among these.
The choice is exact: nearest first does not depend on where one stops, so if enough
windows are found above the threshold, they are those of the whole row. If not, the row
is done again with a lower threshold. A threshold that too many reach is raised.

Conventions
-----------
* **Tracks** f8[7, N] have the rows `STEP`, `TREND`, `INVERSE`, `LEAN`, `MEAN`, `PULL`
  and `OFFSET`. `INVERSE` is NaN for windows that have no distance: their scores reach
  no threshold.
* **Scores** are rounded to multiples of `GRID`, so that what is equally near is seen as
  equal; of equal ones the lowest start is nearer.
* **Choices.** A choice ``p`` blanks the windows that overlap it, ``p - l + 1`` to
  ``p + l - 1``; so does the window of the row itself.
* **Threads** take whole blocks of rows; the result does not depend on their number.
"""

import numpy as np

from tsmdbench._kernels.distance.sliding import ROWS, WIDTH, start_cells
from tsmdbench._kernels.jit import kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk, thread_count
from tsmdbench.arrays import Flags, Floats, Integers

STEP, TREND, INVERSE, LEAN, MEAN, PULL, OFFSET = range(7)

GRID = 2.0**-40  # far more than rounding, far less than a difference that matters
SPAN = 64  # windows that are looked at together, once a tile has a near one
SLACK = 1e-9  # of thresholds, so that rounding excludes nothing
STRIP = 4  # rows that are walked together, so that their tiles stay in a cache
FULL = 48  # candidates of a row from which on its threshold is raised


def nearest_apart(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    k: int,
    n_jobs: int = 1,
) -> tuple[Integers, Floats]:
    """Return starts i8[N, k] and scores f8[N, k] of the nearest that stand apart.

    Nearest first, none overlapping the window or another choice; -1 and ``-inf`` where
    fewer than `k` are left.
    """
    count = tracks.shape[1]
    starts = np.full((count, k), -1, np.int64)
    scores = np.full((count, k), -np.inf)
    arguments = (y, tracks, l, (starts, scores))
    jobs, blocks = thread_count(n_jobs), -(-count // ROWS)
    run_walk(nearest_in_blocks, [arguments] * jobs, blocks, ROWS * count)
    return starts, scores


def nearest_quantised(
    values: Integers,
    usable: Flags,
    l: int,  # noqa: E741 (as in papers)
    k: int,
    n_jobs: int = 1,
) -> tuple[Integers, Floats]:
    """Return starts i8[N, k] and squared distances f8[N, k] of the nearest apart.

    values: i8[n]; usable: bool[n], samples that windows may contain. -1 and ``inf``
    where fewer than `k` are left. Every step of the walk is exact below 2^53: ``score =
    c - (s[i] + s[j]) / 2 = -d^2 / 2`` with products ``c`` and squares ``s`` of windows.
    """
    y = values.astype(np.float64)
    ones = np.concatenate([[0], np.cumsum(usable)])
    squares = np.concatenate([[0.0], np.cumsum(y * y)])
    tracks = np.zeros((7, len(y) - l + 1))
    tracks[INVERSE] = np.where(ones[l:] - ones[:-l] == l, 1.0, np.nan)
    tracks[LEAN] = (squares[l:] - squares[:-l]) / 2
    tracks[PULL], tracks[OFFSET] = 1.0, -tracks[LEAN]
    last, before = y[l:], y[: len(y) - l]
    tracks[STEP, 1:] = (last - before) / 2
    tracks[TREND, 1:] = last + before
    starts, scores = nearest_apart(y, tracks, l, k, n_jobs)
    return starts, -2.0 * scores


@kernel
def nearest_in_blocks(y, tracks, l, out, signal, first, step):  # noqa: E741
    """Fill `nearest_apart` for the blocks of rows first, first + step, etc."""
    starts, values = out
    count, k = starts.shape
    cells = np.zeros(count + ROWS)
    near, scores = np.empty((STRIP, count), np.int32), np.empty((STRIP, count))
    sizes, thresholds = np.zeros(STRIP, np.int64), np.empty(STRIP)
    lists = near, scores, sizes, thresholds
    chosen, chosen_scores = np.empty((STRIP, k), np.int64), np.empty((STRIP, k))
    found = np.zeros(STRIP, np.int64)
    for block in range(first * ROWS, count, step * ROWS):
        if step > 1:
            found[:] = 0  # the row above belongs to another thread
        for top in range(block, min(block + ROWS, count), STRIP):
            if signal[STOP]:
                return
            above = chosen[STRIP - 1, : found[STRIP - 1]].copy()
            found[:] = 0
            for r in range(STRIP):
                thresholds[r] = guess(y, tracks, l, top + r, above + (r + 1), k)
            restart, most, again = block, k, True
            while again:
                walk_strip(y, tracks, l, top, restart, cells, lists, most)
                again = choose_strip(top, l, lists, chosen, chosen_scores, found)
                restart, most = top, 0
            for r in range(STRIP):
                for c in range(found[r]):
                    starts[top + r, c] = chosen[r, c]
                    values[top + r, c] = chosen_scores[r, c]
        signal[DONE] += 1


@kernel
def guess(y, tracks, l, i, anchors, k):  # noqa: E741
    """Guess the score that the k nearest of row i reach, from windows likely to be so.

    inf for a row that has no distances, -inf where nothing is known.
    """
    count = tracks.shape[1]
    if i >= count or np.isnan(tracks[INVERSE, i]):
        return np.inf
    if anchors.size < k:
        return -np.inf
    lowest = np.inf
    for c in range(anchors.size):
        j = min(anchors[c], count - 1)
        product = 0.0
        for s in range(l):
            product += (y[i + s] - tracks[MEAN, i]) * (y[j + s] - tracks[MEAN, j])
        score = product * tracks[INVERSE, i] - tracks[PULL, i] * tracks[LEAN, j]
        score = score * tracks[INVERSE, j] + tracks[OFFSET, i]
        if np.isnan(score):
            return -np.inf
        lowest = min(lowest, score)
    return lowest - SLACK


@kernel
def choose_strip(top, l, lists, chosen, values, found):  # noqa: E741
    """Choose the neighbours of the rows of a strip; True if some must be repeated.

    Rows that are done get the threshold inf, those that lack neighbours a lower one.
    Writes the lists (see `walk_strip`), chosen, values and found.
    """
    near, scores, sizes, thresholds = lists
    again = False
    for r in range(thresholds.size):
        if thresholds[r] == np.inf:
            continue
        size = sizes[r]
        found[r] = choose_apart(
            near[r, :size],
            scores[r, :size],
            top + r,
            l,
            chosen[r],
            values[r],
        )
        if found[r] < chosen.shape[1] and thresholds[r] > -np.inf:
            thresholds[r] = 2.0 * thresholds[r] - 1.0  # twice the squared distance
            if thresholds[r] < -1.0:
                thresholds[r] = -np.inf
            again = True
        else:
            thresholds[r] = np.inf
    return again


@kernel
def walk_strip(y, tracks, l, top, restart, cells, lists, k):  # noqa: E741
    """List the windows that reach the thresholds, for a strip of rows from `top` on.

    lists: windows i4[STRIP, N], scores f8[STRIP, N], sizes i8[STRIP] and thresholds
    f8[STRIP]; where a list becomes long, the threshold is raised to what `k` choices
    reach, unless k is 0. cells: f8[N + ROWS] holds the row before `top`, unless `top`
    is the row `restart`, which is computed from the definition; column j of row i is at
    ``j + last - i``, `last` being the last row of the block of rows, so that a diagonal
    keeps its place. Writes lists and cells.
    """
    near, scores, sizes, thresholds = lists
    limits = np.full(STRIP, FULL)
    count = tracks.shape[1]
    last = min(top // ROWS * ROWS + ROWS, count) - 1
    bottom = min(top + STRIP, last + 1)
    sizes[:] = 0
    for tile in range(last - bottom + 1, last - top + count, WIDTH):
        for i in range(top, bottom):
            at = max(tile, last - i)
            width = min(tile + WIDTH, last - i + count) - at
            if width <= 0:
                continue
            j = at + i - last
            row, r = cells[at : at + width], i - top
            if i == restart:
                start_cells(y, tracks[MEAN], l, i, j, row)
                reached = any_reaches(tracks, i, j, row, thresholds[r])
            else:
                if j == 0:  # a diagonal that begins here: the step of window 0 is 0
                    start_cells(y, tracks[MEAN], l, i, j, row[:1])
                reached = advance_and_compare(tracks, i, j, row, thresholds[r])
            if reached:
                sizes[r] = collect(
                    tracks, i, j, row, thresholds[r], near[r], scores[r], sizes[r]
                )
            if k > 0 and sizes[r] > limits[r]:
                thresholds[r], sizes[r] = raise_threshold(
                    near[r], scores[r], sizes[r], i, l, thresholds[r], k
                )
                limits[r] = max(FULL, 2 * sizes[r])


@kernel
def advance_and_compare(tracks, i, j, cells, threshold):
    """Advance the cells; True if any score reaches the threshold. Writes cells.

    One pass without a branch: in most tiles none does, and the rest is skipped.
    """
    width = cells.size
    a, b = tracks[STEP, i], tracks[TREND, i]
    p, q = tracks[INVERSE, i], tracks[PULL, i]
    f, g = tracks[STEP, j : j + width], tracks[TREND, j : j + width]
    u, v = tracks[INVERSE, j : j + width], tracks[LEAN, j : j + width]
    least = threshold - tracks[OFFSET, i]
    reached = 0
    for k in range(width):
        cell = cells[k] + (a * g[k] + b * f[k])
        cells[k] = cell
        reached += (cell * p - q * v[k]) * u[k] >= least
    return reached > 0


@kernel
def any_reaches(tracks, i, j, cells, threshold):
    """Return True if any score reaches the threshold."""
    width = cells.size
    p, q = tracks[INVERSE, i], tracks[PULL, i]
    u, v = tracks[INVERSE, j : j + width], tracks[LEAN, j : j + width]
    least = threshold - tracks[OFFSET, i]
    reached = 0
    for k in range(width):
        reached += (cells[k] * p - q * v[k]) * u[k] >= least
    return reached > 0


@kernel
def collect(tracks, i, j, cells, threshold, near, scores, size):
    """Append the windows that reach the threshold. Writes near, scores -> new size."""
    p, q = tracks[INVERSE, i], tracks[PULL, i]
    for span in range(0, cells.size, SPAN):
        part = cells[span : span + SPAN]
        first = j + span
        if not any_reaches(tracks, i, first, part, threshold):
            continue
        u, v = tracks[INVERSE, first:], tracks[LEAN, first:]
        for k in range(part.size):
            score = (part[k] * p - q * v[k]) * u[k] + tracks[OFFSET, i]
            if score >= threshold:
                near[size] = first + k
                scores[size] = np.rint(score / GRID) * GRID
                size += 1
    return size


@kernel
def choose_apart(starts, scores, i, l, chosen, values):  # noqa: E741
    """Choose from the candidates of row i, nearest first. Writes all but starts.

    starts, scores: i4[m], f8[m], ascending starts; chosen, values: i8[k], f8[k] -> how
    many were chosen.
    """
    low, high = i - l + 1, i + l - 1
    for found in range(chosen.size):
        best, score = -1, -np.inf
        for c in range(starts.size):
            if low <= starts[c] <= high:
                scores[c] = -np.inf
            elif scores[c] > score:
                best, score = c, scores[c]
        if best < 0:
            return found
        p = np.int64(starts[best])
        chosen[found], values[found] = p, score
        low, high = p - l + 1, p + l - 1
    return chosen.size


@kernel
def raise_threshold(starts, scores, size, i, l, threshold, k):  # noqa: E741
    """Raise the threshold to the k-th choice of so far; drop what no longer reaches it.

    starts, scores: i4[m], f8[m], of which `size` are used; both are written. ->
    threshold, size.
    """
    chosen, values = np.empty(k, np.int64), np.empty(k)
    room = scores[:size].copy()
    if choose_apart(starts[:size], room, i, l, chosen, values) < k:
        return threshold, size
    left = 0
    for c in range(size):
        if scores[c] >= values[k - 1]:
            starts[left], scores[left] = starts[c], scores[c]
            left += 1
    return values[k - 1], left
