"""Windows within a radius of each window against the definition."""

import numpy as np
import pytest

from tests.kernels.distance import test_profile as kernel
from tests.kernels.distance.test_neighbours import plateaus
from tests.reference import distance as reference
from tsmdbench._kernels.distance import sliding
from tsmdbench.methods._windows import Windows

LENGTH = 24


@pytest.mark.parametrize("radius", [1.0, 6.0])
@pytest.mark.parametrize("seed", range(2))
def test_windows_within_a_radius_are_counted(seed, radius):
    x = plateaus(seed)
    windows = Windows.of(x, LENGTH).without(np.array([100]))
    distances = reference.distance_matrix(x, LENGTH)
    gone = np.abs(np.arange(len(distances)) - 100) < LENGTH
    distances[gone] = distances[:, gone] = np.inf
    check(windows, distances, radius, LENGTH)


@pytest.mark.parametrize("gap", [1, 9])
@pytest.mark.parametrize("name", kernel.NAMES)
def test_windows_of_difficult_series_are_counted(name, gap):
    windows = Windows.of(kernel.series(name), kernel.LENGTH)
    check(windows, kernel.distances_of(name), 4.0, gap)


def test_the_distance_of_several_channels_is_the_mean():
    x = np.random.default_rng(4).normal(size=(500, 2)).cumsum(axis=0)
    distances = reference.distance_matrix(x, LENGTH)
    check(Windows.of(x, LENGTH), distances, 4.0, LENGTH)


def check(windows, distances, radius, gap):
    starts = np.arange(len(distances))
    far = np.abs(starts[:, None] - starts) >= gap
    near = far & (distances <= radius)
    sizes, spreads = windows.matches_within(radius, gap)
    np.testing.assert_array_equal(sizes, near.sum(axis=1))
    assert sizes.any()
    for i in np.flatnonzero(sizes):
        expected = distances[i, near[i]].std()
        # Roots: an error of 1e-13 in a squared distance of 0 is one of 3e-7.
        assert spreads[i] == pytest.approx(expected, abs=1e-6)


def test_a_huge_radius_does_not_reach_broken_windows():
    windows = Windows.of(kernel.series("broken"), kernel.LENGTH)
    sizes, _ = windows.matches_within(1e200, 1)
    fine = np.isfinite(windows.tracks[0, sliding.BIAS])
    np.testing.assert_array_equal(sizes, np.where(fine, fine.sum() - 1, 0))
