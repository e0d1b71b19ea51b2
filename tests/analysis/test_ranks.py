"""Means, ranks and ranks without each dataset, against their definitions."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from tests.analysis.made import scores_of
from tests.reference.statistics import mean_rank, tau_b
from tsmdbench.analysis import Scores, leave_one_out, ranks, summary
from tsmdbench.analysis.scores import PROM

APART = {"a": [0.1, np.nan], "b": [np.nan, 0.1]}


@pytest.mark.parametrize("metric", ["prom_f1", "score"])
def test_ranks_are_those_of_the_definition(metric):
    rng = np.random.default_rng(0)
    means = rng.integers(0, 4, size=(6, 5)) / 4
    scores = scores_of({f"m{n}": means[:, n] for n in range(5)}, metric=metric)
    found = ranks(scores, metric)
    for row, values in enumerate(means.tolist()):
        for column in range(5):
            expected = mean_rank(values, column, lowest_is_best=metric == "score")
            assert found.table.iloc[row, column] == expected
    np.testing.assert_allclose(found.average, found.table.to_numpy().mean(axis=0))
    assert found.left_out == {}
    assert found.datasets_used == tuple(f"d{n:02d}" for n in range(6))


def test_equal_means_tie_and_rounding_decides_no_rank():
    scores = scores_of({"a": [0.2, 0.7], "b": [0.5, 0.5]}, problems=9, noise=0.1)
    copied = scores.table[scores.table["label"] == "a"].assign(label="c", method="c")
    average = ranks(Scores(pd.concat([scores.table, copied]))).average
    assert average["a"] == average["c"]
    values = np.random.default_rng(1).random(50)
    table = scores_of({"a": [0.0], "b": [0.0]}, problems=50).table
    for same in (np.sort(values), values + 1e-15):
        table["prom_f1"] = [*values, *same]
        assert ranks(Scores(table)).average.tolist() == [1.5, 1.5]
    assert ranks(scores_of({"a": [0.1, 0.2]})).average.tolist() == [1.0]


def test_datasets_that_one_method_lacks_are_left_out_and_named():
    means = {"a": [0.1, np.nan, 0.3], "b": [0.2, 0.1, 0.2], "c": [0.3, np.nan, 0.1]}
    found = ranks(scores_of(means))
    assert found.datasets_used == ("d00", "d02")
    assert found.left_out == {"d01": "no result of a, c"}
    assert found.average.tolist() == [2.0, 2.0, 2.0]
    found = ranks(scores_of(APART))
    assert found.datasets_used == ()
    assert list(found.left_out) == ["d00", "d01"]
    assert found.average.isna().all()
    table = scores_of({"a": [0.1, 0.2], "b": [0.3, 0.4]}).table
    table.loc[table["dataset"] == "d01", "prom_f1"] = [np.nan, 0.4]
    assert ranks(Scores(table)).left_out == {"d01": "no result of a"}


@pytest.mark.parametrize("metric", ["prom_f1", "score"])
def test_leaving_out_is_ranking_the_others(metric):
    values = np.random.default_rng(0).integers(0, 6, size=(5, 4)) / 5
    scores = scores_of({f"m{n}": values[:, n] for n in range(4)}, metric=metric)
    found = leave_one_out(scores, metric)
    whole = ranks(scores, metric).average
    assert found.ranks.index.tolist() == list(scores.datasets)
    for name in scores.datasets:
        others = [other for other in scores.datasets if other != name]
        expected = ranks(scores.only(datasets=others), metric).average
        np.testing.assert_allclose(found.ranks.loc[name], expected)
        moved = rankdata(expected.round(9)) - rankdata(whole.round(9))
        np.testing.assert_array_equal(found.moves.loc[name], moved)
        assert found.tau[name] == pytest.approx(
            tau_b(whole.round(9).tolist(), expected.round(9).tolist())
        )
    assert found.moves.to_numpy().any()
    assert found.note == ""


def test_leaving_out_where_there_is_little():
    found = leave_one_out(scores_of({"a": [0.9, 0.9, 0.1], "b": [0.5, 0.1, 0.5]}))
    assert found.ranks.loc["d00"].tolist() == [1.5, 1.5]
    assert found.moves.loc["d00"].tolist() == [0.5, -0.5]
    assert np.isnan(found.tau["d00"])
    found = leave_one_out(scores_of({"a": [0.9, np.nan, 0.1], "b": [0.5, 0.1, 0.5]}))
    assert found.ranks.index.tolist() == ["d00", "d02"]
    assert found.left_out == {"d01": "no result of a"}
    for means in ({"a": [0.1], "b": [0.2]}, APART):
        found = leave_one_out(scores_of(means))
        assert len(found.ranks) == len(found.tau) == len(found.moves) == 0
        assert found.note.startswith("Fewer than two datasets have results of all")
    assert leave_one_out(scores_of({"a": [0.1, 0.2]})).tau.isna().all()
    equal = leave_one_out(scores_of({"a": [0.1, 0.2], "b": [0.1, 0.2]}))
    assert equal.tau.isna().all()
    assert (equal.moves == 0).all(axis=None)


def test_summary_is_what_numpy_says():
    scores = scores_of({"emma": [0.2, np.nan], "b": [0.6, 0.3]}, 7, noise=0.1)
    table = summary(scores)
    places = [["d00", "emma"], ["d00", "b"], ["d01", "b"]]
    assert table[["dataset", "label"]].to_numpy().tolist() == places
    for _, line in table.iterrows():
        rows = scores.table.query("dataset == @line.dataset and label == @line.label")
        values = rows["prom_f1"].to_numpy()
        quartiles = np.quantile(values, [0.25, 0.5, 0.75])
        expected = [7, values.mean(), *quartiles]
        found = line[["count", "mean", "q1", "median", "q3"]].tolist()
        assert found == pytest.approx(expected, abs=1e-15)


def test_summary_has_micro_and_macro_and_counts_failures():
    table = scores_of({"a": [0.2], "b": [0.6]}, problems=4).table
    for number, name in enumerate(PROM):
        table[name] = number / 10
    table.loc[1:2, "status"] = ["timeout", "error"]
    found = summary(Scores(table))
    assert found["metric"].tolist() == list(PROM) * 2
    assert found["failed"].tolist() == [2] * 6 + [0] * 6
    assert found["mean"].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5] * 2)
    scores = scores_of({"a": [0.2]}, metric="score")
    assert summary(scores, ["score"])["metric"].tolist() == ["score"]
