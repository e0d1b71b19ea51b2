"""Motifs in a random walk: levels, places, bad input."""

from itertools import pairwise

import numpy as np
import pytest

from tsmdbench.errors import InputError
from tsmdbench.paper import random_walk_problem


def test_random_walk_goes_on_from_level_to_level():
    shapes = [np.linspace(0, 1, 30) + k for k in range(3)]
    problem = random_walk_problem(shapes, 300, seed=0, labels="aab", normalize=None)
    assert problem.series.shape == (300,)
    assert sorted(problem.truth) == ["a", "b"]
    assert len(problem.truth["a"]) == 2
    segments = sorted(pair for motifs in problem.truth.values() for pair in motifs)
    for start, end in segments:
        part = problem.series[start:end]
        assert np.allclose(part - part[0], np.linspace(0, 1, 30))
        if start:
            assert part[0] == problem.series[start - 1]
    assert all(b[0] - a[1] >= 1 for a, b in pairwise(segments))
    outside = np.ones(299, dtype=bool)
    for start, end in segments:
        outside[max(start - 1, 0) : end - 1] = False
    assert np.diff(problem.series)[outside].std() == pytest.approx(1, rel=0.25)
    again = random_walk_problem(shapes, 300, seed=0, labels="aab", normalize=None)
    assert np.array_equal(problem.series, again.series)


def test_random_walk_uses_all_places():
    starts = {
        tuple(random_walk_problem([np.arange(4.0)] * 2, 10, seed=k).truth["motif"])
        for k in range(200)
    }
    # Eight samples of motif and one of gap in ten: 0 or 1 sample in three places.
    assert starts == {((0, 4), (5, 9)), ((0, 4), (6, 10)), ((1, 5), (6, 10))}


def test_random_walk_refuses_what_does_not_fit():
    with pytest.raises(InputError, match="n must be at least 9"):
        random_walk_problem([np.arange(4.0)] * 2, 8, seed=0)
    with pytest.raises(InputError, match="step must be positive"):
        random_walk_problem([np.arange(4.0)], 10, seed=0, step=0.0)
    multi = random_walk_problem([np.ones((4, 3))] * 2, 30, seed=0)
    assert multi.series.shape == (30, 3)
