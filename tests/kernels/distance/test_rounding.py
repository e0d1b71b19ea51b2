"""Distances rounded in a prescribed way: near to the definition, and to each other."""

import numpy as np
import pytest

from tsmdbench._kernels.distance import rounding
from tsmdbench.methods._windows import Windows
from tsmdbench.methods.seeds import FEW, Seeds


def series(n=120, channels=3, *, broken=False):
    x = np.random.default_rng(5).normal(size=(n, channels)).cumsum(axis=0)
    x[70:90, 0] = x[70, 0]
    if broken:
        x[33, -1], x[101, 0] = np.nan, -np.inf
    return x


def arrays(x, length):
    """Samples, products, and the moments of all windows."""
    seeds = Seeds(x, Windows.of(x, length), 4)
    return *seeds._products, seeds._moments(np.arange(seeds.windows.count))


def pair(given, length, i, j):
    samples, first, moments = given
    two = np.ascontiguousarray(moments[:, :, [i, j]])
    return rounding.pair_distance(samples, first, two, length, i, j)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("channels", [1, 3])
def test_distances_are_near_to_the_definition(channels, broken):
    x, length = series(channels=channels, broken=broken), 12
    given = arrays(x, length)
    windows = Windows.of(x, length)
    for i in (0, 1, 40, 75, 108):
        expected = windows.distances(i)
        found = [pair(given, length, i, j) for j in range(109)]
        np.testing.assert_allclose(found, expected, atol=1e-5)  # a root, near 0


def test_rows_equal_pairs_to_the_last_bit():
    x, length, gap = series(broken=True), 12, 4
    given = arrays(x, length)
    wanted = np.arange(109) % 3 != 1
    rows = rounding.nearest_distances(*given, length, gap, wanted)
    for i in range(109):
        apart = [j for j in range(109) if abs(i - j) >= gap]
        pairs = [pair(given, length, i, j) for j in apart]
        assert rows[i] == (min(pairs) if wanted[i] else np.inf)


def test_means_and_deviations_are_those_of_the_definition():
    x = series(channels=2)
    _, _, moments = arrays(x, 12)
    for i in range(109):
        np.testing.assert_allclose(moments[:, rounding.MEAN, i], x[i : i + 12].mean(0))
        np.testing.assert_allclose(
            moments[:, rounding.DEVIATION, i], x[i : i + 12].std(0), atol=1e-12
        )
        constant = (x[i : i + 12] == x[i]).all(axis=0)
        assert (moments[:, rounding.CONSTANT, i] == constant).all()


@pytest.mark.parametrize("copies", [2, 5])
def test_many_ties_are_decided_like_few(copies):
    """Exact copies tie everywhere: more than `FEW` of them take the other kernel."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 2)).cumsum(axis=0)
    for k in range(1, copies):
        x[70 * k : 70 * k + 40] = x[:40]
    windows = Windows.of(x, 20)
    seeds = Seeds(x, windows, 6)
    tied = np.flatnonzero(seeds.profile <= seeds.profile.min() + seeds._tolerance)
    assert len(tied) > FEW
    lowest = seeds.lowest(seeds.profile)
    single = Seeds(x, windows, 6)
    for part in np.array_split(tied, 10):
        single._round(part.tolist())
    assert single._known == seeds._known
    assert lowest == min(tied, key=lambda i: single._known[i])


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_where_squares_overflow_the_first_window_is_taken(scale):
    x = series() * scale
    windows = Windows.of(x, 12)
    seeds = Seeds(x, windows, 4)
    assert seeds.lowest(seeds.profile) in np.argsort(seeds.profile)[:2]
