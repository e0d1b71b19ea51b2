"""Tests between methods, against scipy, the definitions, and aeon's diagram."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import PermutationMethod, friedmanchisquare, wilcoxon

from tests.analysis.made import scores_of
from tests.reference.statistics import holm, signed_rank_p
from tsmdbench.analysis import significance
from tsmdbench.analysis.ranking import signed_rank
from tsmdbench.analysis.scores import Scores


def named(values):
    return {f"m{n:02d}": values[:, n] for n in range(values.shape[1])}


def ladder(rng, datasets, methods, step=0.03, spread=0.03):
    """Methods of which each is better than the one before, more or less."""
    return rng.normal(size=(datasets, methods)) * spread + step * np.arange(methods)


def upper(frame):
    values = frame.to_numpy()
    return values[np.triu_indices(len(values), 1)]


@pytest.mark.parametrize("datasets", [3, 8, 14, 60])
def test_p_values_are_those_of_scipy(datasets):
    values = ladder(np.random.default_rng(datasets), datasets, 5)
    found = significance(scores_of(named(values)))
    columns = found.p_values.columns
    for first in columns:
        for second in columns:
            x, y = values[:, int(first[1:])], values[:, int(second[1:])]
            expected = 1.0 if first == second else wilcoxon(x, y).pvalue
            assert found.p_values.loc[first, second] == pytest.approx(expected)
    expected = friedmanchisquare(*values.T).pvalue
    assert found.friedman_p == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(2))
def test_p_values_are_exact_with_ties_and_zeros(seed):
    values = np.random.default_rng(seed).integers(0, 4, size=(9, 4)) / 10
    found = significance(scores_of(named(values))).p_values
    for first in found.columns:
        for second in found.columns:
            x, y = (np.rint(10 * values[:, int(n[1:])]) for n in (first, second))
            assert found.loc[first, second] == pytest.approx(signed_rank_p(x, y))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_signed_rank_is_that_of_all_signs(differences):
    found = signed_rank(np.array(differences, dtype=float))
    expected = signed_rank_p(differences, [0] * len(differences))
    assert found == pytest.approx(expected)
    assert signed_rank(-np.array(differences, dtype=float)) == found


@pytest.mark.parametrize("datasets", [1, 2, 7, 25, 50, 51])
def test_signed_rank_is_that_of_aeon(datasets):
    stats = pytest.importorskip("aeon.benchmarking.stats")
    values = np.random.default_rng(datasets).normal(size=(datasets, 3))
    sides = [
        stats.wilcoxon_test(values, ["a", "b", "c"], lower_better=lower)
        for lower in (False, True)
    ]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = min(1.0, 2 * min(side[i, j] for side in sides))
        found = signed_rank(values[:, i] - values[:, j])
        assert found == pytest.approx(expected, rel=1e-9)


def test_signed_rank_is_that_of_scipy_with_ties_and_zeros():
    differences = np.array([1.0, -1.0, 2.0, 2.0, 0.0, 3.0, -2.0, 4.0])
    # SciPy 1.14 approximates in this case by default.
    exact = PermutationMethod(n_resamples=np.inf)
    expected = wilcoxon(differences, method=exact).pvalue
    assert signed_rank(differences) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("metric", ["prom_f1", "score"])
def test_rejected_are_those_of_holm_from_the_definition(seed, metric):
    values = ladder(np.random.default_rng(seed), 12, 6)
    found = significance(scores_of(named(values), metric=metric), metric)
    pairs = [
        wilcoxon(values[:, int(a[1:])], values[:, int(b[1:])]).pvalue
        for i, a in enumerate(found.labels)
        for b in found.labels[i + 1 :]
    ]
    expected = holm(pairs, 0.05)
    assert upper(found.rejected).tolist() == expected
    assert 0 < sum(expected) < len(expected)
    assert (found.rejected == found.rejected.T).all(axis=None)
    assert ((found.adjusted <= 0.05) == found.rejected).all(axis=None)


def test_adjusted_p_values_are_those_of_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    values = ladder(np.random.default_rng(1), 10, 6)
    found = significance(scores_of(named(values)))
    _, expected, *_ = multitest.multipletests(upper(found.p_values), method="holm")
    np.testing.assert_allclose(upper(found.adjusted), expected)


def shares(groups, labels):
    """Whether two methods are in one group, for all pairs."""
    together = [[any({a, b} <= set(g) for g in groups) for b in labels] for a in labels]
    return np.array(together) | np.eye(len(labels), dtype=bool)


def test_a_pair_shares_a_bar_and_a_letter_if_and_only_if_it_does_not_differ():
    apart, signs = 0, set()
    sizes = [(12, 9, 0.03, 0.06)] * 12 + [(40, 34, 0.2, 0.2)]
    for seed, (datasets, methods, step, spread) in enumerate(sizes):
        values = ladder(np.random.default_rng(seed), datasets, methods, step, spread)
        found = significance(scores_of(named(values)))
        alike = ~found.rejected.to_numpy()
        labels = found.labels
        np.testing.assert_array_equal(shares(found.cliques, labels), alike)
        letters = [set(re.findall("[a-z][0-9]*", found.letters[x])) for x in labels]
        assert all(letters)
        same = [[bool(a & b) for b in letters] for a in letters]
        np.testing.assert_array_equal(same, alike)
        for clique in found.cliques:  # none can take a further method
            places = [labels.index(label) for label in clique]
            assert not (alike[places].all(axis=0).sum() > len(clique))
            assert places == sorted(places)
            apart += labels[places[0] : places[0] + len(clique)] != clique
        signs |= set().union(*letters)
    assert apart > 0  # bars also join methods that are no neighbours
    assert len(signs) > 26  # a letter never stands for two groups


def test_best_method_comes_first_also_for_a_cost():
    values = ladder(np.random.default_rng(0), 12, 4, step=1.0)
    best = significance(scores_of(named(values)))
    assert best.labels == ("m03", "m02", "m01", "m00")
    assert best.average_ranks.tolist() == [1, 2, 3, 4]
    cost = significance(scores_of(named(values), metric="score"), "score")
    assert cost.labels == ("m00", "m01", "m02", "m03")
    pd.testing.assert_frame_equal(
        best.p_values.sort_index().sort_index(axis=1), cost.p_values
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", ["prom_f1", "score"])
def test_aeon_procedure_is_that_of_aeons_diagram(seed, metric):
    aeon = pytest.importorskip("aeon.visualisation.results._critical_difference")
    values = ladder(np.random.default_rng(seed), 12, 7)
    found = significance(scores_of(named(values), metric=metric), metric, 0.05, "aeon")
    lower = metric == "score"
    ranks = aeon._compute_ranks(values, lower)
    labels, average, ordered = aeon._sort_by_average_rank(
        values, list(named(values)), ranks
    )
    rows, p_values = aeon._find_cliques(
        ranks, ordered, labels, average, 12, 7, "wilcoxon", "holm", 0.05, lower
    )
    if len(set(average)) < len(average):
        pytest.skip("equal average ranks: aeon's order is not defined")
    assert found.labels == tuple(labels)
    np.testing.assert_allclose(upper(found.p_values), p_values[np.triu_indices(7, 1)])
    expected = [tuple(labels[np.asarray(row, dtype=bool)]) for row in rows]
    assert found.cliques == expected


def test_copy_of_a_method_has_p_one_and_ties():
    values = ladder(np.random.default_rng(3), 8, 3, spread=0.001)
    found = significance(scores_of({**named(values), "copy": values[:, 1]}))
    assert found.p_values.loc["copy", "m01"] == 1.0
    assert not found.rejected.loc["copy", "m01"]
    assert found.average_ranks["copy"] == found.average_ranks["m01"] == 2.5
    assert ("copy", "m01") in found.cliques


def test_identical_columns_are_one_clique_without_a_warning():
    column = np.arange(6) / 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = significance(scores_of({"a": column, "b": column, "c": column}))
    assert (found.p_values == 1.0).all(axis=None)
    assert found.cliques == [("a", "b", "c")]
    assert np.isnan(found.friedman_p)
    assert "All methods are equal on all datasets." in found.note


def test_two_methods_are_tested_without_friedman():
    values = ladder(np.random.default_rng(0), 8, 2, step=1.0)
    found = significance(scores_of(named(values)))
    assert found.p_values.loc["m00", "m01"] == pytest.approx(2 / 2**8)
    assert found.rejected.loc["m00", "m01"]
    assert found.cliques == []
    assert np.isnan(found.friedman_p)
    assert "Friedman's test needs three methods" in found.note


def test_too_little_data_has_a_note_and_no_test():
    found = significance(scores_of({"a": [0.1], "b": [0.5], "c": [0.9]}))
    assert found.labels == ("c", "b", "a")
    assert not found.rejected.any(axis=None)
    assert found.cliques == [("c", "b", "a")]
    assert "With 1 dataset and 3 methods no difference can be significant" in found.note
    alone = significance(scores_of({"a": [0.1, 0.2]}))
    assert alone.cliques == []
    assert alone.note == "There is one method only, so there is no test."
    apart = significance(scores_of({"a": [0.1, np.nan], "b": [np.nan, 0.1]}))
    assert apart.note == (
        "d00 was left out: no result of b. d01 was left out: no result of a. "
        "No dataset is left, so there is no test."
    )
    assert np.isnan(apart.p_values.loc["a", "b"])
    assert not apart.rejected.any(axis=None)
    assert apart.cliques == []
    assert apart.average_ranks.isna().all()


def test_note_on_power_is_right_at_its_edge():
    """Eleven methods need 2^(1-n) <= 0.05 / 55, that is twelve datasets."""
    values = np.tile(np.arange(11.0), (12, 1)) + np.arange(12.0)[:, None] / 97
    enough = significance(scores_of(named(values)))
    assert enough.rejected.to_numpy()[np.triu_indices(11, 1)].all()
    assert enough.note == ""
    short = significance(scores_of(named(values[:11])))
    assert not short.rejected.any(axis=None)
    assert "no difference can be significant" in short.note


def test_missing_datasets_are_left_out_of_the_tests():
    values = ladder(np.random.default_rng(5), 12, 4)
    whole = significance(scores_of(named(values[:9])))
    values[9:, 2] = np.nan
    holed = significance(scores_of(named(values)))
    pd.testing.assert_frame_equal(whole.p_values, holed.p_values)
    assert list(holed.left_out) == ["d09", "d10", "d11"]
    assert "d09 was left out: no result of m02." in holed.note


def test_different_problems_are_noted():
    table = scores_of({"a": [0.1] * 8, "b": [0.2] * 8}, problems=2).table
    lacking = (table["label"] == "a") & (table["problem"] == "001")
    found = significance(Scores(table[~(lacking & (table["dataset"] == "d03"))]))
    assert "Methods ran on different problems of d03." in found.note


def test_friedman_gates_the_pairs():
    """One pair alone would pass; over all methods there is no evidence."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(14, 12))
    found = significance(scores_of(named(values)), alpha=0.5)
    gated = significance(scores_of(named(values)), alpha=0.05)
    assert found.friedman_p >= 0.05
    assert not gated.rejected.any(axis=None)
    assert gated.cliques == [gated.labels]
    assert "Friedman's test finds no difference" in gated.note


@pytest.mark.slow
def test_holm_keeps_its_level_where_aeon_does_not():
    """One method is far better and ten are alike: no pair of the ten differs."""
    rng = np.random.default_rng(0)
    wrong = {"holm": 0, "aeon": 0}
    for _ in range(60):
        values = rng.normal(size=(14, 11))
        values[:, 0] += 1000
        scores = scores_of(named(values))
        for procedure in wrong:
            found = significance(scores, procedure=procedure).rejected
            assert found.loc["m00"].sum() == 10
            alike = found.drop(index="m00", columns="m00")
            wrong[procedure] += alike.any(axis=None)
    assert wrong["holm"] <= 6  # 3 are expected at most
    assert wrong["aeon"] > 6
