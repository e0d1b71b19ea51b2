"""The distance of VONSEM, which looks at shape and at scale, and its matrix in O(n).

For two windows of length m with correlation rho and deviations s <= t,

    Dz = sqrt(2 m (1 - rho)) / (2 sqrt(m)),  Ds = min(t / s - 1, cap) / cap,
    D = sqrt((Dz^2 + Ds^2) / 2)  in [0, 1],

with ``Ds = min(t, cap) / cap`` where s is 0. A motif is extended, split and cleared
by comparisons with a threshold, so the last bit decides near it: everything here is
summed in the plain order, without fast math, as the published code does.

`rule` is ``f8[3]``: threshold, cap, and 1.0 to read a correlation above 1 (rounding)
as 1, or 0.0 to let it become NaN, which is nobody's match.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

NEAR = 1e-6  # how near to the threshold a quick answer is not trusted


@strict_kernel(error_model="numpy")
def plain_moments(x, m):
    """Means and deviations, each window summed again. f8[n] -> f8[2, n-m+1]. O(nm)."""
    size = x.shape[0] - m + 1
    moments = np.empty((2, size))
    for i in range(size):
        moments[0, i], moments[1, i] = window_moments(x, i, m)
    return moments


@strict_kernel(error_model="numpy")
def window_moments(x, i, m):
    """Mean and deviation (ddof 0) of one window, summed from left to right. O(m)."""
    total = 0.0
    for t in range(i, i + m):
        total += x[t]
    mean = total / m
    squares = 0.0
    for t in range(i, i + m):
        squares += (x[t] - mean) * (x[t] - mean)
    return mean, np.sqrt(squares / m)


@strict_kernel(error_model="numpy")
def first_row(x, m):
    """Dot products of the first window with all. f8[n] -> f8[n-m+1]. O(nm)."""
    size = x.shape[0] - m + 1
    dots = np.empty(size)
    for j in range(size):
        dots[j] = np.dot(x[:m], x[j : j + m])
    return dots


@strict_kernel(error_model="numpy")
def distance(dot, m, moments_i, moments_j, rule):
    """D of two windows from their dot product; moments are (mean, deviation). O(1)."""
    low, high = min(moments_i[1], moments_j[1]), max(moments_i[1], moments_j[1])
    scale = high if low == 0.0 else high / low - 1
    scale = min(scale, rule[1]) / rule[1]
    sigma_i = 1.0 if moments_i[1] == 0.0 else moments_i[1]
    sigma_j = 1.0 if moments_j[1] == 0.0 else moments_j[1]
    rho = (dot - m * moments_i[0] * moments_j[0]) / (m * sigma_i * sigma_j)
    if rho > 1.0 and rule[2] == 1.0:
        rho = 1.0
    shape = np.sqrt(2 * m * (1 - rho)) / (2 * np.sqrt(m))
    return np.sqrt(shape * shape + scale * scale) / np.sqrt(2)


@strict_kernel(error_model="numpy")
def matrix_summary(x, m, moments, dots, alive, thresholds, rule):
    """Column minima of D and, per offset j - i, the number of D_ij below thresholds.

    Cells with ``i - m//4 <= j < i + m//4`` count as 1. A NaN makes its column NaN.
    x: f8[n], moments: f8[2, N], dots: f8[N] of `first_row`, alive: b1[N] (others are
    left out), thresholds: f8[R] -> f8[N], i8[R, N]. O(N^2) time, O(R N) memory.
    """
    size, zone = dots.shape[0], m // 4
    mu, sigma = moments[0], moments[1]
    safe = np.where(sigma == 0.0, 1.0, sigma)
    profile, counts = np.ones(size), np.zeros((thresholds.size, size), np.int64)
    broken = np.zeros(size, np.bool_)
    old, new, row = dots.copy(), np.empty(size), np.empty(size)
    root_m, root_2, cap = 2 * np.sqrt(m), np.sqrt(2), rule[1]
    for i in range(size):
        if i > 0:
            head, tail = x[i - 1], x[i + m - 1]
            new[0] = dots[i]
            for j in range(1, size):
                new[j] = old[j - 1] - x[j - 1] * head + x[j + m - 1] * tail
            old, new = new, old
        if not alive[i]:
            continue
        m_mu, m_sigma, sigma_i = m * mu[i], m * safe[i], sigma[i]
        for j in range(size):
            low, high = min(sigma_i, sigma[j]), max(sigma_i, sigma[j])
            ratio = high / low - 1
            scale = min(high if low == 0.0 else ratio, cap) / cap
            gap = 1 - (old[j] - m_mu * mu[j]) / (m_sigma * safe[j])
            shape = np.sqrt(2 * m * gap) / root_m
            row[j] = np.sqrt(shape * shape + scale * scale) / root_2
        if rule[2] == 1.0:
            clip_inplace(row, old, i, m, moments, rule)
        row[max(i - zone, 0) : min(i + zone, size)] = 1.0
        for j in range(size):
            profile[j] = row[j] if row[j] < profile[j] else profile[j]
            broken[j] |= row[j] != row[j]
        for r in range(thresholds.size):
            count_inplace(counts[r], row, i, alive, m // 2, thresholds[r])
    for j in range(size):
        if broken[j]:
            profile[j] = np.nan
        if not alive[j]:
            profile[j] = np.inf
    return profile, counts


@strict_kernel(error_model="numpy")
def clip_inplace(row, dots, i, m, moments, rule):
    """Replace the NaN of a correlation above 1 by the distance at 1. O(N)."""
    for j in range(row.shape[0]):
        if row[j] != row[j]:
            row[j] = distance(dots[j], m, moments[:, i], moments[:, j], rule)


@strict_kernel(error_model="numpy")
def count_inplace(counts, row, i, alive, nearest, threshold):
    """Count the cells of row i that are below threshold, per offset. O(N)."""
    for offset in range(nearest, row.shape[0] - i):
        j = i + offset
        counts[offset] += alive[j] and row[j] < threshold


@strict_kernel(error_model="numpy")
def diagonal_hits(x, m, moments, dots, offset, alive, rule):
    """Which cells (i, i + offset) of living windows are below threshold. O(N).

    x: f8[n], moments: f8[2, N], dots: f8[N] of `first_row`, alive: b1[N]
    -> b1[N - offset]. Roots are taken only where the squares do not decide.
    """
    size = dots.shape[0] - offset
    hits = np.zeros(size, np.bool_)
    bound = 4 * rule[0] * rule[0]
    mu, sigma = moments[0], moments[1]
    dot = dots[offset]
    for i in range(size):
        j = i + offset
        if i > 0:
            dot = dot - x[j - 1] * x[i - 1] + x[j + m - 1] * x[i + m - 1]
        if not (alive[i] and alive[j]):
            continue
        low, high = min(sigma[i], sigma[j]), max(sigma[i], sigma[j])
        if low > 0.0:
            scale = min(high / low - 1, rule[1]) / rule[1]
            square = 1 - (dot - m * mu[i] * mu[j]) / (m * low * high)
            square += 2 * scale * scale
            if square > bound * (1 + NEAR):
                continue
        hits[i] = distance(dot, m, moments[:, i], moments[:, j], rule) < rule[0]
    return hits


@strict_kernel(error_model="numpy")
def last_hit(hits, alive, start):
    """Largest i <= start whose cell is a hit of two living windows, or -1. O(N)."""
    offset = alive.shape[0] - hits.shape[0]
    for i in range(start, -1, -1):
        if hits[i] and alive[i] and alive[i + offset]:
            return i
    return -1


@strict_kernel(error_model="numpy")
def distance_profile(x, i, m, rough, rule):
    """D of window i of length m with all: f8[n-m+1]. O(nm), mostly dot products.

    rough: f8[2, n-m+1], means and deviations from any fast algorithm. Where they say
    that D is above threshold by a margin they are good enough; elsewhere the moments
    are summed again.
    """
    size = x.shape[0] - m + 1
    profile = np.empty(size)
    own = window_moments(x, i, m)
    for j in range(size):
        dot = np.dot(x[i : i + m], x[j : j + m])
        profile[j] = distance(dot, m, own, (rough[0, j], rough[1, j]), rule)
        if not profile[j] > rule[0] + NEAR:
            profile[j] = distance(dot, m, own, window_moments(x, j, m), rule)
    return profile


@strict_kernel(error_model="numpy")
def pair_distance(x, i, j, m, rule):
    """D of two windows of length m, normalised sample by sample. O(m)."""
    one, two = x[i : i + m] - x[i : i + m].mean(), x[j : j + m] - x[j : j + m].mean()
    sigma_1, sigma_2 = window_moments(one, 0, m)[1], window_moments(two, 0, m)[1]
    if sigma_1 > 0.0:
        one = one / sigma_1
    if sigma_2 > 0.0:
        two = two / sigma_2
    low, high = min(sigma_1, sigma_2), max(sigma_1, sigma_2)
    scale = high if low == 0.0 else high / low - 1.0
    scale = min(scale, rule[1]) / rule[1]
    squares = 0.0
    for t in range(m):
        squares += (one[t] - two[t]) * (one[t] - two[t])
    shape = np.sqrt(squares) / (2 * np.sqrt(m))
    return np.sqrt(scale * scale + shape * shape) / np.sqrt(2)
