"""Windows of a series and the cells of their distance matrix, without drift.

Every z-normalised distance of the package comes from here. For windows of length
``l`` that start at ``i`` and ``j``, with means ``mu`` and centred norms ``|.|``,

    c(i, j)   = sum_s (y[i + s] - mu[i]) (y[j + s] - mu[j])     centred covariance
    rho(i, j) = c(i, j) / (|i| |j|)                             correlation
    zED(i, j) = sqrt(2 l (1 - rho))                             in [0, 2 sqrt(l)]

Along a diagonal ``j - i`` the covariance follows from its predecessor by two products
(`advance_cells`); a kernel that walks a tile of neighbouring diagonals keeps them in
one short array, so that its loops run over contiguous memory.

Conventions
-----------
* **Samples.** Kernels work on ``y``, made by `prepare`: channels are rows, shifted by
  the sample nearest to zero where the series does not cross zero, and scaled by a
  power of two. Neither rounds more than the samples are rounded already, so an offset
  of 1e6 or a scale of 1e-6 costs no digits.
* **Constant windows** (all samples equal) are at distance 0 from each other and at
  ``sqrt(l)`` from all others, i.e. ``rho`` is 1 and 1/2. They carry the inverse norm 0
  and the bias 1/2, and ``rho = c inv[i] inv[j] + bias[i] + bias[j]`` holds for all.
* **NaN and infinite samples.** A window that touches one has the bias ``-inf``, so
  ``rho`` is ``-inf`` and its distance to every window, itself included, infinite: it is
  never part of a motif. ``y`` repeats the last finite sample in such places, so that
  they do not disturb windows elsewhere.
* **Tracks.** Per channel, the rows of ``tracks[channel]`` are `STEP` and `TREND` (the
  two factors of the recurrence), `INVERSE` (norm), `BIAS` and `MEAN`, all ``f8[N]``
  with ``N = n - l + 1``.
* **Scores.** A row of cells is turned into scores, the higher the nearer: ``rho`` for
  one channel, minus the mean of ``zED`` over the channels for several. `to_distance`
  and `to_score` convert; both keep the order. Kernels with an argument `squared` can
  take the mean of ``rho`` instead, so that **squares** of distances are averaged: the
  distance is then the root of the mean ``zED^2``.
* **Restarts.** Rounding errors of the recurrence add up, so no walk is longer than
  `ROWS` rows; its first row is computed from the definition (`start_cells`).

References
----------
Zimmerman et al., Matrix Profile XIV: scaling time series motif discovery with GPUs,
SoCC 2019, doi:10.1145/3357223.3362721 (the centred two-term update).
"""

from typing import Any

import numpy as np

from tsmdbench._kernels.jit import kernel, strict_kernel
from tsmdbench.arrays import Floats

STEP, TREND, INVERSE, BIAS, MEAN = range(5)
FINE, CONSTANT, BROKEN = range(3)  # kinds of window
CONSTANT_BIAS = 0.5  # of a constant window; 0 for others, -inf for broken ones

ROWS = 512  # longest walk without a restart: drift stays near 1e-14
WIDTH = 256  # diagonals per tile: eight arrays of them fit into a 32 KiB cache

# Below this 1 - rho, rounding of rho is visible in the distance: compute it directly.
NEAR = 1e-6


def prepare(x: Floats, l: int) -> tuple[Floats, Floats]:  # noqa: E741 (as in papers)
    """Return ``(y, tracks)`` of a series; see the conventions above.

    x: f8[n] or f8[n, d], NaN and infinities allowed -> f8[d, n], f8[d, 5, n - l + 1].
    O(d n l), every window by two passes of its own.
    """
    channels = np.ascontiguousarray(np.atleast_2d(x.T))
    y = np.empty_like(channels)
    tracks = np.zeros((len(y), 5, y.shape[1] - l + 1))
    for channel, samples in enumerate(channels):
        y[channel], finite = level(samples)
        kinds = window_kinds(y[channel], finite, l)
        mean = window_means(y[channel], l)
        track = tracks[channel]
        track[INVERSE] = window_inverse_norms(y[channel], mean, kinds, l)
        # A window that varies by less than the smallest square is constant as well.
        kinds[(kinds == FINE) & (track[INVERSE] == 0.0)] = CONSTANT
        track[BIAS] = np.array([0.0, CONSTANT_BIAS, -np.inf])[kinds]
        track[MEAN] = mean
        last, before = y[channel, l:], y[channel, : len(mean) - 1]
        track[STEP, 1:] = (last - before) / 2
        track[TREND, 1:] = (last - mean[1:]) + (before - mean[:-1])
    return y, tracks


def level(x):
    """Fill, shift and scale one channel. f8[n] -> f8[n], bool[n] (finite samples)."""
    finite = np.isfinite(x)
    if not finite.any():
        return np.zeros_like(x), finite
    places = np.where(finite, np.arange(len(x)), 0)
    places[: np.argmax(finite)] = np.argmax(finite)
    y = _to_unit_scale(x[np.maximum.accumulate(places)])
    low, high = y.min(), y.max()
    if low > 0.0:
        y = y - low
    elif high < 0.0:
        y = y - high
    return _to_unit_scale(y), finite


def _to_unit_scale(y):
    """Divide by the power of two that brings the largest magnitude into [1/2, 1)."""
    _, exponent = np.frexp(np.abs(y).max())
    return np.ldexp(y, -int(exponent))


@strict_kernel
def window_kinds(y, finite, l):  # noqa: E741
    """Classify windows as `FINE`, `CONSTANT` or `BROKEN`. -> i1[n - l + 1]. O(n)."""
    kinds = np.zeros(y.size - l + 1, np.int8)
    since_change = 0
    since_broken = l
    for t in range(y.size):
        since_change = since_change + 1 if t > 0 and y[t] == y[t - 1] else 1
        since_broken = since_broken + 1 if finite[t] else 0
        if t >= l - 1:
            if since_broken < l:
                kinds[t - l + 1] = BROKEN
            elif since_change >= l:
                kinds[t - l + 1] = CONSTANT
    return kinds


@kernel
def window_means(y, l):  # noqa: E741
    """Mean of every window, summed relative to its first sample. O(n l)."""
    mean = np.empty(y.size - l + 1)
    for i in range(mean.size):
        first = y[i]
        total = 0.0
        for s in range(l):
            total += y[i + s] - first
        mean[i] = first + total / l
    return mean


@kernel
def window_inverse_norms(y, mean, kinds, l):  # noqa: E741
    """1 / norm of every centred window; 0 for windows that are not `FINE`. O(n l)."""
    inverse = np.zeros(mean.size)
    for i in range(mean.size):
        if kinds[i] != FINE:
            continue
        total = 0.0
        for s in range(l):
            total += (y[i + s] - mean[i]) ** 2
        if total > 0.0 and np.isfinite(1.0 / np.sqrt(total)):
            inverse[i] = 1.0 / np.sqrt(total)
    return inverse


@kernel
def start_cells(y, mean, l, i, j, cells):  # noqa: E741
    """Set cells[k] = c(i, j + k) from the definition. Writes cells. O(l len(cells))."""
    width = cells.size
    means = mean[j : j + width]
    centre = mean[i]
    for k in range(width):
        cells[k] = 0.0
    s = 0
    while s + 4 <= l:  # four samples at a time: a quarter of the traffic for cells
        a, b = y[i + s] - centre, y[i + s + 1] - centre
        c, d = y[i + s + 2] - centre, y[i + s + 3] - centre
        z = y[j + s : j + s + width + 3]
        for k in range(width):
            m = means[k]
            cells[k] += (a * (z[k] - m) + b * (z[k + 1] - m)) + (
                c * (z[k + 2] - m) + d * (z[k + 3] - m)
            )
        s += 4
    while s < l:
        a = y[i + s] - centre
        z = y[j + s : j + s + width]
        for k in range(width):
            cells[k] += a * (z[k] - means[k])
        s += 1


@kernel
def advance_cells(step, trend, i, j, cells):
    """Turn cells[k] = c(i - 1, j + k - 1) into c(i, j + k). Writes cells."""
    a, b = step[i], trend[i]
    f = step[j : j + cells.size]
    g = trend[j : j + cells.size]
    for k in range(cells.size):
        cells[k] += a * g[k] + b * f[k]


@kernel
def correlate_cells(inverse, bias, i, j, cells, scores):
    """Set scores[k] = rho(i, j + k). Writes scores."""
    a, b = inverse[i], bias[i]
    f = inverse[j : j + cells.size]
    g = bias[j : j + cells.size]
    for k in range(cells.size):
        scores[k] = cells[k] * a * f[k] + (b + g[k])


@kernel
def subtract_distances(scale, weight, rho, scores):
    """Subtract weight * sqrt(scale * (1 - rho)) from scores. Writes scores."""
    for k in range(rho.size):
        square = scale * (1.0 - rho[k])
        scores[k] -= weight * np.sqrt(square if square > 0.0 else 0.0)


@kernel
def start_row(y, tracks, l, i, j, at, width, cells):  # noqa: E741
    """Set cells[:, at + k] = c(i, j + k), k < width, in every channel. Writes cells."""
    for channel in range(y.shape[0]):
        mean = tracks[channel, MEAN]
        start_cells(y[channel], mean, l, i, j, cells[channel, at : at + width])


@kernel
def advance_row(tracks, i, j, at, width, cells):
    """Advance cells[:, at + k] to c(i, j + k), k < width. Writes cells."""
    for channel in range(tracks.shape[0]):
        track = tracks[channel]
        row = cells[channel, at : at + width]
        advance_cells(track[STEP], track[TREND], i, j, row)


@kernel
def score_row(tracks, l, i, j, at, cells, rho, scores, squared=False):  # noqa: E741, FBT002
    """Set scores[k] to the score of (i, j + k), whose cells are cells[:, at + k].

    rho, scores: f8[width]; both are written. `rho` is room to work in.
    """
    channels = tracks.shape[0]
    width = scores.size
    if channels == 1:
        track = tracks[0]
        row = cells[0, at : at + width]
        correlate_cells(track[INVERSE], track[BIAS], i, j, row, scores)
        return
    for k in range(width):
        scores[k] = 0.0
    for channel in range(channels):
        track = tracks[channel]
        row = cells[channel, at : at + width]
        correlate_cells(track[INVERSE], track[BIAS], i, j, row, rho)
        if squared:
            for k in range(width):
                scores[k] += rho[k] / channels
        else:
            subtract_distances(2.0 * l, 1.0 / channels, rho, scores)


@strict_kernel
def pair_distance(y, tracks, l, i, j, squared=False):  # noqa: E741, FBT002
    """Mean zED of two windows over the channels, from the definition. O(d l).

    The root of the mean square where `squared`.

    Strict, so that exact copies are at distance 0 and (i, j) is as far as (j, i) to
    the last bit: ties are seen as ties.
    """
    mean = 0.0
    for channel in range(y.shape[0]):
        z, track = y[channel], tracks[channel]
        if track[BIAS, i] + track[BIAS, j] < 0.0:
            return np.inf
        a, b = track[INVERSE, i], track[INVERSE, j]
        if a == 0.0 and b == 0.0:
            continue  # constant windows
        total = 0.0
        for s in range(l):
            total += (
                (z[i + s] - track[MEAN, i]) * a - (z[j + s] - track[MEAN, j]) * b
            ) ** 2
        mean += l * total if squared else np.sqrt(l * total)
    mean /= y.shape[0]
    return np.sqrt(mean) if squared else mean


@kernel
def pair_distances(y, tracks, l, first, second):  # noqa: E741
    """`pair_distance` of many pairs. first, second: i8[k], negative for "none".

    -> f8[k], inf for "none" and for windows with NaN or infinite samples. O(k d l).
    """
    distances = np.full(first.size, np.inf)
    for p in range(first.size):
        if first[p] >= 0 and second[p] >= 0:
            distances[p] = pair_distance(y, tracks, l, first[p], second[p])
    return distances


def to_distance(scores: Floats, l: int, channels: int) -> Floats:  # noqa: E741
    """Turn scores into distances; ``-inf`` becomes ``inf``."""
    if channels > 1:
        return -scores
    squares: Floats = np.maximum(2.0 * l * (1.0 - scores), 0.0)
    return np.sqrt(squares)


def to_score(distance: Any, l: int, channels: int) -> Any:  # noqa: E741
    """Turn distances into scores: what a score has to reach to be within distance.

    Never ``-inf``, which would be reached by windows that have no score.
    """
    if channels > 1:
        return -distance
    return np.maximum(1.0 - distance * distance / (2.0 * l), -2.0)
