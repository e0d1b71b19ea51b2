"""Extents of sets of windows against the definition."""

import numpy as np

from tests.reference import motiflets as reference
from tsmdbench._kernels.distance import motiflet, sliding

L, K = 7, 5


def prepared():
    rng = np.random.default_rng(2)
    x = rng.normal(size=60).cumsum()
    x[20:32] = 4.0
    y, tracks = sliding.prepare(x, L)
    tracks[:, sliding.BIAS] = 0.0
    cells = reference.squares(x, L)
    starts = np.array([rng.permutation(54)[:K] for _ in range(40)])
    starts[7, 3:] = -1
    return y, tracks, cells, starts


def test_channel_square():
    y, tracks, cells, _ = prepared()
    for i, j in ((0, 40), (3, 3), (22, 50), (22, 24)):
        expected = cells[i, j]
        found = motiflet.channel_square(y[0], tracks[0], L, i, j)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_prefix_extents():
    y, tracks, cells, starts = prepared()
    order = np.random.default_rng(0).permutation(len(starts))
    found = motiflet.prefix_extents(y, tracks, L, starts, order)
    exact = np.full(starts.shape, np.inf)
    for i, row in enumerate(starts):
        for k in range(1, K + 1):
            if (row[:k] >= 0).all():
                exact[i, k - 1] = cells[np.ix_(row[:k], row[:k])].max()
    # What was not pruned is exact, and the smallest of each size is never pruned.
    kept = np.isfinite(found)
    np.testing.assert_allclose(found[kept], exact[kept], atol=1e-9)
    np.testing.assert_allclose(found.min(axis=0), exact.min(axis=0), atol=1e-9)
    assert not kept[7, 3:].any()
    assert kept.sum() < np.isfinite(exact).sum()
