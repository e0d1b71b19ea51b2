"""Euclidean distance of windows of whole numbers, and the nearest that stand apart.

The samples are whole numbers, so squared distances are whole numbers as well, and every
step of the walk is exact: ``score = c - (s[i] + s[j]) / 2 = -d^2 / 2`` with products
``c`` and squares ``s`` of the windows as they are. See `apart` for the walk.
"""

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance.apart import (
    INVERSE,
    LEAN,
    OFFSET,
    PULL,
    STEP,
    TREND,
    nearest_apart,
)
from tsmdbench.arrays import Floats, Integers


def nearest_quantised(
    values: Integers,
    usable: NDArray[np.bool_],
    l: int,  # noqa: E741 (as in papers)
    k: int,
    n_jobs: int = 1,
) -> tuple[Integers, Floats]:
    """Return starts i8[N, k] and squared distances f8[N, k] of the nearest apart.

    values: i8[n]; usable: bool[n], samples that windows may contain. -1 and ``inf``
    where fewer than `k` are left. Exact below 2^53.
    """
    y = values.astype(np.float64)
    ones = np.concatenate([[0], np.cumsum(usable)])
    squares = np.concatenate([[0.0], np.cumsum(y * y)])
    tracks = np.zeros((7, len(y) - l + 1))
    tracks[INVERSE] = np.where(ones[l:] - ones[:-l] == l, 1.0, np.nan)
    tracks[LEAN] = (squares[l:] - squares[:-l]) / 2
    tracks[PULL], tracks[OFFSET] = 1.0, -tracks[LEAN]
    last, before = y[l:], y[: len(y) - l]
    tracks[STEP, 1:] = (last - before) / 2
    tracks[TREND, 1:] = last + before
    starts, scores = nearest_apart(y, tracks, l, k, n_jobs)
    return starts, -2.0 * scores
