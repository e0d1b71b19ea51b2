"""Nearest windows that stand apart, without trend and on whole numbers: brute force."""

import numpy as np
import pytest

from tests.reference import mdl, persistence
from tsmdbench._kernels.distance import trend
from tsmdbench._kernels.distance.apart import nearest_quantised


def brute_force(x, length, k):
    """Starts and distances of `nearest_trend` from the twin."""
    near = persistence.nearest_apart(persistence.distance_matrix(x, length), length, k)
    starts = np.full((len(near), k), -1)
    distances = np.full((len(near), k), np.inf)
    for i, mine in enumerate(near):
        for c, (start, distance) in enumerate(mine):
            starts[i, c], distances[i, c] = start, distance
    return starts, distances


def rough(seed, n=300):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).cumsum() + 0.3 * rng.normal(size=n)
    x[n // 2 : n // 2 + 30] = x[10:40] + 0.05 * rng.normal(size=30)
    return x


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("length", [4, 17])
@pytest.mark.parametrize("seed", range(3))
def test_nearest_without_trend(seed, length, k):
    x = rough(seed)
    starts, distances = trend.nearest_trend(trend.prepare(x, length), length, k)
    expected, far = brute_force(x, length, k)
    np.testing.assert_array_equal(starts, expected)
    np.testing.assert_allclose(distances, far, rtol=0, atol=1e-12)


def test_several_blocks_of_rows_and_threads():
    x = rough(7, 1300)
    windows = trend.prepare(x, 12)
    starts, distances = trend.nearest_trend(windows, 12, 4)
    expected, far = brute_force(x, 12, 4)
    np.testing.assert_array_equal(starts, expected)
    np.testing.assert_allclose(distances, far, rtol=0, atol=1e-12)
    for n_jobs in (2, 3):
        again = trend.nearest_trend(windows, 12, 4, n_jobs)
        np.testing.assert_array_equal(again[0], starts)
        np.testing.assert_array_equal(again[1], distances)


def test_fewer_windows_than_requested():
    x = rough(1, 60)
    starts, distances = trend.nearest_trend(trend.prepare(x, 20), 20, 5)
    expected, _ = brute_force(x, 20, 5)
    np.testing.assert_array_equal(starts, expected)
    assert (starts[:, 2:] == -1).all()
    assert np.isinf(distances[starts < 0]).all()


@pytest.mark.parametrize("slope", [1.0, -1e4])
def test_a_line_added_to_the_series_changes_nothing(slope):
    x = rough(2)
    plain = trend.nearest_trend(trend.prepare(x, 20), 20, 5)
    lifted = x + slope * np.arange(len(x)) + 1e3
    other = trend.nearest_trend(trend.prepare(lifted, 20), 20, 5)
    np.testing.assert_array_equal(other[0], plain[0])
    np.testing.assert_allclose(other[1], plain[1], rtol=0, atol=1e-6)


def test_broken_and_straight_windows_have_no_neighbours():
    x = rough(3)
    x[40] = np.nan
    x[90] = np.inf
    x[200:240] = 0.1 * np.arange(40) - 3.0
    x[260:285] = 7.0
    starts, distances = trend.nearest_trend(trend.prepare(x, 20), 20, 5)
    expected, far = brute_force(x, 20, 5)
    np.testing.assert_array_equal(starts, expected)
    np.testing.assert_allclose(distances, far, rtol=0, atol=1e-12)
    gone = [*range(21, 41), *range(71, 91), *range(200, 221), *range(260, 266)]
    assert (starts[gone] == -1).all()
    assert not np.isin(starts, gone).any()


@pytest.mark.parametrize("offset", [0.0, 1e6, -4e12])
def test_a_whole_line_has_no_shape_left(offset):
    x = offset + 0.3 * np.arange(200)
    starts, _ = trend.nearest_trend(trend.prepare(x, 20), 20, 5)
    assert (starts == -1).all()


def test_exact_copies_are_at_distance_zero_and_the_lowest_start_wins():
    x = np.random.default_rng(0).normal(size=500)
    for start in (120, 240, 360):
        x[start : start + 40] = x[20:60]
    starts, distances = trend.nearest_trend(trend.prepare(x, 30), 30, 3)
    assert starts[25].tolist() == [125, 245, 365]
    assert starts[245].tolist() == [25, 125, 365]
    assert (distances[[25, 245]] == 0.0).all()


def test_distances_are_symmetric_to_the_last_bit():
    x = rough(4)
    windows = trend.prepare(x, 15)
    for i, j in ((0, 80), (33, 200), (150, 20)):
        there = trend.trend_distance(windows.z, windows.fits, 15, i, j)
        assert there == trend.trend_distance(windows.z, windows.fits, 15, j, i)


def test_short_windows_whose_guesses_are_often_too_high():
    # One choice may block two windows that the guess relied on: rows are repeated.
    rng = np.random.default_rng(0)
    for _ in range(40):
        x = rng.integers(0, 4, size=60).astype(float) + 0.01 * rng.normal(size=60)
        starts, _ = trend.nearest_trend(trend.prepare(x, 4), 4, 5)
        expected, _ = brute_force(x, 4, 5)
        np.testing.assert_array_equal(starts, expected)


@pytest.mark.parametrize("seed", range(3))
def test_nearest_whole_numbers(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 5, size=220)  # many ties
    usable = np.ones(220, bool)
    usable[[60, 61, 150]] = False
    starts, squares = nearest_quantised(values, usable, 9, 6)
    expected = {
        (i, rank): (j, d)
        for d, i, rank, j in mdl.nearest_pairs(values.tolist(), usable, 9, 6)
    }
    for i, row in enumerate(starts):
        for rank, j in enumerate(row):
            assert expected.get((i, rank), (-1, np.inf)) == (j, squares[i, rank])
