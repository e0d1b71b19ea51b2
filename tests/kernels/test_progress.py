"""Walks tell how far they are, and telling changes no result."""

import numpy as np
import pytest

from tsmdbench._kernels.progress import each, listening, tell, within
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
    assert all(0 <= share <= 1 for share in told)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_threads_and_parts_change_nothing(jobs):
    method = METHODS["stomp"](length=30, n_jobs=jobs)
    with listening(lambda _: None):
        assert method.find(X) == METHODS["stomp"](length=30).find(X)


def test_shares_of_lengths_never_go_back():
    told = []
    with listening(told.append):
        METHODS["valmod"](l_min=28, l_max=33, radius_factor=3.0, max_sets=1).find(X)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 6


def test_parts_are_nested():
    told = []
    with listening(told.append), within(0.5, 1.0):
        for _ in each([1, 2]):
            tell(0.5)
    assert told == [0.625, 0.75, 0.875, 1.0]


def test_leaving_early_restores_the_listener():
    told = []
    with listening(told.append):
        for _ in each([1, 2, 3]):
            break
        tell(0.1)
    assert told[-1] == 0.1
