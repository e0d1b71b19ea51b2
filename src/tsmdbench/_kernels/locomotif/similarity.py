"""Similarity of every two samples of a series, packed by rows, and its quantiles.

The similarity of samples i and j is ``exp(-sum_d gamma (x_id - x_jd)**2)``, rounded
to float32. Only ``j >= i`` is kept: row i holds ``k = j - i = 0 .. n - 1 - i`` and
starts at ``i n - i (i - 1) / 2`` of one flat array.

The exponential is a polynomial that the compiler vectorises, about six times faster
than the library's. It is good to `SLACK`; where the float32 next to it is not beyond
doubt, the library's decides, so every float32 is the one that the library gives.
"""

import math

import numpy as np

from tsmdbench._kernels.jit import kernel, strict_kernel
from tsmdbench._kernels.locomotif.triangle import row_start

CLAMP = 110.0  # exp(-110) is zero in float32
SLACK = 4e-13  # relative error allowed to the polynomial; it makes less than 1e-13
BLOCK = 512  # samples handled at once: three rows of them stay in the first cache
SHIFT = 16  # histograms split the 32 bits of a float32 in two halves


@strict_kernel
def squared_distances_inplace(x, i, j, gamma, out):
    """Set out[t] to sum_d gamma (x[d, i] - x[d, j + t])**2. x: f4[d, n], out: f8[m].

    The square is rounded to float32; all else is float64, in the order of channels.
    """
    for t in range(len(out)):
        step = x[0, i] - x[0, j + t]
        out[t] = gamma * np.float64(step * step)
    for d in range(1, len(x)):
        for t in range(len(out)):
            step = x[d, i] - x[d, j + t]
            out[t] += gamma * np.float64(step * step)


@kernel
def exponentials_inplace(exponents, out):
    """Set out[t] to exp(-exponents[t]) and count those in doubt. f8[m] -> f4[m]."""
    doubtful = 0
    for t in range(len(out)):
        # Taylor series of exp about -0.215 for a 256th of the exponent, then squared
        # eight times; the reduced argument lies within 0.215 of the centre.
        u = 0.21484375 - min(exponents[t], CLAMP) * 0.00390625
        p = 1.0 + u * (1.0 / 10.0)
        p = 1.0 + u * p * (1.0 / 9.0)
        p = 1.0 + u * p * (1.0 / 8.0)
        p = 1.0 + u * p * (1.0 / 7.0)
        p = 1.0 + u * p * (1.0 / 6.0)
        p = 1.0 + u * p * (1.0 / 5.0)
        p = 1.0 + u * p * (1.0 / 4.0)
        p = 1.0 + u * p * (1.0 / 3.0)
        p = 1.0 + u * p * (1.0 / 2.0)
        p = (1.0 + u * p) * 0.806667472123344  # exp(-0.21484375)
        p = p * p
        p = p * p
        p = p * p
        p = p * p
        p = p * p
        p = p * p
        p = p * p
        p = p * p
        low = np.float32(p - p * SLACK)
        high = np.float32(p + p * SLACK)
        out[t] = low
        doubtful += low != high
    return doubtful


@strict_kernel
def library_exponentials_inplace(exponents, out):
    """Set out[t] to exp(-exponents[t]) by the library. f8[m] -> f4[m]."""
    for t in range(len(out)):
        out[t] = np.float32(math.exp(-exponents[t]))


@strict_kernel
def similarity_row_inplace(x, i, gamma, out):
    """Set out[k] to the similarity of samples i and i + k. x: f4[d, n]. O(n d)."""
    buffer = np.empty(BLOCK, np.float64)
    for low in range(0, len(out), BLOCK):
        high = min(low + BLOCK, len(out))
        exponents = buffer[: high - low]
        squared_distances_inplace(x, i, i + low, gamma, exponents)
        if exponentials_inplace(exponents, out[low:high]):
            library_exponentials_inplace(exponents, out[low:high])


@strict_kernel
def similarities_inplace(x, gamma, packed, first, step):
    """Fill rows `first`, `first + step`, ... of the similarities of all pairs.

    x: f4[d, n], packed: f4[n (n + 1) / 2]. O(n d) per row.
    """
    n = x.shape[1]
    for i in range(first, n, step):
        start = row_start(n, i)
        similarity_row_inplace(x, i, gamma, packed[start : start + n - i])


@strict_kernel
def count_high_halves(bits, first, step):
    """Count the upper halves of a part of the values. bits: u4[m] -> i8[65536]. O(m).

    The values are cut into `step` parts; this is that with the number `first`.
    """
    part = bits[first * len(bits) // step : (first + 1) * len(bits) // step]
    counts = np.zeros((2, 1 << SHIFT), np.int64)
    for t in range(0, len(part) - 1, 2):
        # Two tables, so that equal neighbours do not wait for each other.
        counts[0, part[t] >> SHIFT] += 1
        counts[1, part[t + 1] >> SHIFT] += 1
    if len(part) % 2:
        counts[0, part[-1] >> SHIFT] += 1
    return counts[0] + counts[1]


@strict_kernel
def count_low_halves(bits, slots, wanted, first, step):
    """Count lower halves for some upper halves. -> u4[wanted, 65536]. O(m).

    bits, first, step as in `count_high_halves`; slots: i4[65536], row of the table
    for each upper half, or -1. Small numbers, since many tables leave the cache.
    """
    part = bits[first * len(bits) // step : (first + 1) * len(bits) // step]
    counts = np.zeros((wanted, 1 << SHIFT), np.uint32)
    for t in range(len(part)):
        slot = slots[part[t] >> SHIFT]
        if slot >= 0:
            counts[slot, part[t] & 0xFFFF] += np.uint32(1)
    return counts


@strict_kernel
def similarities_of(x, gamma, cells):
    """Similarity of chosen pairs of samples, cells: i4[m, 2]. -> f4[m]. O(m d)."""
    found = np.empty(len(cells), np.float32)
    exponent = np.empty(1, np.float64)
    for t in range(len(cells)):
        squared_distances_inplace(x, cells[t, 0], cells[t, 1], gamma, exponent)
        found[t] = math.exp(-exponent[0])
    return found


@strict_kernel
def packed_at(packed, n, cells):
    """Look up what `similarities_of` computes among all, packed: f4. O(m)."""
    found = np.empty(len(cells), np.float32)
    for t in range(len(cells)):
        i, j = np.int64(cells[t, 0]), np.int64(cells[t, 1])
        found[t] = packed[row_start(n, i) + j - i]
    return found
