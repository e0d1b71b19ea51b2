"""The matching of sets against trying all, where levels and numbers are large."""

import itertools
import tracemalloc
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsmdbench.metrics import evaluate
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


@settings(max_examples=400, deadline=None)
@given(tables())
def test_leaving_out_what_cannot_matter_changes_no_level(table):
    with patch.object(matching, "MANY", 0):
        rows, columns = matching.match_sets(*table)
    pairs = list(zip(rows, columns, strict=True))
    assert worth(pairs, *table) == best(*table)


def random_sets(rng, sets, motifs):
    starts = rng.integers(0, 90, size=(sets, motifs))
    return [[(int(s), int(s) + int(rng.integers(1, 9))) for s in row] for row in starts]


def test_ranged_is_the_same_when_what_cannot_matter_is_left_out():
    rng = np.random.default_rng(3)
    truth = {name: [(b, b + 8), (b + 50, b + 55)] for name, b in (("a", 0), ("b", 20))}
    for _ in range(200):
        found = random_sets(rng, int(rng.integers(5, 12)), 3)
        whole = evaluate(truth, found)
        with patch.object(matching, "MANY", 0):
            assert evaluate(truth, found) == whole


@pytest.mark.parametrize("copies", [20_000])
def test_very_many_tied_sets_need_no_table_of_their_square(copies):
    """A square of the found sets would be 3 GB."""
    truth = {
        k: [(100 * (3 * k + i), 100 * (3 * k + i) + 50) for i in range(3)]
        for k in range(4)
    }
    found = [[(0, 50), (100, 150)], [(300, 350)]] * (copies // 2)
    tracemalloc.start()
    values = evaluate(truth, found)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000 * copies
    few = evaluate(truth, found[:8], ["prom_f1", "ranged_f1"])
    assert {name: values[name] for name in few} == few


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
