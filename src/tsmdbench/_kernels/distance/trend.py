"""Distance of windows without their linear trend, and the nearest that stand apart.

A window is compared after its least-squares line is taken away and what remains is
scaled to norm 1. With the centred covariance ``c(i, j)`` of `sliding`,

    q(i, j) = (c(i, j) - lean[i] lean[j]) / (eta[i] eta[j])     correlation
    d(i, j) = sqrt(2 (1 - q))                                    in [0, 2]

where ``lean`` is the slope times the norm of the centred time axis and ``eta`` the norm
of what remains. So the walk along the diagonals is that of `sliding`, and only the
score differs.

Conventions
-----------
* **Lines.** A window whose remainder is not more than rounding, constant ones included,
  has no shape and no distance. The same holds for NaN and infinite samples.
* **Samples.** The walk uses the series without its own line, so that a common trend
  costs no digits. Distances are computed from the definition on the samples as they
  are, so exact copies are at distance 0 and (i, j) is as far as (j, i) to the last bit.
* **Scores** are ``q``; see `apart` for the walk and for ties.
* **Several channels.** Squared distances are averaged, so the score is the mean of
  ``q``. A window without shape in some of the channels has ``q = 0`` there; without
  shape in all, or with a NaN or infinite sample in any, it has no distance.
"""

import math
from typing import NamedTuple

import numpy as np

from tsmdbench._kernels.distance.apart import (
    GRID,
    INVERSE,
    LEAN,
    MEAN,
    PULL,
    STEP,
    TREND,
    nearest_apart,
)
from tsmdbench._kernels.distance.selection import SPAN, select_apart_inplace
from tsmdbench._kernels.distance.sliding import (
    BROKEN,
    CONSTANT,
    ROWS,
    advance_cells,
    level,
    start_cells,
    window_kinds,
)
from tsmdbench._kernels.jit import kernel, strict_kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk, thread_count
from tsmdbench.arrays import Floats, Integers

LINE = 1e-7  # remainder over centred norm: below, the walk has no digits left
ROUNDING = 8 * np.finfo(np.float64).eps  # of the samples


class TrendWindows(NamedTuple):
    """Windows of one channel, prepared for `nearest_trend`.

    y, tracks: f8[n], f8[7, N] of the walk; z, fits: f8[n], f8[3, N] (mean, slope,
    1 / eta) of the distance. 1 / eta is NaN where a window has no distance.
    """

    y: Floats
    tracks: Floats
    z: Floats
    fits: Floats


def prepare(x: Floats, l: int) -> TrendWindows:  # noqa: E741 (as in papers)
    """Prepare the windows of a series f8[n], NaN and infinities allowed. O(n l)."""
    z, finite = level(x)
    kinds = window_kinds(z, finite, l)
    fits = window_fits(z, l)
    _, exponent = np.frexp(np.abs(x[finite]).max(initial=0.0))
    _, unit = np.frexp(np.abs(x[finite] - x[finite].min(initial=np.inf)).max(initial=0))
    coarse = ROUNDING * math.sqrt(l) * 2.0 ** float(exponent - unit)
    line = fits[2] <= np.maximum(coarse, LINE * np.hypot(fits[2], fits[1] * spread(l)))
    gone = line | (kinds == BROKEN) | (kinds == CONSTANT)
    fits[2] = _inverse(fits[2], gone)
    y, _ = level(_without_line(z, finite))
    own = window_fits(y, l)
    tracks = np.zeros((7, fits.shape[1]))
    tracks[MEAN], tracks[LEAN] = own[0], own[1] * spread(l)
    tracks[INVERSE] = _inverse(own[2], gone)
    tracks[PULL] = tracks[LEAN] * tracks[INVERSE]
    last, before = y[l:], y[: fits.shape[1] - 1]
    tracks[STEP, 1:] = (last - before) / 2
    tracks[TREND, 1:] = (last - own[0, 1:]) + (before - own[0, :-1])
    return TrendWindows(y, tracks, z, fits)


def spread(l: int) -> float:  # noqa: E741
    """Return the norm of the centred time axis 0, ..., l - 1."""
    return math.sqrt(l * (l * l - 1) / 12)


def _inverse(norms, gone):
    """Return 1 / norms; NaN, which reaches no threshold, for windows without one."""
    gone = gone | (norms <= 0.0)
    return np.where(gone, np.nan, 1.0 / np.where(gone, 1.0, norms))


def _without_line(z, finite):
    """Subtract the line through the finite samples; the others become NaN."""
    time = np.arange(len(z)) - (len(z) - 1) / 2
    t, v = time[finite], z[finite]
    if not len(t):
        return z
    t = t - t.mean()
    slope = t @ (v - v.mean()) / max(t @ t, 1.0)
    return np.where(finite, z - slope * time, np.nan)


@strict_kernel
def window_fits(z, l):  # noqa: E741
    """Mean, slope and norm of the remainder of every window. -> f8[3, N]. O(n l)."""
    fits = np.empty((3, z.size - l + 1))
    middle = (l - 1) / 2
    square = l * (l * l - 1.0) / 12.0
    for i in range(fits.shape[1]):
        total = 0.0
        for s in range(l):
            total += z[i + s] - z[i]
        mean = z[i] + total / l
        lean = 0.0
        for s in range(l):
            lean += (s - middle) * (z[i + s] - mean)
        slope = lean / square
        rest = 0.0
        for s in range(l):
            rest += (z[i + s] - mean - slope * (s - middle)) ** 2
        fits[0, i], fits[1, i], fits[2, i] = mean, slope, np.sqrt(rest)
    return fits


@strict_kernel
def trend_distance(z, fits, l, i, j):  # noqa: E741
    """Distance of two windows from the definition, NaN where there is none. O(l)."""
    middle = (l - 1) / 2
    a, b = fits[2, i], fits[2, j]
    total = 0.0
    for s in range(l):
        first = (z[i + s] - fits[0, i] - fits[1, i] * (s - middle)) * a
        second = (z[j + s] - fits[0, j] - fits[1, j] * (s - middle)) * b
        total += (first - second) ** 2
    return np.sqrt(total)


@strict_kernel
def trend_distances(z, fits, l, starts):  # noqa: E741
    """Distance of every window to those at starts i8[N, k]; inf for -1. -> f8[N, k]."""
    distances = np.full(starts.shape, np.inf)
    for i in range(starts.shape[0]):
        for c in range(starts.shape[1]):
            if starts[i, c] >= 0:
                distances[i, c] = trend_distance(z, fits, l, i, starts[i, c])
    return distances


def nearest_trend(
    windows: TrendWindows,
    l: int,  # noqa: E741
    k: int,
    n_jobs: int = 1,
) -> tuple[Integers, Floats]:
    """Return starts i8[N, k] and distances f8[N, k] of the nearest that stand apart.

    Nearest first, none overlapping the window or another choice; -1 and ``inf`` where
    fewer than `k` are left. O(N^2) time, O(N) memory beside the result.
    """
    y, tracks, z, fits = windows
    starts, _ = nearest_apart(y, tracks, l, k, n_jobs)
    return starts, trend_distances(z, fits, l, starts)


def nearest_joint(
    x: Floats,
    l: int,  # noqa: E741
    k: int,
    n_jobs: int = 1,
) -> tuple[Integers, Floats]:
    """Return what `nearest_trend` does for all channels of a series f8[n, d]."""
    channels = [prepare(np.ascontiguousarray(column), l) for column in x.T]
    y = np.stack([one.y for one in channels])
    tracks = np.stack([one.tracks for one in channels])
    shapeless = np.isnan(tracks[:, INVERSE])
    broken = np.concatenate([[0], np.cumsum(~np.isfinite(x).all(axis=1))])
    usable = ~shapeless.all(axis=0) & (broken[l:] == broken[: len(broken) - l])
    tracks[:, INVERSE][shapeless] = tracks[:, PULL][shapeless] = 0.0
    starts = np.full((len(usable), k), -1, np.int64)
    arguments = y, tracks, l, usable, starts
    blocks = -(-len(usable) // ROWS)
    jobs = [arguments] * thread_count(n_jobs)
    run_walk(nearest_joint_in_blocks, jobs, blocks, ROWS * len(usable) * len(y))
    squares = np.zeros(starts.shape)
    for one in channels:
        distances = trend_distances(one.z, one.fits, l, starts)
        squares += np.where(np.isnan(distances), 2.0, distances**2)
    return starts, np.sqrt(squares / len(channels))


@kernel
def nearest_joint_in_blocks(y, tracks, l, usable, starts, signal, first, step):  # noqa: E741
    """Fill `nearest_joint` for the blocks of rows first, first + step, etc."""
    count, k = starts.shape
    cells = np.empty((y.shape[0], count + ROWS))
    scores, tops = np.empty(count), np.empty(count // SPAN + 1)
    values = np.empty(k)
    for block in range(first * ROWS, count, step * ROWS):
        last = min(block + ROWS, count) - 1
        for i in range(block, last + 1):
            if signal[STOP]:
                return
            scores[:] = 0.0
            for c in range(y.shape[0]):
                track = tracks[c]
                row = cells[c, last - i : last - i + count]  # a diagonal stays in place
                if i == block:
                    start_cells(y[c], track[MEAN], l, i, 0, row)
                else:
                    start_cells(y[c], track[MEAN], l, i, 0, row[:1])
                    advance_cells(track[STEP], track[TREND], i, 1, row[1:])
                p, q = track[INVERSE, i], track[PULL, i]
                u, v = track[INVERSE], track[LEAN]
                for j in range(count):
                    scores[j] += (row[j] * p - q * v[j]) * u[j]
            if not usable[i]:
                continue
            for j in range(count):
                scores[j] = np.rint(scores[j] / GRID) * GRID if usable[j] else -np.inf
            scores[max(0, i - l + 1) : i + l] = -np.inf
            select_apart_inplace(scores, -np.inf, l - 1, l - 1, tops, starts[i], values)
        signal[DONE] += 1
