"""The Bayesian signed-rank test against loops, closed forms and baycomp's answers."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import scores_of
from tests.reference import statistics
from tsmdbench.analysis.comparison import bayesian_signed_rank


def probabilities(differences, **options):
    """What is said of a pair with these differences."""
    differences = np.asarray(differences, dtype=float)
    scores = scores_of({"a": 0.5 + differences, "b": np.full(len(differences), 0.5)})
    (_, row), *rest = bayesian_signed_rank(scores, **options).iterrows()
    assert rest == []
    assert (row["first"], row["second"]) == ("a", "b")
    return row[["p_first", "p_equal", "p_second"]].to_numpy(dtype=float)


@pytest.mark.parametrize(
    "thousandths",
    [
        [50, -22, 30],
        [4, 23, -30, 13],
        [50, -20, 30],  # -20 and the prior 0 lie at the border
        [-100, -10, 5, 11, 20],
    ],
)
def test_probabilities_are_those_of_loops_over_all_pairs(thousandths):
    expected = statistics.bayesian_signed_rank(thousandths, 10, 3000, 0)
    found = probabilities(np.array(thousandths) / 1000)
    np.testing.assert_allclose(found, expected, atol=0.035)


def test_one_difference_has_a_closed_form():
    """With w ~ Beta(1/2, 1) the weight of 0, equal wins where w^2 > 1/2."""
    clear = probabilities([0.3], draws=200_000)
    np.testing.assert_allclose(clear, [0.5**0.25, 1 - 0.5**0.25, 0.0], atol=0.004)
    # Between rope and twice rope the sum with the prior stays inside: (1 - w)^2 > 1/2.
    near = np.sqrt(1 - np.sqrt(0.5))
    found = probabilities([0.015], draws=200_000)
    np.testing.assert_allclose(found, [near, 1 - near, 0.0], atol=0.004)


# Made with baycomp 1.0.3 (MIT), 200,000 samples, by
# baycomp.SignedRankTest.probs(a, b, rope=rope, nsamples=200000, random_state=0); with
# rope = 0 it returns two numbers. No sum lies at the border of the rope, where
# rounding decides in baycomp.
BAYCOMP = (
    (
        [0.05, -0.022, 0.03, 0.12, 0.004, -0.011, 0.2],
        0.01,
        (0.92155, 0.05239, 0.02606),
    ),
    (
        [0.004, 0.023, -0.03, 0.013, -0.021, 0.0, 0.0, 0.035],
        0.01,
        (0.267165, 0.62222, 0.110615),
    ),
    ([0.11, -0.2, 0.06, 0.29, -0.02], 0.05, (0.544305, 0.30916, 0.146535)),
    ([0.1, -0.2, 0.05, 0.3, -0.02], 0, (0.76344, 0, 0.23656)),
    ([0.01, 0.02, -0.01, 0.03, 0.0, 0.0], 0, (0.921295, 0, 0.078705)),
)


@pytest.mark.parametrize(("differences", "rope", "expected"), BAYCOMP)
def test_probabilities_are_those_of_baycomp(differences, rope, expected):
    found = probabilities(differences, rope=rope)
    np.testing.assert_allclose(found, expected, atol=0.01)


def test_small_differences_are_equal_swaps_swap_and_a_cost_is_turned():
    np.testing.assert_array_equal(probabilities([0.001, -0.002, 0.0]), [0.0, 1.0, 0.0])
    forth = probabilities([0.02, -0.05, 0.3])
    back = probabilities([-0.02, 0.05, -0.3])
    np.testing.assert_array_equal(forth, back[::-1])
    assert forth.sum() == pytest.approx(1.0)
    # Without a region equal methods share.
    np.testing.assert_array_equal(probabilities([0.0, 0.0], rope=0), [0.5, 0.0, 0.5])
    clear = probabilities([0.1, 0.2, 0.3], rope=0)
    np.testing.assert_array_equal(clear, [1.0, 0.0, 0.0])
    means = {"a": [1.0, 2.0, 3.0, 2.0], "b": [9.0, 9.0, 9.0, 9.0]}
    row = bayesian_signed_rank(scores_of(means, metric="score"), "score").iloc[0]
    assert row["p_first"] > 0.95


def test_pairs_do_not_depend_on_others():
    rng = np.random.default_rng(0)
    means = {name: rng.random(6) for name in "abc"}
    scores = scores_of(means)
    found = bayesian_signed_rank(scores)
    pairs = [["a", "b"], ["a", "c"], ["b", "c"]]
    assert found[["first", "second"]].to_numpy().tolist() == pairs
    alone = bayesian_signed_rank(scores.only(labels=["b", "c"]))
    pd.testing.assert_frame_equal(found.iloc[2:].reset_index(drop=True), alone)
    assert not found.equals(bayesian_signed_rank(scores, seed=1))


def test_one_method_and_no_common_dataset():
    assert len(bayesian_signed_rank(scores_of({"a": [0.1, 0.2]}))) == 0
    apart = bayesian_signed_rank(scores_of({"a": [0.1, np.nan], "b": [np.nan, 0.1]}))
    assert apart[["p_first", "p_equal", "p_second"]].isna().all(axis=None)
