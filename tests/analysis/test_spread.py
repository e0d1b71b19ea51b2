"""Means, medians and quartiles, counted anew with numpy."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import scores_of
from tsmdbench.analysis.bootstrap import summary
from tsmdbench.analysis.scores import PROM, Scores
from tsmdbench.errors import InputError


def test_summary_is_what_numpy_says():
    means = {"emma": [0.2, np.nan], "b": [0.6, 0.3]}
    scores = scores_of(means, problems=7, noise=0.1)
    table = summary(scores)
    assert table[["dataset", "label"]].to_numpy().tolist() == [
        ["d00", "emma"],
        ["d00", "b"],
        ["d01", "b"],
    ]
    for _, line in table.iterrows():
        rows = scores.table.query("dataset == @line.dataset and label == @line.label")
        values = rows["prom_f1"].to_numpy()
        assert line["count"] == 7
        assert line["mean"] == pytest.approx(np.mean(values), abs=1e-15)
        assert line["median"] == np.median(values)
        assert line["q1"] == pytest.approx(np.quantile(values, 0.25), abs=1e-15)
        assert line["q3"] == pytest.approx(np.quantile(values, 0.75), abs=1e-15)


def test_summary_has_micro_and_macro_and_counts_failures():
    table = scores_of({"a": [0.2], "b": [0.6]}, problems=4).table
    for number, name in enumerate(PROM):
        table[name] = number / 10
    table.loc[1:2, "status"] = ["timeout", "error"]
    found = summary(Scores(table))
    assert found["metric"].tolist() == list(PROM) * 2
    assert found["failed"].tolist() == [2] * 6 + [0] * 6
    assert found["mean"].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5] * 2)


def test_summary_takes_the_metrics_asked_for():
    scores = scores_of({"a": [0.2]}, metric="score")
    assert summary(scores, ["score"])["metric"].tolist() == ["score"]
    with pytest.raises(InputError, match="metric must be one of"):
        summary(scores)


def test_order_of_rows_does_not_matter_for_summary():
    scores = scores_of({"a": [0.2, 0.3], "b": [0.6, 0.1]}, problems=9, noise=0.2)
    again = Scores(scores.table.sample(frac=1, random_state=0))
    pd.testing.assert_frame_equal(summary(scores), summary(again))
