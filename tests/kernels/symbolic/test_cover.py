"""Choosing sets of segments, against boolean masks."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import symbolic as reference
from tsmdbench._kernels.symbolic import cover, word_groups

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
    kept = list(map(reference.disjoint, sets))
    owner, *groups = cover.disjoint(*flat(sets))
    assert owner.tolist() == [k for k, each in enumerate(kept) if len(each) > 1]
    expected = flat([each for each in kept if len(each) > 1])
    for group, array in zip(groups, expected, strict=True):
        assert group.tolist() == array.tolist()


@given(
    sets=groups,
    share=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    limit=st.integers(1, 9),
    disjoint=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_accept_equals_the_definition(sets, share, limit, disjoint):
    sets = [each for each in map(reference.disjoint, sets) if each]
    starts, ends, bounds = flat(sets)
    order = np.arange(len(sets))[::-1].copy()
    tree, jump = np.zeros(N + 1, np.int32), np.arange(N + 1, dtype=np.int32)
    chosen, kept = cover.accept_inplace(
        order, starts, ends, bounds, tree, jump, share, limit, disjoint
    )
    taken, expected = set(), []
    for each in sets[::-1]:
        samples = [range(*segment) for segment in each]
        shared = [len(taken.intersection(one)) for one in samples]
        free = [s for s, n in zip(each, shared, strict=True) if not (disjoint and n)]
        few = sum(shared) <= share * sum(map(len, samples))
        if few and (len(free) > 1 or not disjoint) and len(expected) < limit:
            expected.append([tuple(segment) for segment in free])
            taken.update(*(range(*segment) for segment in free))
    found = [
        [
            (int(starts[k]), int(ends[k]))
            for k in range(bounds[group], bounds[group + 1])
            if kept[k]
        ]
        for group in chosen
    ]
    assert found == expected


def test_locations_keep_the_order_of_windows():
    grouped, bounds = word_groups.locations(
        np.array([1, 0, 1, 2]), np.arange(4) * 10, 3
    )
    assert grouped.tolist() == [10, 0, 20, 30]
    assert bounds.tolist() == [0, 1, 3, 4]


def test_occurrences_are_first_of_runs_disjoint_and_two_at_least():
    starts = np.array([3, 4, 9, 10, 13, 20, 21, 22, 40, 41, 60])
    rows = np.array([0, 1, 2, 4, 3, 5, 6, 7, 8, 9, 10], np.int32)
    kept, bounds = word_groups.occurrences(starts, rows, np.array([0, 4, 8, 11]), 10)
    # 3 and 13 of the first word: 4 follows 3, 9 overlaps it; 10 and 20 of the second.
    assert kept.tolist() == [3, 13, 10, 20, 40, 60]
    assert bounds.tolist() == [0, 2, 4, 6]
    kept, bounds = word_groups.occurrences(starts, rows, np.array([0, 4, 8, 11]), 11)
    assert kept.tolist() == [40, 60]
    assert bounds.tolist() == [0, 2]


@given(data=st.data(), limbs=st.integers(1, 3), length=st.integers(1, 9))
@settings(max_examples=150, deadline=None)
def test_split_equals_the_definition(data, limbs, length):
    letters = st.integers(0, 3) | st.sampled_from([1 << 40, 5 << 40])
    word = st.lists(letters, min_size=limbs, max_size=limbs)
    packed = np.array(data.draw(st.lists(word, min_size=1, max_size=40)), np.int64)
    mask = data.draw(st.sampled_from([~0, 1, (4 << 40) | 2]))
    m = len(packed)
    owner = data.draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))
    starts = 3 * np.arange(m)
    groups = [[row for row in range(m) if owner[row] == k] for k in set(owner)]
    rows = np.concatenate(groups).astype(np.int32)
    bounds = np.cumsum([0] + [len(group) for group in groups])
    found, limits = word_groups.split(packed, mask, rows, bounds, starts, length)
    expected = []
    for group in groups:
        parts = {}
        for row in group:
            parts.setdefault(tuple(packed[row] & mask), []).append(row)
        expected += [
            part for part in parts.values() if 3 * (part[-1] - part[0]) >= length
        ]
    assert [found[a:b].tolist() for a, b in pairwise(limits)] == expected
