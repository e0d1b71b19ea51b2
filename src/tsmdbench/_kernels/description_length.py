"""Description lengths of whole numbers, and of windows written relative to a centre.

The description length of ``n`` numbers is ``n`` times their entropy in bits,
``n log2(n) - sum_v c(v) log2(c(v))`` for counts ``c(v)``. A group of windows costs the
description length of its centre and those of the differences to it, without the
largest.

Conventions
-----------
Numbers lie in ``[0, levels)``, so differences lie in ``(-levels, levels)``. `room` is
i8[2 levels], all zeros before and after every call. `bits` is f8[m], ``c log2(c)`` for
every count that may occur. Members of a group are rows ``(start, length, shift)``: the
window `start` of the series lies at `shift` in the centre.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

TIE = 1e-9  # bits: more than rounding


@strict_kernel
def bits_table(size):
    """Return c log2(c) for c = 0, ..., size. -> f8[size + 1]."""
    table = np.zeros(size + 1)
    for c in range(2, size + 1):
        table[c] = c * np.log2(c)
    return table


@strict_kernel
def difference_bits(values, centre, bits, room):
    """Return the description length of values - centre, two i8[n]. Uses room. O(n)."""
    offset = room.size // 2
    for s in range(values.size):
        room[values[s] - centre[s] + offset] += 1
    total = bits[values.size]
    for s in range(values.size):
        d = values[s] - centre[s] + offset
        total -= bits[room[d]]
        room[d] = 0
    return total


@strict_kernel
def own_bits(values, bits, room):
    """Return the description length of values i8[n]. Uses room. O(n)."""
    for s in range(values.size):
        room[values[s]] += 1
    total = bits[values.size]
    for s in range(values.size):
        total -= bits[room[values[s]]]
        room[values[s]] = 0
    return total


@strict_kernel
def group_bits(values, members, move, centre, bits, room):
    """Sum and largest description length of members relative to a centre.

    members: i8[m, 3]; all are shifted by `move` more. O(m l).
    """
    total, largest = 0.0, 0.0
    for m in range(members.shape[0]):
        start, length = members[m, 0], members[m, 1]
        shift = members[m, 2] + move
        one = difference_bits(
            values[start : start + length], centre[shift : shift + length], bits, room
        )
        total += one
        largest = max(largest, one)
    return total, largest


@strict_kernel
def merged_centre(first, second, move, weight, out):
    """Write the centre of two centres, the second moved to the right. -> its length.

    `move` may be negative: then the first one is moved. Where both have a value, the
    first one counts `weight`, the second ``1 - weight``, both given. Writes out.
    """
    a, b = max(0, -move), max(0, move)
    size = max(a + first.size, b + second.size)
    for s in range(size):
        inside = a <= s < a + first.size
        if inside and b <= s < b + second.size:
            mean = first[s - a] * weight[0] + second[s - b] * weight[1]
            out[s] = np.int64(np.rint(mean))
        elif inside:
            out[s] = first[s - a]
        else:
            out[s] = second[s - b]
    return size


@strict_kernel
def best_merge(values, one, other, bits, room):
    """Find the move at which two groups cost least together. -> move, cost.

    one, other: (centre i8[l], members i8[m, 3]). Every move with a shared sample is
    tried: first those of the first centre into the second, then the other way round;
    of equal costs the first wins. O(l m l).
    """
    first, mine = one
    second, theirs = other
    total = mine.shape[0] + theirs.shape[0]
    weight = (mine.shape[0] / total, theirs.shape[0] / total)
    room_for = np.empty(first.size + second.size, np.int64)
    best, cost = 0, np.inf
    for trial in range(second.size + first.size - 1):
        move = -trial if trial < second.size else trial - second.size + 1
        size = merged_centre(first, second, move, weight, room_for)
        centre = room_for[:size]
        a = group_bits(values, mine, max(0, -move), centre, bits, room)
        if own_bits(centre, bits, room) + a[0] - a[1] > cost:
            continue  # the other members only add to it
        b = group_bits(values, theirs, max(0, move), centre, bits, room)
        new = own_bits(centre, bits, room) + a[0] + b[0] - max(a[1], b[1])
        if new < cost - TIE:
            best, cost = move, new
    return best, cost


@strict_kernel
def nearest_to(values, centre, free):
    """Start of the free window nearest to a centre, or -1; the lowest of equal ones.

    free: bool[n - l + 1]. Whole numbers, so exact. O(n l), less where windows differ.
    """
    best, least = -1, np.int64(2**62)
    for i in range(free.size):
        if not free[i]:
            continue
        total = 0
        for s in range(centre.size):
            difference = values[i + s] - centre[s]
            total += difference * difference
            if total >= least:
                break
        if total < least:
            best, least = i, total
    return best


@strict_kernel
def next_free(first, second, at, free):
    """First place from `at` on where both windows of a pair are free; else the end."""
    while at < first.size and not (free[first[at]] and free[second[at]]):
        at += 1
    return at
