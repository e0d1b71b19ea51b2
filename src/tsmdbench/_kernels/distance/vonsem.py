"""The distance of VONSEM, which looks at shape and at scale, and its matrix in O(n).

For two windows of length m with correlation rho and deviations s <= t,

    Dz = sqrt(2 m (1 - rho)) / (2 sqrt(m)),  Ds = min(t / s - 1, cap) / cap,
    D = sqrt((Dz^2 + Ds^2) / 2)  in [0, 1],

with ``Ds = min(t, cap) / cap`` where s is 0. A motif is extended, split and cleared
by comparisons with a threshold, so the last bit decides near it: everything here is
summed in the plain order, without fast math, as the published code does.

`rule` is ``f8[3]``: threshold, cap, and 1.0 to read a correlation above 1 (rounding)
as 1, or 0.0 to let it become NaN, which matches nothing.
"""

import numpy as np

from tsmdbench._kernels.distance.sliding import WIDTH
from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk
from tsmdbench.arrays import Flags, Floats, Integers

NEAR = 1e-6  # how near to the threshold a quick answer is not trusted
MU, M_MU, SIGMA, INVERSE, DEAD = range(5)  # rows of screening_tracks
TINY = 1e-150  # deviation below which there is no quick answer


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


def matrix_summary(
    x: Floats,
    m: int,
    moments: Floats,
    dots: Floats,
    alive: Flags,
    thresholds: Floats,
    rule: Floats,
) -> tuple[Floats, Integers]:
    """Column minima of D and, per offset j - i, the number of D_ij below thresholds.

    Cells with ``i - m//4 <= j < i + m//4`` count as 1. A NaN makes its column NaN.
    x: f8[n], moments: f8[2, N], dots: f8[N] of `first_row`, alive: b1[N] (others are
    left out), thresholds: f8[R] -> f8[N], i8[R, N]. O(N^2) time, O(R N) memory.

    `WIDTH` diagonals at a time are walked down, above the main diagonal only: dot
    products of (i, j) and (j, i) are equal to the last bit. D is not, but its square is
    known well enough to see that most cells decide nothing. The others are computed,
    both ways.
    """
    size = len(dots)
    profile, counts = np.ones(size), np.zeros((len(thresholds), size), np.int64)
    floor = screening_limit(np.max(thresholds))
    limits = np.full(size, max(floor, screening_limit(1.0)))
    tracks = screening_tracks(m, moments, alive)
    out = profile, counts, limits
    arguments = x, m, (moments, alive), tracks, dots, thresholds, floor, rule, out
    bands = -(-max(size - m // 4, 0) // WIDTH)
    run_walk(walk_bands, [arguments], bands, WIDTH * size / 2)
    profile[~alive] = np.inf
    return profile, counts


@strict_kernel(error_model="numpy")
def walk_bands(
    x, m, windows, tracks, dots, thresholds, floor, rule, out, signal, first, step
):
    """Fill `matrix_summary`, a band of `WIDTH` diagonals at a time; one thread only."""
    size, alive, limits = dots.shape[0], windows[1], out[2]
    dot, quick = np.empty(WIDTH), np.empty(WIDTH)
    for offset in range(m // 4 + first * WIDTH, size, step * WIDTH):
        if signal[STOP]:
            return
        signal[DONE] += 1
        dot[: min(WIDTH, size - offset)] = dots[offset : offset + WIDTH]
        for i in range(size - offset):
            width = min(WIDTH, size - offset - i)
            part = dot[:width], quick[:width]
            deciding = advance_and_screen(
                x, m, tracks, i, i + offset, part, limits, rule
            )
            if alive[i] and deciding > 0:
                decide(m, windows, i, i + offset, part, thresholds, floor, rule, out)


@strict_kernel(error_model="numpy")
def screening_tracks(m, moments, alive):
    """Mean, m times it, deviation, its inverse, inf for the dead. -> f8[5, N].

    The inverse is NaN where dividing is not safe: such cells are always computed.
    """
    tracks = np.zeros((5, alive.size))
    for j in range(alive.size):
        if not alive[j]:
            tracks[DEAD, j] = np.inf
            continue
        tracks[MU, j], tracks[M_MU, j] = moments[0, j], m * moments[0, j]
        tracks[SIGMA, j] = moments[1, j]
        tracks[INVERSE, j] = np.nan
        if TINY < moments[1, j] < 1.0 / TINY:
            tracks[INVERSE, j] = 1.0 / moments[1, j]
    return tracks


@strict_kernel(error_model="numpy")
def screening_limit(value):
    """Quick value, 4 D^2, above which D exceeds `value` whatever the rounding."""
    return 4.0 * value * value * (1.0 + NEAR) + NEAR * NEAR


@strict_kernel(error_model="numpy")
def advance_and_screen(x, m, tracks, i, j, part, limits, rule):
    """Advance dot products to (i, j + k) and count the cells that may decide.

    part: dots and quick values, f8[w] each, both written. A quick value is 4 D^2 for
    the order of i and j that makes it smaller, up to rounding. A cell may decide if it
    does not exceed the limit of its row or column.
    """
    dot, quick = part
    width = dot.size
    head, tail = (x[i - 1], x[i + m - 1]) if i > 0 else (0.0, 0.0)
    first, last = x[j - 1 : j - 1 + width], x[j + m - 1 : j + m - 1 + width]
    mu, m_mu = tracks[MU, j : j + width], tracks[M_MU, j : j + width]
    sigma, inverse = tracks[SIGMA, j : j + width], tracks[INVERSE, j : j + width]
    dead = tracks[DEAD, j : j + width]
    mu_i, m_mu_i = tracks[MU, i], tracks[M_MU, i]
    sigma_i, inverse_i = tracks[SIGMA, i], tracks[INVERSE, i]
    limit_i, limit = limits[i], limits[j : j + width]
    by_m, cap, weight = inverse_i / m, rule[1], 2.0 / (rule[1] * rule[1])
    # Where a correlation above 1 becomes NaN, cells near 1 are always computed.
    least = -np.inf if rule[2] == 1.0 else NEAR
    deciding = 0
    for k in range(width):
        value = dot[k] - first[k] * head + last[k] * tail
        dot[k] = value
        rho = value - min(m_mu_i * mu[k], m_mu[k] * mu_i)
        gap = 1.0 - rho * (by_m * inverse[k])
        scale = min(max(sigma_i * inverse[k], sigma[k] * inverse_i) - 1.0, cap)
        square = gap + weight * scale * scale + dead[k]
        square = square if gap > least else -np.inf
        quick[k] = square
        deciding += not square > max(limit_i, limit[k])
    return deciding


@strict_kernel(error_model="numpy")
def decide(m, windows, i, j, part, thresholds, floor, rule, out):
    """Compute the cells (i, j + k) that may decide, and those of (j + k, i).

    out: profile, counts and limits, all written.
    """
    (moments, alive), (dot, quick) = windows, part
    profile, counts, limits = out
    for k in range(dot.size):
        if not alive[j + k] or quick[k] > max(limits[i], limits[j + k]):
            continue
        one, two, offset = moments[:, i], moments[:, j + k], j + k - i
        value = distance(dot[k], m, one, two, rule)
        lower_inplace(profile, limits, j + k, value, floor)
        if offset > m // 4:
            back = distance(dot[k], m, two, one, rule)
            lower_inplace(profile, limits, i, back, floor)
        if offset >= m // 2:
            for r in range(thresholds.size):
                counts[r, offset] += value < thresholds[r]


@strict_kernel(error_model="numpy")
def lower_inplace(profile, limits, j, value, floor):
    """Lower the minimum of a column, and its limit. NaN stays."""
    if value < profile[j] or value != value:
        profile[j] = value
        limits[j] = floor if value != value else max(floor, screening_limit(value))


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
