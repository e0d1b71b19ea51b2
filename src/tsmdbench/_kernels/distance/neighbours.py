"""Windows near to each window: how many, which, and the nearest that stand apart.

Lists, and greedy choices that blank a zone around each chosen window, have to see a
whole row at once. They go through the matrix in strips of `STRIP` rows, `score_strip`,
so memory is O(N) whatever the radius.

Conventions
-----------
See `sliding`. Thresholds are scores (`sliding.to_score`) and are
reached, not exceeded. `gap` is the smallest allowed difference of starts. The greedy
choice is nearest first, the lower start where two are equally near; the zone that a
choice `p` blanks is ``[p - left, p + right]``, both inclusive, so ``l - 1`` on both
sides leaves windows that do not overlap. Nearest first does not depend on where one
stops: the choice within a smaller radius is the beginning of that within a larger one.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tsmdbench._kernels.distance.selection import SPAN, select_apart_inplace
from tsmdbench._kernels.distance.sliding import (
    BIAS,
    CONSTANT_BIAS,
    NEAR,
    ROWS,
    WIDTH,
    advance_row,
    pair_distance,
    score_row,
    start_row,
)
from tsmdbench._kernels.jit import kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk, thread_count
from tsmdbench.arrays import Flags, Floats, Integers

STRIP = 8  # rows whose scores are kept at once; they should fit into a cache


def scored_strips(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    wanted: Flags,
) -> Iterator[tuple[int, Floats]]:
    """Yield the first row and the scores f8[., N] of every strip with a wanted row.

    The array of scores is written over by the next strip.
    """
    count = tracks.shape[2]
    cells = np.empty((len(y), count + ROWS))
    strip = np.empty((STRIP, count))
    after = -1
    for top in range(0, count, STRIP):
        if wanted[top : top + STRIP].any():
            restart = top if top != after else top // ROWS * ROWS
            score_strip(y, tracks, l, top, restart, cells, strip)
            after = top + STRIP
            yield top, strip[: count - top]


def count_apart(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    gap: int,
    thresholds: Floats,
    n_jobs: int = 1,
    wanted: Flags | None = None,
) -> tuple[Integers, Floats]:
    """Return size i8[R, N] and spread f8[R, N] of every window's greedy match list.

    The list of a window holds windows that reach the threshold, are at least `gap`
    away from it and from each other, nearest first; the spread is the standard
    deviation of their distances, 0 for an empty list. One walk for all thresholds.
    `wanted` bool[N] names the windows that matter; the others get 0.
    """
    count = tracks.shape[2]
    if wanted is None:
        wanted = np.ones(count, np.bool_)
    sizes = np.zeros((len(thresholds), count), np.int64)
    spreads = np.zeros((len(thresholds), count))
    if len(y) == 1 and np.min(thresholds) > CONSTANT_BIAS:
        # Constant windows match nothing else. A long plateau is not walked.
        constant = tracks[0, BIAS] == CONSTANT_BIAS
        sizes[:] = np.where(wanted, count_constant(tracks[0, BIAS], gap), 0)
        wanted = wanted & ~constant
    arguments = (y, tracks, l, gap, thresholds, (wanted, sizes, spreads))
    walk_rows(count_apart_inplace, arguments, n_jobs, count * len(y))
    return sizes, spreads


def nearest_apart(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    left: int,
    right: int,
    k: int,
    n_jobs: int = 1,
    *,
    squared: bool = False,
) -> tuple[Integers, Floats]:
    """Return starts i8[N, k] and distances f8[N, k] of the nearest that stand apart.

    Each window comes first in its own row, and the zone of every choice is blanked.
    -1 and ``inf`` where fewer than `k` are left. Of several channels the distances are
    averaged, or their squares where `squared`.
    """
    count = tracks.shape[2]
    starts = np.full((count, k), -1, np.int64)
    distances = np.full((count, k), np.inf)
    arguments = (y, tracks, l, left, right, (starts, distances, squared))
    walk_rows(nearest_apart_inplace, arguments, n_jobs, count * len(y))
    return starts, distances


def near_to_any(
    y: Floats,
    tracks: Floats,
    l: int,  # noqa: E741
    some: Flags,
    others: Flags,
    threshold: float,
) -> Flags:
    """Mark which of some bool[N] reach the threshold with any of others bool[N].

    The rows of the smaller of the two are walked.
    """
    near = np.zeros(tracks.shape[2], np.bool_)
    rows, columns, by_row = some, others, True
    if np.count_nonzero(others) < np.count_nonzero(some):
        rows, columns, by_row = others, some, False
    arguments = (y, tracks, l, (rows, columns), threshold, by_row, near)
    walk_rows(near_to_any_inplace, arguments, 1, len(near) * len(y))
    return near


def walk_rows(
    work: Callable[..., None], arguments: tuple[Any, ...], n_jobs: int, cells: int
) -> None:
    """Process rows of `cells` cells in blocks; each block writes only its own rows."""
    count = arguments[1].shape[2]
    blocks = -(-count // ROWS)
    run_walk(work, [arguments] * thread_count(n_jobs), blocks, ROWS * cells)


def choose_apart(distances: Floats, radius: float, gap: int, limit: int) -> Integers:
    """Choose from one profile: nearest first, within `radius`, `gap` apart. -> i8[k].

    distances: f8[N], inf for what may not be chosen. The radius is inclusive.
    """
    scores = -distances
    chosen = np.empty(min(limit, len(scores)), np.int64)
    tops = np.empty(len(scores) // SPAN + 1)
    found = select_apart_inplace(
        scores, -radius, gap - 1, gap - 1, tops, chosen, np.empty(len(chosen))
    )
    return chosen[:found]


@kernel
def score_strip(y, tracks, l, top, restart, cells, strip, squared=False):  # noqa: E741, FBT002
    """Set strip[r, j] to the score of (top + r, j), for all columns. Writes both.

    cells: f8[d, N + ROWS] goes from strip to strip, top ascending by `STRIP`, unless
    the row `restart` is computed from the definition: the first of a block of `ROWS`
    rows, or of a strip whose predecessor was skipped. Cells are indexed by diagonal:
    column j of row i is at ``j + last - i``, `last` being the last row of the block.
    """
    count = tracks.shape[2]
    last = min(top // ROWS * ROWS + ROWS, count) - 1
    bottom = min(top + STRIP, last + 1)
    rho = np.empty(WIDTH)
    for tile in range(last - bottom + 1, last - top + count, WIDTH):
        for i in range(top, bottom):
            at = max(tile, last - i)
            width = min(tile + WIDTH, last - i + count) - at
            j = at + i - last
            if width <= 0:
                continue
            if i == restart:
                start_row(y, tracks, l, i, j, at, width, cells)
            else:
                new = 1 if j == 0 else 0  # a diagonal that begins in this row
                advance_row(tracks, i, j + new, at + new, width - new, cells)
                if new:
                    start_row(y, tracks, l, i, j, at, 1, cells)
            scores = strip[i - top, j : j + width]
            score_row(tracks, l, i, j, at, cells, rho[:width], scores, squared)


@kernel
def strips(count, first, step):
    """First rows of the strips of the blocks first, first + step, etc. -> i8[k]."""
    tops = np.arange(0, count, STRIP)
    return tops[(tops // ROWS) % step == first]


@kernel
def count_apart_inplace(y, tracks, l, gap, thresholds, out, signal, first, step):  # noqa: E741
    """Fill `count_apart` for the blocks of rows first, first + step, etc."""
    wanted, sizes, spreads = out
    count = tracks.shape[2]
    cells = np.empty((y.shape[0], count + ROWS))
    strip = np.empty((STRIP, count))
    tops = np.empty(count // SPAN + 1)
    chosen = np.empty(count // gap + 1, np.int64)
    distances = np.empty(chosen.size)
    lowest = thresholds.min()
    after = -1
    for top in strips(count, first, step):
        if signal[STOP]:
            return
        signal[DONE] = top // ROWS // step
        if not np.any(wanted[top : top + STRIP]):
            continue
        restart = top if top != after else top // ROWS * ROWS
        score_strip(y, tracks, l, top, restart, cells, strip)
        after = top + STRIP
        for i in range(top, min(top + STRIP, count)):
            if not wanted[i]:
                continue
            scores = strip[i - top]
            scores[max(0, i - gap + 1) : i + gap] = -np.inf
            found = select_apart_inplace(
                scores, lowest, gap - 1, gap - 1, tops, chosen, distances
            )
            for t in range(thresholds.size):
                while sizes[t, i] < found and (distances[sizes[t, i]] >= thresholds[t]):
                    sizes[t, i] += 1
            to_distances_inplace(y, tracks, l, i, chosen[:found], distances)
            for t in range(thresholds.size):
                if sizes[t, i] > 1:
                    spreads[t, i] = np.std(distances[: sizes[t, i]])


@kernel
def count_constant(bias, gap):
    """Sizes of the lists of constant windows, where they hold constant windows only.

    bias: f8[N] -> i8[N], 0 for other windows. All scores are 1, so a list is chosen
    from left to right, before the window and again after it: O(N) for all lists.
    """
    constant = bias == CONSTANT_BIAS
    sizes = np.zeros(bias.size, np.int64)
    after = np.zeros(bias.size + 2 * gap, np.int64)  # choices from here on
    for p in range(bias.size - 1, -1, -1):
        after[p] = 1 + after[p + gap] if constant[p] else after[p + 1]
    before, free = 0, 0  # choices that end before window i, and the first start left
    for i in range(bias.size):
        p = i - gap
        if p >= free and constant[p]:
            before += 1
            free = p + gap
        if constant[i]:
            sizes[i] = before + after[i + gap]
    return sizes


@kernel
def near_to_any_inplace(
    y,
    tracks,
    l,  # noqa: E741
    rows_and_columns,
    threshold,
    by_row,
    near,
    signal,
    first,
    step,
):
    """Mark the rows, or the columns, of scores that reach the threshold.

    Strips without such a row are skipped. Only for one thread: rows share columns.
    """
    rows, columns = rows_and_columns
    count = tracks.shape[2]
    cells = np.empty((y.shape[0], count + ROWS))
    strip = np.empty((STRIP, count))
    after = -1
    for top in strips(count, first, step):
        if signal[STOP]:
            return
        signal[DONE] = top // ROWS
        if not np.any(rows[top : top + STRIP]):
            continue
        restart = top if top != after else top // ROWS * ROWS
        score_strip(y, tracks, l, top, restart, cells, strip)
        after = top + STRIP
        for i in range(top, min(top + STRIP, count)):
            if not rows[i]:
                continue
            reached = 0
            for j in range(count):
                reached += columns[j] & (strip[i - top, j] >= threshold)
            if by_row:
                near[i] = reached > 0
            elif reached > 0:
                for j in range(count):
                    near[j] |= columns[j] & (strip[i - top, j] >= threshold)


@kernel
def nearest_apart_inplace(y, tracks, l, left, right, out, signal, first, step):  # noqa: E741
    """Fill `nearest_apart` for the blocks of rows first, first + step, etc."""
    starts, distances, squared = out
    count = tracks.shape[2]
    cells = np.empty((y.shape[0], count + ROWS))
    strip = np.empty((STRIP, count))
    tops = np.empty(count // SPAN + 1)
    for top in strips(count, first, step):
        if signal[STOP]:
            return
        signal[DONE] = top // ROWS // step
        score_strip(y, tracks, l, top, top // ROWS * ROWS, cells, strip, squared)
        for i in range(top, min(top + STRIP, count)):
            scores = strip[i - top]
            if scores[i] == -np.inf:
                continue
            scores[i] = np.inf  # itself first, also beside perfect copies
            found = select_apart_inplace(
                scores, -np.inf, left, right, tops, starts[i], distances[i]
            )
            chosen = starts[i, :found]
            to_distances_inplace(y, tracks, l, i, chosen, distances[i], squared)


@kernel
def to_distances_inplace(y, tracks, l, i, starts, scores, squared=False):  # noqa: E741, FBT002
    """Replace the scores of windows near to i by distances, exact near zero."""
    for k in range(starts.size):
        square = 2.0 * l * (1.0 - scores[k])
        if y.shape[0] > 1 and not squared:
            square = scores[k] * scores[k]
        if square < 2.0 * l * NEAR or scores[k] == np.inf:
            scores[k] = pair_distance(y, tracks, l, i, starts[k], squared)
        else:
            scores[k] = np.sqrt(square)
