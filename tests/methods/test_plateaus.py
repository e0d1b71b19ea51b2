"""Counts of matches on plateaus against the definition."""

import numpy as np
import pytest

from tests.kernels.distance.test_neighbours import plateaus
from tests.reference import distance as reference
from tsmdbench.methods._windows import Windows

LENGTH = 24


@pytest.mark.parametrize("radius", [1.0, 6.0])
@pytest.mark.parametrize("seed", range(3))
def test_windows_within_a_radius_are_counted(seed, radius):
    x = plateaus(seed)
    windows = Windows.of(x, LENGTH).without(np.array([100]))
    distances = reference.distance_matrix(x, LENGTH)
    gone = np.abs(np.arange(len(distances)) - 100) < LENGTH
    distances[gone] = distances[:, gone] = np.inf
    starts = np.arange(len(distances))
    far = np.abs(starts[:, None] - starts) >= LENGTH
    near = far & (distances <= radius)
    sizes, spreads = windows.matches_within(radius, LENGTH)
    np.testing.assert_array_equal(sizes, near.sum(axis=1))
    assert sizes.any()
    for i in np.flatnonzero(sizes):
        expected = distances[i, near[i]].std()
        # Roots: an error of 1e-13 in a squared distance of 0 is one of 3e-7.
        assert spreads[i] == pytest.approx(expected, abs=1e-6)
