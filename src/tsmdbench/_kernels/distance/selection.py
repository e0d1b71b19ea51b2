"""Greedy choice from one row of scores: the highest first, each blanking a zone.

The highest score of every `SPAN` positions is kept, so that a choice does not look at
the whole row.
"""

import numpy as np

from tsmdbench._kernels.jit import kernel

SPAN = 128  # scores whose highest is kept together


@kernel
def select_apart_inplace(scores, threshold, left, right, tops, chosen, values):
    """Choose the highest score, blank its zone, repeat. Writes all four arrays.

    tops: f8[N // SPAN + 1], room to work in; chosen, values: i8[k], f8[k] -> how many
    were chosen. -inf is never chosen. O(N) and, per score that is chosen, O(N / SPAN +
    zones), however many windows have it.
    """
    for span in range(tops.size):
        tops[span] = highest(scores, span, threshold)
    found = 0
    while found < chosen.size:
        level = tops[np.argmax(tops)]
        if level == -np.inf:
            break
        # Scores only ever fall, so the windows of this level are chosen from left to
        # right in one pass; the highest scores of what they blank are found after it.
        before = found
        p = next_of_level(scores, tops, level, 0)
        while p >= 0 and found < chosen.size:
            chosen[found] = p
            values[found] = level
            found += 1
            scores[max(0, p - left) : p + right + 1] = -np.inf
            p = next_of_level(scores, tops, level, p + right + 1)
        fresh = 0
        for k in range(before, found):
            low = max(0, chosen[k] - left) // SPAN
            high = min(scores.size - 1, chosen[k] + right) // SPAN
            for span in range(max(low, fresh), high + 1):
                tops[span] = highest(scores, span, threshold)
            fresh = max(fresh, high + 1)
    return found


@kernel
def next_of_level(scores, tops, level, start):
    """First position from start on with this score, the highest of all, or -1.

    `tops` may be too high for spans of which a part was blanked.
    """
    p = start
    while p < scores.size:
        span = p // SPAN
        stop = min((span + 1) * SPAN, scores.size)
        if tops[span] == level:
            for k in range(p, stop):
                if scores[k] == level:
                    return k
        p = stop
    return -1


@kernel
def highest(scores, span, threshold):
    """Highest score of a span, or -inf if none reaches the threshold."""
    part = scores[span * SPAN : (span + 1) * SPAN]
    reached, higher = 0, 0
    for k in range(part.size):
        reached += part[k] >= threshold
        higher += part[k] > part[0]
    if reached == 0:
        return -np.inf
    if higher == 0:  # a plateau
        return part[0]
    a = b = c = d = -np.inf
    whole = part.size // 4 * 4
    for k in range(0, whole, 4):  # four chains, since a maximum is not reordered
        a, b = max(a, part[k]), max(b, part[k + 1])
        c, d = max(c, part[k + 2]), max(d, part[k + 3])
    for k in range(whole, part.size):
        a = max(a, part[k])
    return max(max(a, b), max(c, d))
