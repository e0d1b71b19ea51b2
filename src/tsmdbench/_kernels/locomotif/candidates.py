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
    members = last_length = last_end = 0
    score = length = path_length = shared = 0.0
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
            return 0.0
        shared += common
        length += own
        first, last = columns[base + start, 0], columns[base + end - 1, 0]
        path_length += last - first + 1
        score += sums[spans[path, 3] + last + 1] - sums[spans[path, 3] + first]
        last_length = own
        last_end = row_end
    if members < 2:
        return -np.inf
    mean = (score - (end - start)) / path_length
    coverage = (length - shared - (end - start)) / (len(masked) - 1)
    if mean + coverage == 0.0:
        return 0.0
    return 2 * (coverage * mean) / (coverage + mean)


@strict_kernel
def update_candidates_inplace(
    spans, columns, sums, counts, allowed, limits, ends, values, first, last
):
    """Set the best end and its fitness for the starts that a new mask may affect.

    Of equal ends the shortest; 0 and fitness 0.0 if there is none. Starts are `first`
    to `last` - 1. counts: i8[2, n + 1], running counts of masked samples and of those
    that changed; allowed: b1[2, n], samples to start and to end at; limits: f8[3],
    shortest and longest length, overlap; ends: i8[n] and values: f8[n] are kept where
    nothing changed.
    """
    masked, changed = counts[0], counts[1]
    n = allowed.shape[1]
    shortest, longest, overlap = int(limits[0]), int(limits[1]), limits[2]
    active = np.empty(
        len(spans), np.int64
    )  # paths of use to `start`, by their row there
    size = 0
    entered = 0
    for start in range(first, last):
        kept = 0
        for t in range(size):
            if spans[active[t], 1] >= start + shortest:
                active[kept] = active[t]
                kept += 1
        size = kept
        while entered < len(spans) and spans[entered, 0] <= start:
            if spans[entered, 1] >= start + shortest:
                row = columns[spans[entered, 2] + start - spans[entered, 0], 1]
                at = size
                while at > 0:
                    other = active[at - 1]
                    if columns[spans[other, 2] + start - spans[other, 0], 1] < row:
                        break
                    active[at] = other
                    at -= 1
                active[at] = entered
                size += 1
            entered += 1
        through = active[:size]
        end = min(n, start + longest)
        if not touches(through, spans, columns, changed, start, end):
            continue
        ends[start], values[start] = 0, 0.0
        if size < 2 or not allowed[0, start]:
            continue
        if masked[start + shortest] > masked[start]:
            continue
        for end in range(start + shortest, min(n, start + longest) + 1):
            if masked[end] > masked[end - 1]:
                break
            if not allowed[1, end - 1]:
                continue
            value = fitness(through, spans, columns, sums, masked, overlap, start, end)
            if value == -np.inf:
                break
            if value > values[start]:
                ends[start], values[start] = end, value
