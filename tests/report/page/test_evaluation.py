"""PROM and its explanation in the browser are those of the package."""

import random

import pytest

from tests.report.page.making import comparison_case
from tsmdbench.metrics import explain, prom

EVALUATE = """cases => cases.map(([truth, found, threshold, penalizeOffTarget]) => {
  const { prom, explain, explanationLines } = window.tsmdbench;
  const labels = truth.map((_, i) => `s${i}`);
  const r = prom(truth, found, threshold, { penalizeOffTarget, labels });
  return { tp: r.tp, fp: r.fp, fn: r.fn, micro: r.micro, macro: r.macro,
    matrix: r.matrix,
    rows: r.truth.map(s => s.label), columns: r.found.map(s => s.label),
    text: explanationLines(explain(r)).join("\\n") };
})"""


def labelled(truth):
    return {f"s{place}": segments for place, segments in enumerate(truth)}


def check(case, got):
    """Numbers are always equal; the matrix and text wherever the matching is."""
    truth, found, threshold, penalize = case
    options = {"threshold": threshold, "penalize_off_target": penalize}
    want = prom(labelled(truth), found, **options)
    assert (got["tp"], got["fp"], got["fn"]) == (want.tp, want.fp, want.fn)
    assert got["micro"] == vars(want.micro)
    assert got["macro"] == vars(want.macro)
    if (got["rows"], got["columns"]) != (
        list(want.row_labels),
        list(want.column_labels),
    ):
        return False
    assert got["matrix"] == want.matrix.tolist()
    assert got["text"] == str(explain(labelled(truth), found, **options))
    return True


@pytest.fixture(scope="module")
def evaluate(browser, made):
    """What the page's script answers for cases."""
    tab = browser.new_page()
    tab.goto(made.address())
    yield lambda cases: tab.evaluate(EVALUATE, cases)
    tab.close()


def compare(evaluate, cases):
    """Check all cases; return the share in which the matching is the same too."""
    answers = evaluate(cases)
    same = [check(case, got) for case, got in zip(cases, answers, strict=True)]
    return sum(same) / len(same)


def test_evaluation_equals_ours_on_random_cases_with_ties(evaluate):
    rng = random.Random(0)
    cases = [comparison_case(rng) for _ in range(400)]
    assert compare(evaluate, cases) > 0.9  # the others are tied to the last level


@pytest.mark.slow
def test_evaluation_equals_ours_on_thousands_of_cases(evaluate):
    rng = random.Random(2)
    cases = [comparison_case(rng, 6, 7) for _ in range(4000)]
    assert compare(evaluate, cases) > 0.9


def test_evaluation_equals_ours_with_thirty_sets(evaluate):
    rng = random.Random(1)
    cases = [comparison_case(rng, 30, 30) for _ in range(6)]
    cases = [case for case in cases if len(case[0]) > 5 and len(case[1]) > 5]
    assert cases
    compare(evaluate, cases)


def test_threshold_is_the_decimal_that_was_written(evaluate):
    truth = [[(0, 10)], [(100, 110)]]
    expected = [
        ([[(0, 7)]], 0.7, 0),  # 7/10 is not above 0.7
        ([[(0, 8)]], 0.7, 1),
        ([[(0, 10)]], 0.99, 1),
        ([], 0.5, 0),
        ([[]], 0.5, 0),
    ]
    cases = [(truth, found, threshold, False) for found, threshold, _ in expected]
    assert compare(evaluate, cases) == 1.0
    assert [got["tp"] for got in evaluate(cases)] == [tp for *_, tp in expected]


def test_long_series_are_compared_exactly(evaluate):
    long, far = 2**52 - 1, 2**51
    # The rates differ in the last of 52 bits: the first find is the better one.
    found = [[(1, long), (far - 10, far)], [(2, long)], [(1, long - 1)]]
    assert compare(evaluate, [([[(0, long)]], found, 0.9999999, True)]) == 1.0


def test_numbers_are_written_as_python_writes_them(look, made):
    values = [k / 16 for k in range(17)] + [k / 7 for k in range(8)] + [0.1335, 2 / 3]
    digits = [0, 1, 2, 3]
    script = "([v, d]) => v.map(x => d.map(k => window.tsmdbench.fixed(x, k)))"
    got = look(made.address()).evaluate(script, [values, digits])
    assert got == [[f"{value:.{k}f}" for k in digits] for value in values]
