"""Ranks against their definition; ties, copies, costs and missing datasets."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import scores_of
from tests.reference.statistics import mean_rank
from tsmdbench.analysis.ranking import ranks
from tsmdbench.analysis.scores import Scores


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


def test_copy_of_a_method_ties_with_it():
    scores = scores_of({"a": [0.2, 0.7], "b": [0.5, 0.5]}, problems=9, noise=0.1)
    copied = scores.table[scores.table["label"] == "a"].assign(label="c", method="c")
    average = ranks(Scores(pd.concat([scores.table, copied]))).average
    assert average["a"] == average["c"]


def test_rounding_decides_no_rank():
    values = np.random.default_rng(1).random(50)
    table = scores_of({"a": [0.0], "b": [0.0]}, problems=50).table
    table["prom_f1"] = [*values, *np.sort(values)]
    assert ranks(Scores(table)).average.tolist() == [1.5, 1.5]
    table["prom_f1"] = [*values, *(values + 1e-15)]
    assert ranks(Scores(table)).average.tolist() == [1.5, 1.5]


def test_datasets_that_one_method_lacks_are_left_out_and_named():
    means = {"a": [0.1, np.nan, 0.3], "b": [0.2, 0.1, 0.2], "c": [0.3, np.nan, 0.1]}
    found = ranks(scores_of(means))
    assert found.datasets_used == ("d00", "d02")
    assert found.left_out == {"d01": "no result of a, c"}
    assert found.average.tolist() == [2.0, 2.0, 2.0]


def test_no_common_dataset_gives_no_rank():
    found = ranks(scores_of({"a": [0.1, np.nan], "b": [np.nan, 0.1]}))
    assert found.datasets_used == ()
    assert list(found.left_out) == ["d00", "d01"]
    assert found.average.isna().all()


def test_nan_scores_count_as_no_result():
    table = scores_of({"a": [0.1, 0.2], "b": [0.3, 0.4]}).table
    table.loc[table["dataset"] == "d01", "prom_f1"] = [np.nan, 0.4]
    assert ranks(Scores(table)).left_out == {"d01": "no result of a"}


def test_one_method_ranks_first():
    assert ranks(scores_of({"a": [0.1, 0.2]})).average.tolist() == [1.0]
