"""A max-heap of keys in an array that grows."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def reserve(heap, size, more):
    """Return the max-heap of `size` keys, larger if there is no room for so many more.

    Then twice as large, so that it seldom grows.
    """
    if size + more <= len(heap):
        return heap
    larger = np.empty(2 * (size + more) + 1024, np.uint64)
    larger[:size] = heap[:size]
    return larger


@strict_kernel
def push_inplace(heap, size, key):
    """Add a key to the max-heap of `size` keys, which has room for it."""
    at = size
    while at > 0 and heap[(at - 1) // 2] < key:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = key


@strict_kernel
def pop_inplace(heap, size):
    """Remove the largest key of the max-heap of `size` keys."""
    last = heap[size - 1]
    size -= 1
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= last:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
