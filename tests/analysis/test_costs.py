"""Times, memory, failures and the Pareto front, counted anew."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import scores_of
from tsmdbench.analysis.costs import cost, method_seconds, pareto, time_and_quality
from tsmdbench.analysis.scores import Scores


def timed(rows, metric="prom_f1"):
    """Scores of (label, dataset, processor seconds, value), problems numbered."""
    table = pd.DataFrame(rows, columns=["label", "dataset", "cpu_seconds", metric])
    return Scores(table.assign(problem=range(len(table))))


def test_cost_counts_times_of_successful_runs_only():
    table = scores_of({"a": [0.0], "b": [0.0]}, problems=5).table
    table["status"] = ["ok", "ok", "timeout", "memory", "error"] + ["ok"] * 5
    table["seconds"] = [1.0, 2.0, 60.0, 0.0, 0.0, 5.0, 5.0, 5.0, 5.0, 6.0]
    table["cpu_seconds"] = [2.0, 6.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    table["peak_memory"] = [100, 300, 200, 900, 0, 1, 1, 1, 1, 1]
    found = cost(Scores(table))
    assert found.index.tolist() == ["a", "b"]
    line = found.loc["a"]
    assert line[["seconds", "median_seconds", "max_seconds"]].tolist() == [4, 4, 6]
    assert line[["mean_peak_memory", "max_peak_memory"]].tolist() == [375.0, 900.0]
    counted = line[["runs", "ok", "timeout", "memory", "error", "failed"]].tolist()
    assert counted == [5, 2, 1, 1, 1, 3]
    assert found.loc["b", ["failed", "timeout"]].tolist() == [0, 0]


def test_method_without_a_time_has_nan_and_is_not_on_the_front():
    table = scores_of({"a": [0.9], "b": [0.1]}).table
    table["status"], table["cpu_seconds"] = ["error", "ok"], [0.0, 3.0]
    scores = Scores(table)
    assert np.isnan(cost(scores).loc["a", "seconds"])
    assert pareto(scores).to_dict() == {"a": False, "b": True}


def test_time_on_some_datasets_only_is_no_time():
    table = scores_of({"a": [0.9, 0.9], "b": [0.1, 0.1]}).table
    table["cpu_seconds"] = 1.0
    mine = (table["label"] == "a") & (table["dataset"] == "d01")
    table.loc[mine, "status"] = "error"
    found = time_and_quality(Scores(table))
    assert np.isnan(found.loc["a", "time"])
    assert found["pareto"].to_dict() == {"a": False, "b": True}


def test_front_has_the_methods_that_none_beats():
    rows = [
        ("fast", "A", 1.0, 0.2),
        ("fair", "A", 2.0, 0.5),
        ("good", "A", 9.0, 0.9),
        ("poor", "A", 3.0, 0.4),
        ("slow", "A", 10.0, 0.9),
        ("twin", "A", 2.0, 0.5),
    ]
    front = pareto(timed(rows))
    assert front[front].index.tolist() == ["fair", "fast", "good", "twin"]


def test_front_of_a_cost_takes_the_lowest():
    rows = [("a", "A", 1.0, 5.0), ("b", "A", 2.0, 9.0), ("c", "A", 3.0, 1.0)]
    front = pareto(timed(rows, "score"), "score")
    assert front.tolist() == [True, False, True]


def test_time_and_quality_are_means_of_the_same_datasets():
    rows = [
        ("a", "A", 1.0, 0.2),
        ("a", "A", 3.0, 0.4),
        ("a", "B", 10.0, 0.8),
        ("b", "A", 4.0, 0.1),
        ("b", "B", 6.0, 0.3),
        ("b", "C", 999.0, 0.9),
    ]
    found = time_and_quality(timed(rows))
    assert found["time"].tolist() == [6.0, 5.0]
    assert found["quality"].tolist() == pytest.approx([0.55, 0.2])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=6)
)
def test_front_is_that_of_the_definition(points):
    rows = [(f"m{n}", "A", float(t), q / 4) for n, (t, q) in enumerate(points)]
    expected = [
        not any(t <= time and q >= worth and (t, q) != (time, worth) for t, q in points)
        for time, worth in points
    ]
    assert pareto(timed(rows)).tolist() == expected


def test_time_of_a_method_is_averaged_over_common_datasets_where_there_are_some():
    rows = [("a", "A", 1.0, 0.0), ("a", "B", 5.0, 0.0), ("b", "A", 2.0, 0.0)]
    assert method_seconds(timed(rows)).to_dict() == {"a": 1.0, "b": 2.0}
    apart = [("a", "A", 1.0, 0.0), ("a", "B", 5.0, 0.0), ("b", "C", 2.0, 0.0)]
    assert method_seconds(timed(apart)).to_dict() == {"a": 3.0, "b": 2.0}


def test_time_without_processor_time_is_not_known():
    table = scores_of({"a": [0.9], "b": [0.1]}).table.assign(seconds=1.0)
    assert method_seconds(Scores(table)).isna().all()
    assert cost(Scores(table))["seconds"].isna().all()
