"""Similarity of two samples, row by row, and the ranks of exponents.

The similarity of samples i and j is ``exp(-e)`` rounded to float32, where ``e = sum_d
gamma (x_id - x_jd)**2`` is their *exponent*. Samples are counted from the end of the
series, so that row i, the columns ``j = 0 .. i``, compares a sample with itself and
with all *later* ones. Cell (i, j) has the position ``i (i + 1) / 2 + j``.

The exponential is a polynomial that the compiler vectorises: with the library's, which
takes one number at a time, a search takes about twice as long. Where the float32 next
to it is not beyond doubt, the library's decides, so every float32 is the one that the
library gives.
"""

import math
from functools import partial

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

CLAMP = 110.0  # exp(-110) is zero in float32
SLACK = 4e-13  # relative error allowed to the polynomial; it makes less than 3e-13
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
def row_start(i):
    """Position of cell (i, 0), and the number of cells of the rows before."""
    return i * (i + 1) // 2


@strict_kernel
def exponents_inplace(x, i, first, gamma, out):
    """Set out[t] to the exponent of samples i and first + t. x: f4[d, n], out: f8[m].

    The square is rounded to float32; all else is float64, in the order of channels.
    """
    out[:] = 0.0
    for d in range(len(x)):
        value, others = x[d, i], x[d, first : first + len(out)]
        for t in range(len(out)):
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
def similarity_row_inplace(x, i, first, gamma, room, out):
    """Set out[t] to the similarity of samples i and first + t. room: f8[2, BLOCK]."""
    for low in range(0, len(out), BLOCK):
        high = min(low + BLOCK, len(out))
        exponents, powers = room[0, : high - low], room[1, : high - low]
        exponents_inplace(x, i, first + low, gamma, exponents)
        if exponentials_inplace(exponents, powers, out[low:high]):
            exponents_inplace(x, i, first + low, gamma, exponents)
            for t in range(high - low):
                out[low + t] = np.float32(math.exp(-exponents[t]))


@strict_kernel
def all_similarities(x, gamma):
    """Similarities of all pairs, f4, by position."""
    packed = np.empty(row_start(x.shape[1]), np.float32)
    room = np.empty((2, BLOCK), np.float64)
    for i in range(x.shape[1]):
        own = packed[row_start(i) : row_start(i + 1)]
        similarity_row_inplace(x, i, 0, gamma, room, own)
    return packed


@strict_kernel
def similarity_of(x, gamma, packed, i, j):
    """Similarity of two samples, j <= i; looked up if `packed` has all. f4."""
    if len(packed):
        return packed[row_start(i) + j]
    exponent = 0.0
    for d in range(len(x)):
        step = x[d, i] - x[d, j]
        exponent += gamma * np.float64(step * step)
    return np.float32(math.exp(-exponent))


@strict_kernel
def exponents_between(x, gamma, low, high, first, last):
    """Count the exponents around two bounds, and list those between them.

    Looks at the rows `first` to `last` - 1. -> i8[4], how many are < low, == low,
    between, and == high (0 if low == high), and f8[m], those between.
    O((last - first) n d).
    """
    exponents = np.empty(BLOCK, np.float64)
    inside = np.empty(BLOCK, np.uint8)
    words = inside.view(np.uint64)
    listed = np.empty(BLOCK, np.float64)
    below, lowest, size, highest = 0, 0, 0, 0
    for i in range(first, last):
        for start in range(0, i + 1, BLOCK):
            m = min(BLOCK, i + 1 - start)
            exponents_inplace(x, i, start, gamma, exponents[:m])
            exponents[m : m + 8] = np.inf
            for t in range(m):
                below += exponents[t] < low
            for t in range(m):
                inside[t] = (exponents[t] >= low) & (exponents[t] <= high)
            inside[m : m + 8] = 0
            if size + BLOCK > len(listed):
                listed = np.concatenate((listed, np.empty_like(listed)))
            for w in range((m + 7) // 8):
                if words[w]:
                    for e in exponents[8 * w : 8 * w + 8]:
                        # Written in any case, but counted only if it is between.
                        listed[size] = e
                        size += (e > low) & (e < high)
                        lowest += e == low
                        highest += (e == high) & (e > low)
    return np.array([below, lowest, size, highest]), listed[:size]
