"""The set of positions that finds its lowest, against a set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsmdbench._kernels.grammar import bitset

SIZES = [1, 2, 31, 32, 33, 1023, 1024, 1025, 32**3, 32**3 + 1]


def popped(tree):
    place = int(bitset.pop_inplace(tree))
    return None if place == bitset.EMPTY else place


@given(
    size=st.sampled_from(SIZES),
    steps=st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=60),
)
@settings(max_examples=200, deadline=None)
def test_it_equals_a_set(size, steps):
    tree, expected = bitset.no_positions(size), set()
    for step in steps:
        if step is None:
            assert popped(tree) == min(expected, default=None)
            expected -= {min(expected, default=None)}
        else:
            place = min(int(step * size), size - 1)
            bitset.add_inplace(tree, place)
            expected.add(place)
    assert [popped(tree) for _ in range(len(expected) + 1)] == [*sorted(expected), None]


@pytest.mark.parametrize("size", SIZES)
def test_it_has_room_for_all_positions(size):
    tree = bitset.no_positions(size)
    levels = tree[bitset.LEVELS :][: int(tree[bitset.DEPTH])]
    assert int(tree[bitset.DEPTH]) < bitset.WORDS
    assert levels[0] == bitset.WORDS
    assert levels[-1] < len(tree)  # the highest level is one word
    for place in np.random.default_rng(0).permutation(size)[:2000]:
        bitset.add_inplace(tree, place)
    bitset.add_inplace(tree, size - 1)
    bitset.add_inplace(tree, 0)
    assert popped(tree) == 0
