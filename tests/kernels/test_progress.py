"""Walks report the fraction done, and reporting changes no result."""

import numpy as np
import pytest

from tsmdbench._kernels.progress import each, listening, report_progress, within
from tsmdbench.methods import METHODS

X = np.cumsum(np.random.default_rng(0).normal(size=300))
CASES = {
    "stomp": {"length": 30},
    "setfinder": {"length": 30, "radius": 3.0},
    "valmod": {"l_min": 28, "l_max": 31, "radius_factor": 3.0},
    "panmp": {"l_min": 28, "l_max": 31},
    "pepa": {"length": 30},
    "motiflets": {"l_min": 28, "l_max": 31, "k_max": 5},
    "vonsem": {"l_min": 30, "radius": 5.0},
    "latentmotifs": {"length": 30, "radius": 3.0},
    "mdl_clust": {"l_min": 20, "l_max": 22, "max_operations": 5},
    "mmotifs": {"length": 30, "radius": 3.0},
}


@pytest.mark.parametrize("name", CASES)
def test_methods_tell_and_find_the_same(name):
    method = METHODS[name](**CASES[name], max_sets=3)
    told = []
    # Without compilation, NumPy warns of roots of values that are rounded below 0.
    with np.errstate(invalid="ignore"):
        quiet = method.find(X)
        with listening(told.append):
            heard = method.find(X)
    assert heard == quiet
    assert told
    assert 0 <= min(told) <= max(told) <= 1


def test_parts_are_nested_and_end_when_a_loop_is_left():
    told = []
    with listening(told.append):
        with within(0.5, 1.0):
            for _ in each([1, 2]):
                report_progress(0.5)
        assert told == [0.625, 0.75, 0.875, 1.0]
        for _ in each([1, 2, 3]):
            break
        report_progress(0.1)
    assert told[-1] == 0.1
