"""Choosing among groups of segments: no overlap within a group, little between.

Groups are ``starts, ends, bounds``: group k has the segments
``starts[bounds[k]:bounds[k + 1]]``, ascending.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def disjoint(starts, ends, bounds):
    """Keep, from left to right, segments that begin where none kept is. O(segments).

    -> groups that keep two or more, i8[k], and these: starts, ends, bounds i8[k + 1].
    """
    owner = np.empty(len(bounds) - 1, np.int64)
    new_starts, new_ends = np.empty_like(starts), np.empty_like(ends)
    new_bounds = np.zeros(len(bounds), np.int64)
    count, filled = 0, 0
    for group in range(len(bounds) - 1):
        free = 0
        for k in range(bounds[group], bounds[group + 1]):
            if starts[k] >= free:
                new_starts[filled], new_ends[filled] = starts[k], ends[k]
                filled += 1
                free = ends[k]
        if filled - new_bounds[count] < 2:
            filled = new_bounds[count]
            continue
        owner[count] = group
        count += 1
        new_bounds[count] = filled
    return (
        owner[:count].copy(),
        new_starts[:filled].copy(),
        new_ends[:filled].copy(),
        new_bounds[: count + 1].copy(),
    )


@strict_kernel
def accept_inplace(order, starts, ends, bounds, tree, jump, overlap, limit, disjoint):
    """Accept groups in `order` unless accepted ones cover more than a share of them.

    overlap: share in [0, 1] of the samples of a group; limit: most groups to accept;
    tree, jump: i4[n + 1] of samples covered so far, at first zeros and arange(n + 1);
    what covers is not entered for the last group. disjoint: of an accepted group keep
    only segments without a covered sample, and accept it only if two are left. ->
    i8[accepted], and which segments are kept, b1[segments]. Each sample is covered
    once: O(n log n + segments log n).
    """
    chosen = np.empty(min(limit, len(order)), np.int64)
    kept = np.ones(len(starts), np.bool_)
    count = 0
    for group in order:
        if count == limit:
            break
        total, covered, free = 0, 0, 0
        for k in range(bounds[group], bounds[group + 1]):
            shared = _below(tree, ends[k]) - _below(tree, starts[k])
            total += ends[k] - starts[k]
            covered += shared
            kept[k] = not disjoint or shared == 0
            free += kept[k]
        if covered > overlap * total or (disjoint and free < 2):
            continue
        chosen[count] = group
        count += 1
        if count == limit:
            break
        for k in range(bounds[group], bounds[group + 1]):
            if kept[k]:
                _cover(tree, jump, starts[k], ends[k])
    return chosen[:count].copy(), kept


@strict_kernel
def _below(tree, end):
    """Count the covered samples before `end`, in a Fenwick tree."""
    total = 0
    while end > 0:
        total += tree[end]
        end &= end - 1
    return total


@strict_kernel
def _cover(tree, jump, start, end):
    """Cover the samples from `start` to `end` that are not covered yet."""
    sample = _free_from(jump, start)
    while sample < end:
        jump[sample] = sample + 1
        k = sample + 1
        while k < len(tree):
            tree[k] += 1
            k += k & -k
        sample = _free_from(jump, sample)


@strict_kernel
def _free_from(jump, sample):
    """Follow the shortcuts to the next free sample, halving the path on the way."""
    while jump[sample] != sample:
        jump[sample] = jump[jump[sample]]
        sample = jump[sample]
    return sample
