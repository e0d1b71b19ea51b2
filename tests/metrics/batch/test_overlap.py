"""Pairs of overlapping segments against a double loop."""

from fractions import Fraction

from hypothesis import given, settings

from tests.reference.prom import overlap_rate as reference_rate
from tests.strategies import cases
from tsmdbench.metrics._batch import overlap
from tsmdbench.segments import overlap_rate
from tsmdbench.validation import check_motif_sets


def listed(pairs):
    return sorted(zip(*(column.tolist() for column in pairs), strict=True))


@settings(max_examples=200, deadline=None)
@given(cases())
def test_pairs_equal_a_double_loop(case):
    truth, found = (check_motif_sets(sets, "x").segments for sets in case)
    expected = []
    for i, (start, end) in enumerate(truth.tolist()):
        for j, (other_start, other_end) in enumerate(found.tolist()):
            common = min(end, other_end) - max(start, other_start)
            if common > 0:
                joint = max(end, other_end) - min(start, other_start)
                expected.append((i, j, common, joint))
    assert listed(overlap.overlapping_pairs(truth, found)) == sorted(expected)
    near = overlap.pairs_around_midpoints(truth, found)
    half = [pair for pair in expected if 2 * pair[2] > pair[3]]
    assert listed(near.where(overlap.above(near, Fraction(1, 2)))) == sorted(half)


def test_overlap_rate_is_that_of_the_definition():
    for a, b in [((0, 10), (5, 15)), ((0, 4), (4, 8)), ((0, 9), (2, 3))]:
        assert overlap_rate(a, b) == float(reference_rate(a, b))
