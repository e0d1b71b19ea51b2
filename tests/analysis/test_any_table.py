"""What holds for every function on a table of scores."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import scores_of
from tsmdbench import analysis
from tsmdbench.analysis import Scores
from tsmdbench.analysis.metric_agreement import COMPARED
from tsmdbench.errors import InputError

FEW = {"draws": 99}
OPTIONS = {
    "agreement": {},
    "bayesian_signed_rank": FEW,
    "compare": {"permutations": 99, **FEW},
    "cost": {},
    "intervals": FEW,
    "leave_one_out": {},
    "overall_intervals": FEW,
    "ranks": {},
    "seed_spread": {},
    "significance": {},
    "summary": {},
    "time_and_quality": {},
}


def made(means, **options):
    """Scores with times, by all metrics that the paper compares."""
    table = scores_of(means, **options).table
    rng = np.random.default_rng(0)
    for name in COMPARED.values():
        table[name] = table["prom_f1"] if name == "prom_f1" else rng.random(len(table))
    return Scores(table.assign(cpu_seconds=rng.random(len(table))))


def same(first, second):
    """Compare results that hold tables, field by field."""
    if isinstance(first, pd.DataFrame):
        pd.testing.assert_frame_equal(first, second)
    elif isinstance(first, pd.Series):
        pd.testing.assert_series_equal(first, second)
    elif isinstance(first, dict):
        assert list(first) == list(second)
        for key, value in first.items():
            same(value, second[key])
    elif hasattr(first, "__dataclass_fields__"):
        for name in first.__dataclass_fields__:
            same(getattr(first, name), getattr(second, name))
    else:
        assert first == second or first != first


@pytest.mark.parametrize("name", OPTIONS)
def test_the_order_of_rows_does_not_matter(name):
    means = {"a": [0.2, 0.3, 0.1], "emma": [0.6, 0.1, 0.5], "b": [0.1, 0.1, 0.9]}
    scores = made(means, problems=9, noise=0.2)
    function, options = getattr(analysis, name), OPTIONS[name]
    shuffled = Scores(scores.table.sample(frac=1, random_state=0))
    same(function(scores, **options), function(shuffled, **options))
    pd.testing.assert_frame_equal(scores.table, shuffled.table)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_nothing_raises_for_ties_gaps_and_few_results(datasets, methods, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, size=(datasets, methods)) / 2.0
    values[rng.random(values.shape) < 0.1] = np.nan
    if np.isnan(values).all():
        values[0, 0] = 1.0
    scores = made({f"m{n}": values[:, n] for n in range(methods)})
    for name, options in OPTIONS.items():
        getattr(analysis, name)(scores, **options)


def test_bad_arguments_are_one_sentence():
    scores = scores_of({"a": [0.1, 0.2], "b": [0.3, 0.2]})
    for name, options, message in (
        ("bayesian_signed_rank", {"rope": -1}, "rope must be at least 0, got -1"),
        ("bayesian_signed_rank", {"draws": 0}, "draws must"),
        ("compare", {"reference": "c"}, "reference must be one of"),
        ("compare", {"permutations": 0}, "permutations must"),
        ("compare", {"draws": 0}, "draws must"),
        ("compare", {"seed": -1}, "seed must"),
        ("intervals", {"level": 95}, r"level must lie in \(0, 1\), got 95"),
        ("intervals", {"draws": 0}, "draws must"),
        ("overall_intervals", {"seed": -1}, "seed must"),
        ("significance", {"alpha": 1.5}, r"alpha must lie in \(0, 1\), got 1.5"),
        ("significance", {"procedure": "nemenyi"}, "procedure must be one of"),
    ):
        with pytest.raises(InputError, match=message):
            getattr(analysis, name)(scores, **options)
    for name in OPTIONS:
        function = getattr(analysis, name)
        if "metric" in inspect.signature(function).parameters:
            with pytest.raises(InputError, match="metric must be one of"):
                function(scores, "prom_f2")
    with pytest.raises(InputError, match="metric must be one of"):
        analysis.agreement(scores)
    with pytest.raises(InputError, match="metric must be one of"):
        analysis.summary(scores, ["prom_f2"])
