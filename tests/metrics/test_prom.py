"""PROM against its definition, its invariances, and examples worked by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import prom as reference
from tests.strategies import cases, truths
from tsmdbench import MotifSet
from tsmdbench.metrics import prom, prom_curve

NUMBERS = ("tp", "fp", "fn", "precision", "recall", "f1")
AVERAGES = ("precision", "recall", "f1")
thresholds = st.sampled_from([0.5, 0.6, 0.7, 0.75, 0.9])


def numbers(result):
    """Return every number that PROM reports, by name."""
    return {name: getattr(result, name) for name in NUMBERS} | {
        f"macro_{name}": getattr(result.macro, name) for name in AVERAGES
    }


@settings(max_examples=150, deadline=None)
@given(cases(max_sets=5), thresholds, st.booleans())
def test_prom_equals_brute_force(case, threshold, penalize):
    truth, found = case
    exact = reference.evaluate(truth, found, Fraction(str(threshold)))[penalize]
    result = prom(truth, found, threshold=threshold, penalize_off_target=penalize)
    assert numbers(result) == {name: float(value) for name, value in exact.items()}


@settings(max_examples=70, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_prom_ignores_order_and_labels(case, random):
    truth, found = case
    expected = prom(truth, found)
    shuffled = [random.sample(motifs, len(motifs)) for motifs in found]
    random.shuffle(shuffled)
    rows = [random.sample(motifs, len(motifs)) for motifs in truth]
    random.shuffle(rows)
    result = prom(
        dict(enumerate(rows)), {f"set {k}": s for k, s in enumerate(shuffled)}
    )
    assert numbers(result) == numbers(expected)
    assert np.array_equal(prom(truth, shuffled).matrix, expected.matrix)
    assert sorted(result.matrix.ravel()) == sorted(expected.matrix.ravel())


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(1, 10**12))
def test_prom_ignores_a_common_shift(case, offset):
    truth, found = case
    moved = [
        [[(a + offset, b + offset) for a, b in motifs] for motifs in sets]
        for sets in case
    ]
    assert numbers(prom(*moved)) == numbers(prom(truth, found))


@settings(max_examples=70, deadline=None)
@given(cases(), thresholds, st.booleans())
def test_matching_matrix_adds_up(case, threshold, penalize):
    truth, found = case
    result = prom(truth, found, threshold=threshold, penalize_off_target=penalize)
    matrix = result.matrix
    assert matrix.dtype == np.int64
    assert matrix.shape == (len(truth) + 1, len(found) + 1)
    assert matrix[-1, -1] == 0
    assert (matrix >= 0).all()
    sizes = [len(truth[label]) for label in result.row_labels]
    assert matrix[:-1].sum(axis=1).tolist() == sizes
    sizes = [len(found[label]) for label in result.column_labels]
    assert matrix[:, :-1].sum(axis=0).tolist() == sizes
    assert len(result.pairs) == min(len(truth), len(found))
    assert [row for row, _ in result.pairs] == list(result.row_labels[: result.matched])
    assert all(value >= 0.0 for value in numbers(result).values())
    assert all(getattr(result.macro, name) <= 1.0 for name in AVERAGES)


@settings(max_examples=50, deadline=None)
@given(truths())
def test_equal_sets_score_one(truth):
    result = prom(truth, truth[::-1], penalize_off_target=True)
    assert (result.fp, result.fn) == (0, 0)
    assert result.micro == result.macro
    assert result.f1 == 1.0


@settings(max_examples=70, deadline=None)
@given(cases(), st.lists(st.integers(0, 50), min_size=1, max_size=3))
def test_a_wrong_set_never_helps_when_penalized(case, starts):
    truth, found = case
    beyond = 1000
    wrong = [(beyond + 10 * start, beyond + 10 * start + 5) for start in starts]
    before = prom(truth, found, penalize_off_target=True)
    after = prom(truth, [*found, wrong], penalize_off_target=True)
    assert after.f1 <= before.f1
    assert after.precision <= before.precision
    assert after.recall == before.recall


@settings(max_examples=70, deadline=None)
@given(truths(), truths())
def test_swapping_truth_and_found_swaps_precision_and_recall(one, other):
    there = prom(one, other, penalize_off_target=True)
    back = prom(other, one, penalize_off_target=True)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.f1 == back.f1


def test_a_tied_motif_counts_for_the_set_that_needs_it():
    truth, part, whole = [[(0, 50), (100, 150)]], [(0, 50)], [(100, 150), (0, 50)]
    for found in ([part, whole], [whole, part]):
        assert prom(truth, found).f1 == 1.0


def test_worked_example_with_more_found_than_true_sets():
    truth = {"a": [(0, 10), (20, 30), (40, 50)], "b": [(60, 70), (80, 90)]}
    found = [
        [(60, 70), (100, 110)],
        [(0, 10), (21, 31), (81, 91)],
        [(120, 130), (140, 150)],
    ]
    result = prom(truth, found)
    assert result.pairs == [("a", 1), ("b", 0)]
    assert result.matrix.tolist() == [
        [2, 0, 0, 1],
        [1, 1, 0, 0],
        [0, 1, 2, 0],
    ]
    assert (result.tp, result.fp, result.fn) == (3, 2, 2)
    assert result.f1 == pytest.approx(0.6)
    penalized = prom(truth, found, penalize_off_target=True)
    assert (penalized.tp, penalized.fp, penalized.fn) == (3, 4, 2)
    assert penalized.macro.precision == pytest.approx((2 / 3 + 1 / 2) / 3)


def test_nothing_found_scores_zero_and_never_nan():
    for found in ([], [[]], [[], []]):
        for penalize in (False, True):
            result = prom([[(0, 10)]], found, penalize_off_target=penalize)
            values = [*vars(result.micro).values(), *vars(result.macro).values()]
            assert values == [0.0] * 6
            assert all(type(value) is float for value in values)


@pytest.mark.parametrize(
    ("threshold", "matched"),
    [(0.5, 1), (0.7, 0), (0.69, 1), (Fraction(7, 10), 0), (np.float32(0.7), 0)],
)
def test_a_rate_at_the_threshold_does_not_match(threshold, matched):
    # 7 of 10 samples in common: as a float 0.7 is below 7/10, as written it is not.
    assert prom([[(0, 10)]], [[(0, 7)]], threshold=threshold).tp == matched
    assert prom([[(0, 10)]], [[(0, 20)]]).tp == 0  # exactly half
    assert prom([[(0, 11)]], [[(0, 21)]]).tp == 1


def test_rates_that_differ_beyond_float64_are_distinguished():
    n = 2**40
    short, long = (0, n - 1), (0, n + 1)  # rates (n - 1) / n < n / (n + 1)
    assert (n - 1) / n == n / (n + 1)
    for found in ([[short], [long]], [[long], [short]]):
        assert prom([[(0, n)]], found).found.sets[0] == MotifSet([long])
    threshold = Fraction(n - 1, n)
    assert prom([[(0, n)]], [[long]], threshold=threshold).tp == 1
    assert prom([[(0, n)]], [[short]], threshold=threshold).tp == 0


def test_links_connect_the_motifs_that_the_matrix_counts():
    truth = [[(0, 10), (20, 30)], [(40, 50)]]
    found = [[(40, 50)], [(0, 10), (41, 51)]]
    result = prom(truth, found)
    linked = [
        (tuple(result.truth.segments[i]), tuple(result.found.segments[j]))
        for i, j in result.links
    ]
    assert linked == [((0, 10), (0, 10)), ((40, 50), (40, 50))]


def test_curve_falls_and_its_area_is_one_for_exact_motifs():
    truth = [[(0, 20), (40, 60)], [(80, 100), (120, 140)]]
    shifted = [[(1, 21), (44, 64)], [(80, 100), (126, 146)]]
    curve = prom_curve(truth, shifted, [0.9, 0.5, 0.7])
    assert curve.thresholds.tolist() == [0.5, 0.7, 0.9]
    assert curve.f1.tolist() == [1.0, 0.5, 0.5]
    assert (np.diff(curve.f1) <= 0).all()
    assert prom_curve(truth, truth).area == pytest.approx(1.0)
    assert prom_curve(truth, shifted, [0.6]).area == 0.75
    for threshold, f1 in zip(curve.thresholds, curve.f1, strict=True):
        assert prom(truth, shifted, threshold=threshold).f1 == f1


def test_prom_prints_briefly_and_as_a_table():
    result = prom({"<b>": [(0, 10), (20, 30)]}, [[(0, 10)]])
    assert repr(result) == (
        "Prom(precision=1.0, recall=0.5, f1=0.667, tp=1, fp=0, fn=1)"
    )
    assert "true <b>" in str(result)
    assert "&lt;b&gt;" in result._repr_html_()
    assert "<b>1</b>" in result._repr_html_()
    assert result.to_dict()["matrix"] == [[1, 1], [0, 0]]
