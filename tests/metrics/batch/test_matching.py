"""The matching of sets against trying all, where levels and numbers are large."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsmdbench.metrics._batch import matching


def worth(pairs, common, truth_sizes, found_sizes):
    hits = [
        (int(common[i, j]), int(truth_sizes[i]), int(found_sizes[j])) for i, j in pairs
    ]
    return (
        sum(hit for hit, _, _ in hits),
        -sum(found for _, _, found in hits),
        -sum(true for _, true, _ in hits),
        sum(Fraction(2 * hit, true + found) for hit, true, found in hits),
        sum(Fraction(hit, found) if found else 0 for hit, _, found in hits),
        sum(Fraction(hit, true) for hit, true, _ in hits),
    )


def best(common, truth_sizes, found_sizes):
    g, d = common.shape
    if g <= d:
        ways = (
            zip(range(g), w, strict=True) for w in itertools.permutations(range(d), g)
        )
    else:
        ways = (
            zip(w, range(d), strict=True) for w in itertools.permutations(range(g), d)
        )
    return max(worth(list(w), common, truth_sizes, found_sizes) for w in ways)


@st.composite
def tables(draw, scale=1):
    g, d = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = st.integers(0, 2).map(lambda count: count * scale)
    common = np.array([[draw(cells) for _ in range(d)] for _ in range(g)])
    extra = st.integers(0, 4)
    truth_sizes = common.max(axis=1) + [1 + draw(extra) for _ in range(g)]
    found_sizes = common.max(axis=0) + [draw(extra) for _ in range(d)]
    return common, truth_sizes, found_sizes


@settings(max_examples=400, deadline=None)
@given(tables())
def test_match_sets_is_best_at_every_level(table):
    rows, columns = matching.match_sets(*table)
    pairs = list(zip(rows, columns, strict=True))
    assert worth(pairs, *table) == best(*table)


@settings(max_examples=60, deadline=None)
@given(tables(scale=10**7 + 19))
def test_match_sets_is_exact_beyond_float64(table):
    # Common denominators of such sizes do not fit into 53 bits.
    rows, columns = matching.match_sets(*table)
    pairs = list(zip(rows, columns, strict=True))
    assert worth(pairs, *table) == best(*table)


def test_a_gain_that_rounding_hides_is_found():
    # As floats both assignments are equal; as integers the exchange gains one.
    huge = 10**40
    level = np.array([[huge, huge + 1], [huge, huge]], dtype=object)
    ways, tight = matching._best(level, np.ones((2, 2), dtype=bool))
    assert ways.tolist() == [1, 0]
    assert not tight[0, 1]


def test_many_sets_without_common_motifs_take_the_smallest():
    common = np.zeros((3, 500), dtype=np.int64)
    sizes = np.arange(500, 0, -1)
    rows, columns = matching.match_sets(common, np.array([4, 4, 4]), sizes)
    assert sorted(columns) == [497, 498, 499]
    rows, columns = matching.match_sets(common.T, sizes, np.array([4, 4, 4]))
    assert sorted(rows) == [497, 498, 499]


@pytest.mark.parametrize("shape", [(3, 0), (0, 3)])
def test_nothing_to_match_gives_no_pairs(shape):
    g, d = shape
    rows, columns = matching.match_sets(
        np.zeros(shape, np.int64), np.ones(g, np.int64), np.ones(d, np.int64)
    )
    assert len(rows) == len(columns) == 0


def test_the_worked_example_of_the_module():
    worth = np.array([[210.0, 168.0], [140.0, 120.0]])
    level = matching.over_common_denominator(
        np.full((2, 2), 2), np.array([[4, 5], [6, 7]])
    )
    assert level.tolist() == worth.tolist()
    ways, tight = matching._best(worth, np.ones((2, 2), dtype=bool))
    assert ways.tolist() == [0, 1]
    assert tight.tolist() == [[True, False], [True, True]]
    loss = np.array([[0.0, 42.0], [-20.0, 0.0]])
    potential, cycle = matching._potentials(loss, np.zeros((2, 2), dtype=bool))
    assert potential.tolist() == [-20, 0]
    assert cycle is None
    assert matching._undecided(tight, np.ones(2, dtype=bool)).tolist() == []
