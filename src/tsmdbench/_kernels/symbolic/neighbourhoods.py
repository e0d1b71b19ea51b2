"""EMMA's search: which windows are candidates, neighbourhood by neighbourhood.

Buckets hold windows of equal words. The *neighbourhood* of a bucket are the windows of
all buckets whose words may be within the radius: every match of a window of the bucket
is there.
"""

import numpy as np

from tsmdbench._kernels.jit import kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk
from tsmdbench.arrays import Flags, Floats, Integers


@kernel
def mark_near_inplace(words, members, begins, cell, limit, bucket, near):
    """Mark the windows of buckets whose squared word distance is within `limit`.

    words: i8[B, w]; members: i8, the windows of bucket b from begins[b] to
    begins[b + 1]; cell: f8, squared distances of letters; near: b1[N]. O(B w + N).
    """
    for other in range(len(words)):
        square = 0.0
        for t in range(words.shape[1]):
            square += cell[words[other, t], words[bucket, t]]
        if square <= limit:
            for t in range(begins[other], begins[other + 1]):
                near[members[t]] = True


def candidates(
    words: Integers,
    members: Integers,
    begins: Integers,
    cell: Floats,
    limit: float,
    sizes: Integers,
    far: Flags,
) -> Flags:
    """Visit buckets until the best count is no less than the size of the next one.

    Arguments as for `mark_near_inplace`, buckets in the order of visits; sizes: i8[N],
    matches of every window; far: b1[N], which can be centres. -> b1[N], the windows of
    all neighbourhoods that were visited.
    """
    near = np.zeros(sizes.size, np.bool_)
    arguments = words, members, begins, cell, limit, sizes, far, near
    run_walk(visit_inplace, [arguments], len(words), words.size + sizes.size)
    return near


@kernel
def visit_inplace(
    words, members, begins, cell, limit, sizes, far, near, signal, first, step
):
    """Mark `candidates`; one thread only, as a visit depends on those before it."""
    for bucket in range(first, len(words), step):
        if signal[STOP]:
            return
        signal[DONE] += 1
        best = 0
        for i in range(sizes.size):
            if near[i] and far[i]:
                best = max(best, sizes[i])
        if best >= begins[bucket + 1] - begins[bucket] or near.all():
            break
        mark_near_inplace(words, members, begins, cell, limit, bucket, near)
