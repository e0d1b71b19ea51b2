"""Similarity of two samples, row by row, and the cells around a threshold.

The similarity of samples i and j is ``exp(-e)`` rounded to float32, where ``e = sum_d
gamma (x_id - x_jd)**2`` is their *exponent*. Samples are counted from the end of the
series (see `triangle`): row i holds the columns ``j = 0 .. i``.

The exponential is a polynomial that the compiler vectorises, several times faster than
the library's. Where the float32 next to it is not beyond doubt, the library's decides,
so every float32 is the one that the library gives.
"""

import math
from functools import partial

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.triangle import column_of, row_of, row_start

CLAMP = 110.0  # exp(-110) is zero in float32
SLACK = 4e-13  # relative error allowed to the polynomial; it makes less than 3e-13
HALF = 16  # histograms split the 32 bits of a float32 in two halves
BLOCK = 512  # samples handled at once: their buffers stay in the first cache

# 2**k is made by writing k into the bits of the exponent of a float64: a number near
# ROUND has the integer nearest to it in its lowest bits.
LOG2_E = 1 / math.log(2)
LN_2 = math.log(2)
ROUND = 1.5 * 2**52
BIAS = np.int64(1023)
MANTISSA = np.int64(52)
# The Taylor series of exp; for |r| <= ln(2) / 2 the first term left out is 2.2e-13.
C2, C3, C4, C5, C6, C7, C8, C9, C10 = (1 / math.factorial(k) for k in range(2, 11))

# A product and the sum after it may be rounded once; nothing else is rearranged.
contracted = partial(strict_kernel, fastmath={"contract"})


@strict_kernel
def exponents_inplace(x, i, first, gamma, out):
    """Set out[t] to the exponent of samples i and first + t. x: f4[d, n], out: f8[m].

    The square is rounded to float32; all else is float64, in the order of channels.
    """
    m = len(out)
    value, others = x[0, i], x[0, first : first + m]
    for t in range(m):
        step = value - others[t]
        out[t] = gamma * np.float64(step * step)
    for d in range(1, len(x)):
        value, others = x[d, i], x[d, first : first + m]
        for t in range(m):
            step = value - others[t]
            out[t] += gamma * np.float64(step * step)


@contracted()
def exponentials_inplace(exponents, powers, out):
    """Set out[t] to exp(-exponents[t]) and count those in doubt. f8[m] -> f4[m].

    Writes to `exponents` and `powers`, f8[m]. With k the integer nearest to e / ln 2,
    ``exp(-e) = 2**-k exp(r)``, where r = k ln 2 - e is small.
    """
    bits = powers.view(np.int64)
    for t in range(len(out)):
        powers[t] = min(exponents[t], CLAMP) * LOG2_E + ROUND
    for t in range(len(out)):
        r = (powers[t] - ROUND) * LN_2 - min(exponents[t], CLAMP)
        square = r * r
        fourth = square * square
        low = (1.0 + r) + (C2 + C3 * r) * square
        middle = (C4 + C5 * r) + (C6 + C7 * r) * square
        high = (C8 + C9 * r) + C10 * square
        exponents[t] = low + fourth * (middle + fourth * high)
    for t in range(len(out)):
        bits[t] = (BIAS - bits[t]) << MANTISSA
    doubtful = 0
    for t in range(len(out)):
        value = exponents[t] * powers[t]
        below = np.float32(value - value * SLACK)
        above = np.float32(value + value * SLACK)
        out[t] = below
        doubtful += below != above
    return doubtful


@strict_kernel
def library_exponentials_inplace(exponents, out):
    """Set out[t] to exp(-exponents[t]) by the library. f8[m] -> f4[m]."""
    for t in range(len(out)):
        out[t] = np.float32(math.exp(-exponents[t]))


@strict_kernel
def similarity_row_inplace(x, i, first, gamma, room, out):
    """Set out[t] to the similarity of samples i and first + t. room: f8[2, BLOCK]."""
    for low in range(0, len(out), BLOCK):
        high = min(low + BLOCK, len(out))
        exponents, powers = room[0, : high - low], room[1, : high - low]
        exponents_inplace(x, i, first + low, gamma, exponents)
        if exponentials_inplace(exponents, powers, out[low:high]):
            exponents_inplace(x, i, first + low, gamma, exponents)
            library_exponentials_inplace(exponents, out[low:high])


@strict_kernel
def similarities_inplace(x, gamma, packed, first, step):
    """Fill rows `first`, `first + step`, ... of the similarities of all pairs."""
    room = np.empty((2, BLOCK), np.float64)
    for i in range(first, x.shape[1], step):
        start = row_start(i)
        row = packed[start : start + i + 1]
        similarity_row_inplace(x, i, 0, gamma, room, row)


@strict_kernel
def exponent_of(x, i, j, gamma):
    """Exponent of two samples, as `exponents_inplace` rounds it."""
    total = 0.0
    for d in range(len(x)):
        step = x[d, i] - x[d, j]
        total += gamma * np.float64(step * step)
    return total


@strict_kernel
def similarity_of(x, gamma, packed, i, j):
    """Similarity of two samples, j <= i; looked up if `packed` has all. f4."""
    if len(packed):
        return packed[row_start(i) + j]
    return np.float32(math.exp(-exponent_of(x, i, j, gamma)))


@strict_kernel
def similarities_of(x, gamma, packed, cells):
    """Similarities of chosen pairs of samples, cells: i4[m, 2]. -> f4[m]. O(m d)."""
    found = np.empty(len(cells), np.float32)
    for t in range(len(cells)):
        i, j = np.int64(cells[t, 0]), np.int64(cells[t, 1])
        found[t] = similarity_of(x, gamma, packed, i, j)
    return found


@strict_kernel
def sampled_exponents(x, gamma, count):
    """Exponents of `count` cells spread over the triangle. -> f8[count].

    Multiples of the golden ratio, taken modulo 1, are spread evenly.
    """
    total = row_start(x.shape[1])
    found = np.empty(count, np.float64)
    for t in range(count):
        at = np.int64(t * 0.6180339887498949 % 1.0 * total)
        i = row_of(at)
        found[t] = exponent_of(x, i, column_of(at, i), gamma)
    return found


@strict_kernel
def exponents_between(x, gamma, low, high, first, step):
    """Count the exponents below `low` and list those in [low, high).

    Looks at the rows `first`, `first + step`, ... -> (int, f8[m]). O(n^2 d / step).
    """
    exponents = np.empty(BLOCK, np.float64)
    inside = np.empty(BLOCK, np.uint8)
    words = inside.view(np.uint64)
    listed = np.empty(1 << 12, np.float64)
    below, size = 0, np.uint64(0)
    for i in range(first, x.shape[1], step):
        for start in range(0, i + 1, BLOCK):
            m = min(BLOCK, i + 1 - start)
            exponents_inplace(x, i, start, gamma, exponents[:m])
            exponents[m:] = np.inf
            for t in range(BLOCK):
                below += exponents[t] < low
            for t in range(BLOCK):
                inside[t] = (exponents[t] >= low) & (exponents[t] < high)
            if size + np.uint64(BLOCK) > len(listed):
                larger = np.empty(2 * len(listed), np.float64)
                larger[:size] = listed[:size]
                listed = larger
            for w in range(len(words)):
                if words[w]:
                    for t in range(8 * w, 8 * w + 8):
                        listed[size] = exponents[t]
                        size += np.uint64(inside[t])
    return below, listed[:size]


@strict_kernel
def count_upper_halves(bits, first, step):
    """Count the upper halves of a part of the values. bits: u4[m] -> i8[65536]. O(m).

    The values are cut into `step` parts; this is that with the number `first`.
    """
    part = bits[first * len(bits) // step : (first + 1) * len(bits) // step]
    counts = np.zeros((2, 1 << HALF), np.int64)
    for t in range(0, len(part) - 1, 2):
        # Two tables, so that equal neighbours do not wait for each other.
        counts[0, part[t] >> HALF] += 1
        counts[1, part[t + 1] >> HALF] += 1
    if len(part) % 2:
        counts[0, part[-1] >> HALF] += 1
    return counts[0] + counts[1]


@strict_kernel
def count_lower_halves(bits, slots, wanted, first, step):
    """Count lower halves for some upper halves. -> i8[wanted, 65536]. O(m).

    bits, first, step as in `count_upper_halves`; slots: i4[65536], row of the table for
    each upper half, or -1.
    """
    part = bits[first * len(bits) // step : (first + 1) * len(bits) // step]
    counts = np.zeros((wanted, 1 << HALF), np.int64)
    for t in range(len(part)):
        slot = slots[part[t] >> HALF]
        if slot >= 0:
            counts[slot, part[t] & 0xFFFF] += 1
    return counts
