"""Choosing sets of segments, against boolean masks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import symbolic as reference
from tsmdbench.kernels import cover, words

N = 60
segment = st.tuples(st.integers(0, N - 1), st.integers(1, 20)).map(
    lambda pair: (pair[0], min(pair[0] + pair[1], N))
)
groups = st.lists(st.lists(segment, max_size=6).map(sorted), max_size=8)


def flat(sets):
    starts = np.array([start for each in sets for start, _ in each], np.int64)
    ends = np.array([end for each in sets for _, end in each], np.int64)
    bounds = np.cumsum([0] + [len(each) for each in sets])
    return starts, ends, bounds


@given(sets=groups)
@settings(max_examples=100, deadline=None)
def test_disjoint_equals_the_definition(sets):
    starts, ends, bounds = flat(sets)
    keep = cover.disjoint(starts, ends, bounds)
    for k, each in enumerate(sets):
        span = slice(bounds[k], bounds[k + 1])
        kept = [pair for pair, kept in zip(each, keep[span], strict=True) if kept]
        assert kept == reference.disjoint(each)


@given(
    sets=groups, share=st.sampled_from([0.0, 0.3, 0.5, 1.0]), limit=st.integers(1, 9)
)
@settings(max_examples=200, deadline=None)
def test_accept_equals_the_definition(sets, share, limit):
    sets = [each for each in map(reference.disjoint, sets) if each]
    starts, ends, bounds = flat(sets)
    order = np.arange(len(sets))[::-1].copy()
    chosen = cover.accept(order, starts, ends, bounds, N, share, limit)
    expected = reference.accept(sets[::-1], N, share, limit)
    assert chosen.tolist() == [len(sets) - 1 - k for k in expected]


def test_locations_keep_the_order_of_windows():
    grouped, bounds = words.locations(np.array([1, 0, 1, 2]), np.arange(4) * 10, 3)
    assert grouped.tolist() == [10, 0, 20, 30]
    assert bounds.tolist() == [0, 1, 3, 4]


def test_first_of_runs_drops_neighbours_within_a_word_only():
    keep = words.first_of_runs(np.array([3, 4, 6, 7, 8, 9]), np.array([0, 3, 6]))
    assert keep.tolist() == [True, False, True, True, False, False]
