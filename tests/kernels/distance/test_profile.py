"""The diagonal walk against the definition, and against stumpy."""

from functools import cache

import numpy as np
import pytest

from tests.reference import distance as reference
from tsmdbench._kernels.distance import profile, sliding

LENGTH = 24


def walk(rng, *shape):
    return rng.normal(size=shape).cumsum(axis=0)


@cache
def distances_of(name):
    return reference.distance_matrix(series(name), LENGTH)


def series(name, n=600):
    """One series per difficulty that a distance kernel can meet."""
    rng = np.random.default_rng(7)
    x = walk(rng, n)
    if name == "offset":
        return x + 1e6
    if name == "tiny":
        return x * 1e-6
    if name == "huge":
        return x * 1e6
    if name == "extreme":
        return x * 1e-290
    if name == "plateaus":
        x[100:150] = x[100]
        x[300:340] = x[300]
        x[500:530] = -1.0
    elif name == "broken":
        x[[0, 200, 570]] = np.nan, np.inf, -np.inf
    elif name == "everything":
        x[100:150], x[300:340], x[400] = 3.0, -2.0, np.nan
        x += 1e6
    elif name == "copies":
        x[520:570] = x[50:100]
    return x


NAMES = ["walk", "offset", "tiny", "huge", "extreme", "plateaus", "broken"]
NAMES += ["everything", "copies"]


@pytest.mark.parametrize("gap", [1, 7, LENGTH])
@pytest.mark.parametrize("name", NAMES)
def test_nearest_neighbours_follow_the_definition(name, gap):
    x = series(name)
    y, tracks = sliding.prepare(x, LENGTH)
    found, start = profile.nearest_neighbours(y, tracks, LENGTH, gap)
    distances = distances_of(name)
    expected, _ = reference.nearest_neighbours(distances, gap)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    # Another start is as good only if it is as near; -1 stands for "none".
    there = start >= 0
    np.testing.assert_array_equal(there, np.isfinite(expected))
    at = distances[np.flatnonzero(there), start[there]]
    np.testing.assert_allclose(at, expected[there], rtol=0, atol=1e-9)
    assert (np.abs(start - np.arange(len(start)))[there] >= gap).all()


def test_ties_go_to_the_lowest_start():
    x = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 2.0], 40)
    x[:5] = 7.0
    y, tracks = sliding.prepare(x, 4)
    _, start = profile.nearest_neighbours(y, tracks, 4, 4)
    constant = np.flatnonzero(tracks[0, sliding.BIAS] == 0.5)
    assert constant[0] == 0
    # Constant windows are at distance exactly 0 from each other.
    first_far = [constant[np.abs(constant - i) >= 4][0] for i in constant]
    np.testing.assert_array_equal(start[constant], first_far)


@pytest.mark.parametrize("name", NAMES)
def test_distance_profile_follows_the_definition(name):
    x = series(name)
    y, tracks = sliding.prepare(x, LENGTH)
    distances = distances_of(name)
    for i in (0, 60, 110, 390, 576):
        row = profile.distance_profile(y, tracks, LENGTH, i)
        np.testing.assert_allclose(row, distances[i], rtol=0, atol=1e-9)


@pytest.mark.parametrize("broken", [False, True])
def test_channels_are_averaged(broken):
    x = walk(np.random.default_rng(3), 400, 3)
    x[50:90, 1] = 4.0
    x[200:230, 1] = 4.0
    if broken:
        x[300, 2] = np.nan
    y, tracks = sliding.prepare(x, LENGTH)
    distances = reference.distance_matrix(x, LENGTH)
    found, _ = profile.nearest_neighbours(y, tracks, LENGTH, 7)
    expected, _ = reference.nearest_neighbours(distances, 7)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    row = profile.distance_profile(y, tracks, LENGTH, 60)
    np.testing.assert_allclose(row, distances[60], rtol=0, atol=1e-9)


def test_a_channel_that_repeats_exactly_costs_no_digits():
    x = walk(np.random.default_rng(8), 300, 2)
    x[200:240, 0] = x[50:90, 0]  # a copy in one channel, none in the other
    y, tracks = sliding.prepare(x, LENGTH)
    row = profile.distance_profile(y, tracks, LENGTH, 55)
    expected = reference.distance_matrix(x, LENGTH)[55]
    np.testing.assert_allclose(row, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [(3000,), (1500, 2)])
def test_threads_do_not_change_the_result(shape):
    x = walk(np.random.default_rng(5), *shape)
    y, tracks = sliding.prepare(x, LENGTH)
    expected = profile.nearest_neighbours(y, tracks, LENGTH, 13)
    for jobs in (2, 3, 7, -1):
        found = profile.nearest_neighbours(y, tracks, LENGTH, 13, jobs)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("name", ["walk", "plateaus", "everything"])
def test_neighbours_below_the_floor_are_left_out(name, jobs):
    x = series(name)
    y, tracks = sliding.prepare(x, LENGTH)
    full, start = profile.nearest_neighbours(y, tracks, LENGTH, LENGTH)
    floor = np.full(len(full), sliding.to_score(3.0, LENGTH, 1))
    floor[::7] = -np.inf
    near, some = profile.nearest_neighbours(y, tracks, LENGTH, LENGTH, jobs, floor)
    noted = (full < 3.0) | (np.isinf(floor) & np.isfinite(full))
    np.testing.assert_array_equal(some, np.where(noted, start, -1))
    np.testing.assert_array_equal(near, np.where(noted, full, np.inf))
    assert 0 < noted.sum() < len(noted)


def test_exact_copies_are_at_distance_zero():
    x = series("copies") * 0.1 + 1 / 3
    y, tracks = sliding.prepare(x, LENGTH)
    starts = np.arange(50, 50 + 50 - LENGTH + 1)
    distances = sliding.pair_distances(y, tracks, LENGTH, starts, starts + 470)
    np.testing.assert_array_equal(distances, 0.0)
    i, j = np.array([3, 40, 7]), np.array([500, 11, 333])
    np.testing.assert_array_equal(
        sliding.pair_distances(y, tracks, LENGTH, i, j),
        sliding.pair_distances(y, tracks, LENGTH, j, i),
    )
    assert profile.distance_profile(y, tracks, LENGTH, 60)[60] == 0.0


def test_no_partner_gives_infinity_and_minus_one():
    y, tracks = sliding.prepare(np.arange(20.0) ** 2, 8)
    found, start = profile.nearest_neighbours(y, tracks, 8, 10)
    np.testing.assert_array_equal(np.isinf(found), start == -1)
    np.testing.assert_array_equal(np.flatnonzero(start >= 0), [0, 1, 2, 10, 11, 12])


def test_series_without_a_finite_sample():
    y, tracks = sliding.prepare(np.full(50, np.nan), 8)
    found, start = profile.nearest_neighbours(y, tracks, 8, 8)
    assert np.isinf(found).all()
    assert (start == -1).all()


def test_level_shift_costs_no_digits():
    x = walk(np.random.default_rng(1), 1200)
    x[600:] += 1e4
    y, tracks = sliding.prepare(x, LENGTH)
    found, _ = profile.nearest_neighbours(y, tracks, LENGTH, LENGTH)
    distances = reference.distance_matrix(x, LENGTH)
    expected, _ = reference.nearest_neighbours(distances, LENGTH)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.slow  # importing and compiling stumpy takes half a minute
@pytest.mark.parity
def test_matrix_profile_equals_stumpy():
    stumpy = pytest.importorskip("stumpy")
    x = walk(np.random.default_rng(11), 3000)
    x[500:600] = x[500]
    x[2000] = np.nan
    y, tracks = sliding.prepare(x, 50)
    found, start = profile.nearest_neighbours(y, tracks, 50, 14)
    theirs = stumpy.stump(x, 50)
    np.testing.assert_allclose(found, theirs[:, 0].astype(float), rtol=0, atol=1e-9)
    # stumpy breaks ties by the shorter way, we by the lower start; flat windows tie.
    flat = tracks[0, sliding.BIAS] == 0.5
    np.testing.assert_array_equal(start[~flat], theirs[~flat, 1].astype(int))
    assert flat[start[flat]].all()


@pytest.mark.slow
@pytest.mark.parity
def test_long_series_do_not_drift():
    stumpy = pytest.importorskip("stumpy")
    x = walk(np.random.default_rng(2), 50_000)
    y, tracks = sliding.prepare(x, 100)
    found, start = profile.nearest_neighbours(y, tracks, 100, 26)
    theirs = stumpy.stump(x, 100)
    np.testing.assert_allclose(found, theirs[:, 0].astype(float), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(start, theirs[:, 1].astype(int))
