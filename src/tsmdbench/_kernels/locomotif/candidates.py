"""Fitness of every candidate segment, from the warping paths that cross its columns.

`spans` is i8[p, 4], a row per path: first column, column after the last, where its
columns begin in `columns`, where its cells begin in `sums`. Paths are ordered by first
column. `columns` is i4[., 2], a row per column of a path: the first cell of the path
in this column or, where the path steps over it, the next, counted from the path's
start, and the row of that cell. `sums` is f4[.], for each path 0 and the running sums
of its similarities.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def fill_columns_inplace(rows, along, columns):
    """Set the part of `columns` of one path from its rows and columns. i4[m].

    Return how many columns the path has.
    """
    filled = 0
    for t in range(len(along)):
        while filled <= along[t] - along[0]:
            columns[filled, 0] = t
            columns[filled, 1] = rows[t]
            filled += 1
    return filled


@strict_kernel
def tabulate(n, cells, offsets, similarities):
    """Tables of the main diagonal, of paths, and of their mirror images.

    cells: i4[m, 2], rows and columns, path by path; offsets: i8[p + 1]; similarities:
    f4[m]. -> spans, columns, sums; spans not yet ordered. Sums are in float32, from the
    start of the path on; those of a mirror image are the same. O(m + n).
    """
    paths = len(offsets) - 1
    spans = np.empty((2 * paths + 1, 4), np.int64)
    columns = np.empty((n + 4 * len(cells), 2), np.int32)  # steps are at most of two
    sums = np.empty(n + len(cells) + paths + 1, np.float32)
    diagonal = np.arange(n, dtype=np.int32)
    spans[0] = 0, n, 0, 0
    used = fill_columns_inplace(diagonal, diagonal, columns)
    sums[: n + 1] = np.arange(n + 1)
    start = n + 1
    for p in range(paths):
        part = cells[offsets[p] : offsets[p + 1]]
        for mirror in range(2):
            rows, along = part[:, mirror], part[:, 1 - mirror]
            row = 1 + p + paths * mirror
            spans[row, 0], spans[row, 1] = along[0], along[-1] + 1
            spans[row, 2], spans[row, 3] = used, start
            used += fill_columns_inplace(rows, along, columns[used:])
        total = np.float32(0.0)
        sums[start] = total
        for t in range(offsets[p], offsets[p + 1]):
            start += 1
            total += similarities[t]
            sums[start] = total
        start += 1
    return spans, columns[:used], sums


@strict_kernel
def enter_inplace(active, size, spans, columns, path, column):
    """Insert a path among the `size` active ones, ordered by their row in `column`."""
    row = columns[spans[path, 2] + column - spans[path, 0], 1]
    at = size
    while at > 0:
        other = active[at - 1]
        if columns[spans[other, 2] + column - spans[other, 0], 1] < row:
            break
        active[at] = other
        at -= 1
    active[at] = path


@strict_kernel
def touches(active, spans, columns, changed, start, end):
    """Whether a changed sample lies in [start, end) or in a segment it induces.

    changed: i8[n + 1], running count of the changed samples.
    """
    if changed[end] > changed[start]:
        return True
    for path in active:
        base = spans[path, 2] - spans[path, 0]
        last = min(end, spans[path, 1]) - 1
        rows = columns[base + start, 1], columns[base + last, 1] + 1
        if changed[rows[1]] > changed[rows[0]]:
            return True
    return False


@strict_kernel
def fitness(active, spans, columns, sums, masked, overlap, start, end):
    """Fitness of the candidate [start, end); 0 if invalid, -inf if longer ones are too.

    active: paths through `start`, ordered by row; masked: i8[n + 1], running count.
    """
    members = 0
    score = 0.0
    length = 0.0
    path_length = 0.0
    shared = 0.0
    last_length = 0
    last_end = 0
    clash = False
    for path in active:
        if spans[path, 1] < end:
            continue
        base = spans[path, 2] - spans[path, 0]
        row = columns[base + start, 1]
        row_end = columns[base + end - 1, 1] + 1
        if masked[row_end] > masked[row]:
            continue
        members += 1
        own = row_end - row
        common = max(0, last_end - row)
        if overlap * min(own, last_length) < common:
            clash = True
            break
        shared += common
        length += own
        first, last = columns[base + start, 0], columns[base + end - 1, 0]
        path_length += last - first + 1
        score += sums[spans[path, 3] + last + 1] - sums[spans[path, 3] + first]
        last_length = own
        last_end = row_end
    if clash:
        return 0.0
    if members < 2:
        return -np.inf
    mean = (score - (end - start)) / path_length
    coverage = (length - shared - (end - start)) / (len(masked) - 1)
    if mean + coverage == 0.0:
        return 0.0
    return 2 * (coverage * mean) / (coverage + mean)


@strict_kernel
def best_end(active, spans, columns, sums, masked, allowed, limits, start):
    """Best end for a candidate that begins at `start`, and its fitness.

    allowed: b1[2, n], samples to start and to end at; limits: f8[3], shortest and
    longest length, overlap. Of equal ones the shortest; (0, 0.0) if there is none.
    """
    n = allowed.shape[1]
    shortest, longest, overlap = int(limits[0]), int(limits[1]), limits[2]
    best = 0
    best_fitness = 0.0
    if len(active) < 2 or masked[start + shortest] > masked[start]:
        return best, best_fitness
    for end in range(start + shortest, min(n, start + longest) + 1):
        if masked[end] > masked[end - 1]:
            break
        if not allowed[1, end - 1]:
            continue
        value = fitness(active, spans, columns, sums, masked, overlap, start, end)
        if value == -np.inf:
            break
        if value > best_fitness:
            best = end
            best_fitness = value
    return best, best_fitness


@strict_kernel
def update_candidates_inplace(
    spans, columns, sums, counts, allowed, limits, ends, values, first, last
):
    """Set the best end and its fitness for the starts that a new mask may affect.

    Starts are `first` to `last` - 1. counts: i8[2, n + 1], running counts of masked
    samples and of those that changed; ends: i8[n] and values: f8[n] are kept where
    nothing changed.
    """
    masked, changed = counts[0], counts[1]
    n = allowed.shape[1]
    longest = int(limits[1])
    active = np.empty(len(spans), np.int64)
    size = 0
    entered = 0
    for start in range(first, last):
        kept = 0
        for t in range(size):
            if spans[active[t], 1] > start:
                active[kept] = active[t]
                kept += 1
        size = kept
        while entered < len(spans) and spans[entered, 0] <= start:
            if spans[entered, 1] > start:
                enter_inplace(active, size, spans, columns, entered, start)
                size += 1
            entered += 1
        end = min(n, start + longest)
        if not touches(active[:size], spans, columns, changed, start, end):
            continue
        ends[start], values[start] = 0, 0.0
        if allowed[0, start]:
            ends[start], values[start] = best_end(
                active[:size], spans, columns, sums, masked, allowed, limits, start
            )
