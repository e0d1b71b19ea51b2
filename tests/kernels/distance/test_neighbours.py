"""Counts and greedy choices against the definition."""

import numpy as np
import pytest

from tests.kernels.distance.test_profile import LENGTH, NAMES, distances_of, series
from tests.reference import distance as reference
from tsmdbench._kernels.distance import neighbours, sliding

RADIUS = 4.0


def prepared(name):
    return sliding.prepare(series(name), LENGTH)


@pytest.mark.parametrize("name", NAMES)
def test_greedy_counts_follow_the_definition(name):
    y, tracks = prepared(name)
    radii = [RADIUS, 2.0, 6.0]
    thresholds = sliding.to_score(np.array(radii), LENGTH, 1)
    gap = 10
    sizes, spreads = neighbours.count_apart(y, tracks, LENGTH, gap, thresholds)
    for i in range(0, len(tracks[0, 0]), 3):
        row = distances_of(name)[i]
        far = np.where(np.abs(np.arange(len(row)) - i) >= gap, row, np.inf)
        for t, radius in enumerate(radii):
            chosen = reference.choose_apart(far, radius, gap - 1, gap - 1)
            at = [distance for _, distance in chosen]
            assert sizes[t, i] == len(chosen)
            assert spreads[t, i] == pytest.approx(np.std(at) if at else 0, abs=1e-9)
    for jobs in (2, 5):
        again = neighbours.count_apart(y, tracks, LENGTH, gap, thresholds, jobs)
        np.testing.assert_array_equal(again[0], sizes)
        np.testing.assert_array_equal(again[1], spreads)


@pytest.mark.parametrize("name", ["walk", "everything"])
def test_only_wanted_windows_are_counted(name):
    y, tracks = prepared(name)
    thresholds = sliding.to_score(np.array([RADIUS]), LENGTH, 1)
    full = neighbours.count_apart(y, tracks, LENGTH, LENGTH, thresholds)
    wanted = np.zeros(len(full[0][0]), np.bool_)
    wanted[[3, 4, 5, 40, 41, 200, 511, 512, 530, -1]] = True
    wanted[300:340] = True
    for jobs in (1, 2):
        sizes, spreads = neighbours.count_apart(
            y, tracks, LENGTH, LENGTH, thresholds, jobs, wanted
        )
        np.testing.assert_array_equal(sizes[0], np.where(wanted, full[0][0], 0))
        expected = np.where(wanted, full[1][0], 0.0)
        np.testing.assert_allclose(spreads[0], expected, rtol=0, atol=1e-9)


def plateaus(seed):
    """Return a walk of 400 samples, of which long stretches are constant."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=400).cumsum()
    for start in rng.integers(0, 400, 4):
        x[start : start + rng.integers(20, 120)] = rng.integers(3)
    x[rng.integers(400)] = np.nan
    return x


@pytest.mark.parametrize("gap", [1, 10, LENGTH])
@pytest.mark.parametrize("seed", range(3))
def test_lists_of_constant_windows_follow_the_definition(seed, gap):
    x = plateaus(seed)
    y, tracks = sliding.prepare(x, LENGTH)
    radii = np.array([1.0, 3.0])  # below that of a constant window and another
    sizes, spreads = neighbours.count_apart(
        y, tracks, LENGTH, gap, sliding.to_score(radii, LENGTH, 1)
    )
    distances = reference.distance_matrix(x, LENGTH)
    constant = np.flatnonzero(tracks[0, sliding.BIAS] == sliding.CONSTANT_BIAS)
    assert constant.size
    for i in constant:
        far = np.abs(np.arange(len(distances)) - i) >= gap
        row = np.where(far, distances[i], np.inf)
        expected = len(reference.choose_apart(row, 1.0, gap - 1, gap - 1))
        assert sizes[:, i].tolist() == [expected, expected]
        assert not spreads[:, i].any()


def test_a_plateau_is_not_walked(monkeypatch):
    x = np.zeros(1000)
    x[500] = 1.0
    y, tracks = sliding.prepare(x, LENGTH)
    walked = []

    def record(_, arguments, *__):
        walked.append(np.flatnonzero(arguments[0][-1][0]))

    monkeypatch.setattr(neighbours, "run_walk", record)
    threshold = sliding.to_score(np.array([1.0]), LENGTH, 1)
    neighbours.count_apart(y, tracks, LENGTH, LENGTH, threshold)
    np.testing.assert_array_equal(*walked, np.arange(501 - LENGTH, 501))


@pytest.mark.parametrize("levels", [1, 2, 5])
@pytest.mark.parametrize("gap", [1, 7, 200])
def test_choice_from_equal_distances(gap, levels):
    rng = np.random.default_rng(levels)
    profile = rng.integers(levels, size=700) / 2
    profile[rng.integers(700, size=30)] = np.inf
    expected = [p for p, _ in reference.choose_apart(profile, 1.0, gap - 1, gap - 1)]
    for limit in (700, 3):
        chosen = neighbours.choose_apart(profile, 1.0, gap, limit)
        np.testing.assert_array_equal(chosen, expected[:limit])


@pytest.mark.parametrize("name", ["walk", "everything"])
def test_windows_near_to_any(name):
    y, tracks = prepared(name)
    rows = np.zeros(tracks.shape[2], np.bool_)
    rows[[7, 100, 101, 330, 520]] = True
    threshold = sliding.to_score(RADIUS, LENGTH, 1)
    some = np.random.default_rng(0).random(rows.size) < 0.5
    near = distances_of(name) <= RADIUS
    for one, other in [(some, rows), (rows, some), (rows, rows), (some, ~some)]:
        found = neighbours.near_to_any(y, tracks, LENGTH, one, other, threshold)
        expected = one & near[:, other].any(axis=1)
        np.testing.assert_array_equal(found, expected)
        assert expected.any()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "copies"])
def test_nearest_apart_follows_the_definition(name):
    y, tracks = prepared(name)
    left, right, k = 12, 11, 6
    starts, distances = neighbours.nearest_apart(y, tracks, LENGTH, left, right, k)
    flat = tracks[0, sliding.BIAS] == 0.5
    for i in range(0, len(flat), 3):
        row = distances_of(name)[i].copy()
        row[i] = -1 if np.isfinite(row[i]) else np.inf
        chosen = reference.choose_apart(row, np.inf, left, right)[:k]
        found = starts[i, starts[i] >= 0]
        expected = [distances_of(name)[i, p] for p, _ in chosen]
        np.testing.assert_allclose(
            distances[i, : len(found)], expected, rtol=0, atol=1e-9
        )
        if not flat[i]:
            np.testing.assert_array_equal(found, [p for p, _ in chosen])


def test_the_distance_of_several_channels_is_the_mean():
    x = np.random.default_rng(4).normal(size=(500, 2)).cumsum(axis=0)
    y, tracks = sliding.prepare(x, LENGTH)
    distances = reference.distance_matrix(x, LENGTH)
    starts, at = neighbours.nearest_apart(y, tracks, LENGTH, 23, 23, 3)
    rows = np.arange(len(distances))[:, None]
    np.testing.assert_allclose(at, distances[rows, starts], rtol=0, atol=1e-9)
