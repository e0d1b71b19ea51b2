"""Distances rounded as stumpy rounds them, for the few that rounding decides.

The two windows of a nearest pair are equally far from each other, yet stumpy computes
their distance twice and gets numbers that differ in the last bit; the lower one is
where `mmotifs` starts. To start there too, these kernels carry out the same operations
in the same order. They are no better than those of `sliding`, and worse far from zero.

For windows of length l that start at i and j, per channel:

    c(i, j) = c(i-1, j-1) - x[i-1] x[j-1] + x[i+l-1] x[j+l-1]      from c(0, |i - j|)
    rho     = (c - (mu_i l) mu_j) / ((sigma_i l) sigma_j)          at most 1
    d^2     = 2 l (1 - rho)

Only products with i as the row are grouped like this, so d(i, j) is not d(j, i). The
mean over the channels adds square roots in ascending order. A product whose value is
added to another number is not rounded (fused multiply-add) where the processor can do
that, but nothing is regrouped: hence a decorator of its own.
"""

from functools import partial

import numpy as np

from tsmdbench._kernels.jit import compiled, kernel

contracted = partial(compiled, fastmath={"contract"})

MEAN, DEVIATION, CONSTANT = range(3)  # rows of the moments of a window; constant: 0, 1
SMALLEST = 1e-14  # that a correlation is divided by


@kernel
def window_deviations(x, l, starts):  # noqa: E741
    """Return the standard deviation of windows of one channel. f8[n], i8[k] -> f8[k].

    O(k l). How the sum is regrouped is left to the compiler, as it is there.
    """
    deviations = np.empty(starts.size)
    for k in range(starts.size):
        deviations[k] = np.nanstd(x[starts[k] : starts[k] + l])
    return deviations


@contracted
def pair_distance(x, first, moments, l, i, j):  # noqa: E741
    """Distance of window i to window j. O(d min(i, j)).

    x: f8[d, n], finite; first: f8[d, N], sliding products of the first window;
    moments: f8[d, 3, 2] of the two, the mean infinite where a window is not finite.
    """
    squares = np.empty(len(x))
    for channel in range(len(x)):
        y = x[channel]
        cell = first[channel, abs(i - j)]
        a, b = i - min(i, j), j - min(i, j)
        for _ in range(min(i, j)):
            cell = cell - y[a] * y[b] + y[a + l] * y[b + l]
            a += 1
            b += 1
        squares[channel] = _square(cell, moments[channel], l, 0, 1)
    return _mean_root(squares)


@contracted
def nearest_distances(x, first, moments, l, gap, wanted):  # noqa: E741
    """Distance of each wanted window to its nearest neighbour, inf for all others.

    As `pair_distance`, but moments: f8[d, 3, N]; wanted: b1[N]. Neighbours start `gap`
    or more away.
    -> f8[N]. O(d N^2), less the higher the last window that is wanted.
    """
    count = first.shape[1]
    nearest = np.full(count, np.inf)
    cells, above = first.copy(), np.empty_like(first)
    squares = np.empty(len(x))
    for i in range(np.flatnonzero(wanted)[-1] + 1):
        if i > 0:
            cells, above = above, cells
            for channel in range(len(x)):
                cells[channel, 0] = first[channel, i]
                _advance_inplace(x[channel], l, i, above[channel], cells[channel])
        if not wanted[i]:
            continue
        for j in range(count):
            if abs(i - j) >= gap:
                for channel in range(len(x)):
                    cell = cells[channel, j]
                    squares[channel] = _square(cell, moments[channel], l, i, j)
                nearest[i] = min(nearest[i], _mean_root(squares))
    return nearest


@contracted
def _advance_inplace(y, l, i, above, cells):  # noqa: E741
    """Fill row i but for its first cell from the row above it."""
    before, after = y[i - 1], y[i + l - 1]
    for j in range(1, cells.size):
        cells[j] = above[j - 1] - before * y[j - 1] + after * y[j + l - 1]


@contracted
def _square(cell, moments, l, i, j):  # noqa: E741
    """Squared distance of windows i and j of one channel, whose product is `cell`."""
    if np.isinf(moments[MEAN, i]) or np.isinf(moments[MEAN, j]):
        return np.inf
    if moments[CONSTANT, i] + moments[CONSTANT, j] > 0.0:
        return 0.0 if moments[CONSTANT, i] == moments[CONSTANT, j] else 1.0 * l
    scale = max((moments[DEVIATION, i] * l) * moments[DEVIATION, j], SMALLEST)
    shift = moments[MEAN, i] * l
    rho = min((cell - shift * moments[MEAN, j]) / scale, 1.0)
    return abs(2 * l * (1.0 - rho))


@contracted
def _mean_root(squares_inplace):
    """Mean of the square roots, smallest first; infinite if they overflowed."""
    squares_inplace.sort()
    total = 0.0
    for square in squares_inplace:
        total += np.sqrt(square)
    return total / len(squares_inplace) if total == total else np.inf
