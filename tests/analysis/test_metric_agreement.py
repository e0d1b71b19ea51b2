"""Kendall's tau between metrics, against its definition and scipy."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from tests.reference.statistics import mean_rank, tau_b
from tsmdbench.analysis.metric_agreement import COMPARED, agreement, disagreements
from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import InputError


def made(values, dataset="A"):
    """One row per result; `values` has a column for each of the six metrics."""
    values = np.asarray(values, dtype=float)
    table = pd.DataFrame(values, columns=list(COMPARED.values()))
    problems = [f"{number:03d}" for number in range(len(values))]
    return table.assign(label="m", dataset=dataset, problem=problems)


def tied(rng, rows):
    """Few different values, so that ties are frequent."""
    return rng.integers(0, 4, size=(rows, 6)) / 4


def signed(values, name):
    return -values if name == "S" else values


@pytest.mark.parametrize("seed", range(5))
def test_taus_are_those_of_the_definition_and_of_scipy(seed):
    values = tied(np.random.default_rng(seed), 30)
    found = agreement(Scores(made(values))).overall
    for i, first in enumerate(COMPARED):
        for j, second in enumerate(COMPARED):
            a, b = signed(values[:, i], first), signed(values[:, j], second)
            assert found.loc[first, second] == pytest.approx(tau_b(a, b), abs=1e-12)
            assert found.loc[first, second] == pytest.approx(
                kendalltau(a, b).statistic, abs=1e-12
            )


small = st.lists(st.integers(0, 3), min_size=2, max_size=12)


@settings(max_examples=40, deadline=None)
@given(small, st.data())
def test_tau_equals_the_double_loop_for_any_ties(first, data):
    size = len(first)
    second = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    values = np.zeros((size, 6))
    values[:, 0], values[:, 1] = first, second
    expected = tau_b(first, second)
    found = agreement(Scores(made(values))).overall.loc["F", "P"]
    assert (math.isnan(found) and math.isnan(expected)) or found == pytest.approx(
        expected, abs=1e-12
    )


def test_score_is_a_cost():
    values = np.tile(np.arange(5.0)[:, None], 6)
    found = agreement(Scores(made(values))).overall
    expected = np.ones((6, 6))
    expected[:5, 5] = expected[5, :5] = -1.0
    np.testing.assert_allclose(found.to_numpy(), expected, atol=1e-12)
    assert found.loc["S", "S"] == 1.0


def test_average_is_the_mean_over_datasets_not_over_results():
    rng = np.random.default_rng(0)
    parts = [made(tied(rng, rows), name) for rows, name in ((8, "A"), (40, "B"))]
    found = agreement(Scores(pd.concat(parts)))
    each = [agreement(Scores(part)).overall for part in parts]
    assert list(found.per_dataset) == ["A", "B"]
    for name, alone in zip("AB", each, strict=True):
        pd.testing.assert_frame_equal(found.per_dataset[name], alone)
    pd.testing.assert_frame_equal(found.by_dataset, (each[0] + each[1]) / 2)
    assert found.results == 48


def test_dataset_on_which_a_metric_ranks_nothing_is_left_out_of_its_mean():
    rng = np.random.default_rng(0)
    parts = [made(tied(rng, 9), name) for name in "AB"]
    parts[1]["prom_f1"] = 0.0
    found = agreement(Scores(pd.concat(parts)))
    assert found.per_dataset["B"]["F"].isna().all()
    assert found.by_dataset.loc["F", "P"] == found.per_dataset["A"].loc["F", "P"]
    assert found.counts.loc["F", "P"] == 1
    assert found.counts.loc["R", "P"] == 2
    alone = agreement(Scores(parts[1]))
    assert alone.by_dataset["F"].isna().all()
    assert not alone.by_dataset.loc["R"].drop("F").isna().any()


def test_results_with_nan_are_left_out():
    values = tied(np.random.default_rng(1), 12)
    holed = values.copy()
    holed[3, 2] = np.nan
    pd.testing.assert_frame_equal(
        agreement(Scores(made(holed))).overall,
        agreement(Scores(made(np.delete(values, 3, axis=0)))).overall,
    )
    with pytest.raises(InputError, match="nothing can be ranked"):
        agreement(Scores(made(np.full((2, 6), np.nan))))


@pytest.mark.parametrize("second", ["R", "S"])
def test_disagreements_are_those_of_the_definition(second):
    rng = np.random.default_rng(2)
    parts = {name: made(tied(rng, 14), name) for name in "AB"}
    found = disagreements(Scores(pd.concat(parts.values())), "F", second, count=99)
    seen = set()
    for one in found:
        part = parts[one.dataset].reset_index(drop=True)
        position = int(one.problem)
        f, s = part["prom_f1"].tolist(), part[COMPARED[second]].tolist()
        assert (one.first, one.second) == (f[position], s[position])
        assert one.rank_first == mean_rank(f, position)
        assert one.rank_second == mean_rank(s, position, lowest_is_best=second == "S")
        assert one.difference == one.rank_second - one.rank_first != 0
        seen.add((one.dataset, one.problem))
    sizes = [abs(one.difference) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert len(seen) == len(found) > 10
    for name, part in parts.items():
        f, s = part["prom_f1"].tolist(), part[COMPARED[second]].tolist()
        for position in set(range(14)) - {int(p) for d, p in seen if d == name}:
            other = mean_rank(s, position, lowest_is_best=second == "S")
            assert mean_rank(f, position) == other


def test_disagreements_of_a_metric_with_itself_are_none():
    scores = Scores(made(tied(np.random.default_rng(3), 9)))
    assert disagreements(scores, "F", "prom_f1") == []


def test_disagreements_can_be_one_per_dataset_or_label():
    rng = np.random.default_rng(4)
    parts = [
        made(tied(rng, 10), name).assign(label=label) for name in "AB" for label in "xy"
    ]
    scores = Scores(pd.concat(parts))
    assert len(disagreements(scores, "F", "P", count=7)) == 7
    by_dataset = disagreements(scores, "F", "P", one_per="dataset")
    assert sorted(one.dataset for one in by_dataset) == ["A", "B"]
    assert by_dataset[0] == disagreements(scores, "F", "P")[0]
    by_label = disagreements(scores, "F", "P", one_per="label")
    assert sorted(one.label for one in by_label) == ["x", "y"]
    with pytest.raises(InputError, match="count must"):
        disagreements(scores, "F", "P", count=0)


def test_disagreement_counts_as_a_share_of_the_dataset():
    few, many = np.zeros((3, 6)), np.zeros((30, 6))
    few[:, 0], few[:, 1] = [1, 2, 3], [3, 2, 1]
    many[:, 0] = many[:, 1] = np.arange(30)
    many[[5, 10], 1] = [10, 5]
    scores = Scores(pd.concat([made(few, "few"), made(many, "many")]))
    assert disagreements(scores, "F", "P")[0].dataset == "few"
