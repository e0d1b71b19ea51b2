"""Every other metric against trying all matchings, on small random cases."""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.reference import metrics as reference
from tests.reference.prom import overlap_rate
from tests.strategies import cases, founds, truths
from tsmdbench.metrics import correctness, pair_overlap, ranged, score, single_set

small = cases(max_sets=3, max_motifs=6)
thresholds = st.sampled_from([0.5, 0.6, 0.75])


@settings(max_examples=80, deadline=None)
@given(cases(), thresholds)
def test_correctness_equals_brute_force(case, threshold):
    truth, found = case
    matched, by_truth = reference.correctness(truth, found, Fraction(str(threshold)))
    assert correctness(truth, found, threshold=threshold) == pytest.approx(
        float(matched)
    )
    assert correctness(
        truth, found, threshold=threshold, normalize="truth"
    ) == pytest.approx(float(by_truth))


@settings(max_examples=60, deadline=None)
@given(small, st.booleans())
def test_score_equals_brute_force_to_the_last_unit(case, penalize):
    truth, found = case
    assert score(truth, found, penalize_off_target=penalize) == reference.score(
        truth, found, penalize
    )


@settings(max_examples=60, deadline=None)
@given(small, st.sampled_from([0, 0.25, 0.5, 0.9]))
# Equal common samples, F1 and precision: recall decides.
@example(([[(3, 4), (5, 6)], [(0, 3)]], [[(2, 5)]]), 0.5)
def test_ranged_equals_brute_force(case, share):
    truth, found = case
    macro, weighted = reference.ranged(truth, found, Fraction(str(share)))
    for average, expected in (("macro", macro), ("weighted", weighted)):
        values = ranged(truth, found, share=share, average=average)
        assert [values.precision, values.recall, values.f1] == pytest.approx(
            [float(value) for value in expected]
        )


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_single_set_equals_brute_force(data):
    truth = data.draw(truths(max_sets=1))
    found = data.draw(founds(truth, max_sets=1))
    for similar in ("half", "sample"):
        precision, recall = reference.single_set(
            truth[0], found[0] if found else [], sample=similar == "sample"
        )
        values = single_set(truth, found, similar=similar)
        assert (values.precision, values.recall) == (float(precision), float(recall))


def truth_rate(b, a):
    return Fraction(reference.common_samples(a, b), b[1] - b[0])


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_pair_overlap_equals_brute_force(data):
    flat = [s for motifs in data.draw(truths(max_motifs=6)) for s in motifs]
    truth = [flat[k : k + 2] for k in range(0, len(flat) - 1, 2)]
    assume(truth)
    drawn = [s for motifs in data.draw(founds(truth)) for s in motifs]
    found = [drawn[k : k + 2] for k in range(0, len(drawn) - 1, 2)]
    for relative_to, rate in (
        ("union", lambda b, a: overlap_rate(a, b)),
        ("truth", truth_rate),
    ):
        theirs = reference.pair_overlap(truth, found, rate)
        ours = pair_overlap(truth, found, relative_to=relative_to)
        assert ours == pair_overlap(truth[::-1], found[::-1], relative_to=relative_to)
        assume(theirs is not None)
        assert ours == float(theirs)


def test_score_compares_starts_only():
    truth = [[(0, 10), (50, 60)]]
    assert score(truth, [[(0, 100), (50, 51)]]) == 0.0
    assert score(truth, []) == 20.0
    assert score(truth, [[(3, 13)], [(200, 230)]]) == 13.0
    assert score(truth, [[(3, 13)], [(200, 230)]], penalize_off_target=True) == 43.0


def test_score_minimises_the_total_over_the_sets_left_over():
    # Matching the found set with the short true set first would cost more in all.
    truth = [[(0, 10)], [(100, 200)]]
    assert score(truth, [[(100, 200), (2, 12)]]) == 20.0


def test_score_of_one_long_chain_of_overlaps():
    # Each found motif overlaps two true ones: one component, too large for a table.
    count = 1500
    truth = [[(10 * k, 10 * k + 9) for k in range(count)]]
    found = [[(10 * k + 4, 10 * k + 14) for k in range(count)]]
    assert score(truth, found) == 4.0 * count
    # Without the first true motif, every found one but one has a start 6 earlier.
    assert score([truth[0][1:]], found) == 4.0 * (count - 1) + 10
