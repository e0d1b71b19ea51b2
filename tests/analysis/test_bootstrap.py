"""Bootstrap intervals: deterministic, independent of others, and they cover."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import scores_of
from tsmdbench.analysis.bootstrap import intervals, overall_intervals
from tsmdbench.analysis.scores import Scores


def skewed(rng, datasets, problems, label="m"):
    """Scores like those of a method: many zeros, the rest anywhere."""
    values = rng.beta(2, 1, size=(datasets, problems))
    values[rng.random(values.shape) < 0.3] = 0.0
    rows = [
        (label, f"d{d:02d}", f"{p:03d}", values[d, p])
        for d in range(datasets)
        for p in range(problems)
    ]
    return pd.DataFrame(rows, columns=["label", "dataset", "problem", "prom_f1"])


def test_intervals_agree_with_resampling_by_index():
    table = skewed(np.random.default_rng(0), 1, 60)
    found = intervals(Scores(table), draws=20_000).iloc[0]
    values = table["prom_f1"].to_numpy()
    rng = np.random.default_rng(1)
    drawn = [rng.choice(values, size=60).mean() for _ in range(20_000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found["mean"] == pytest.approx(values.mean(), abs=1e-12)
    assert found["low"] == pytest.approx(low, abs=0.003)
    assert found["high"] == pytest.approx(high, abs=0.003)


TRUE_MEAN = 0.7 * 2 / 3


def coverage(found):
    return ((found["low"] <= TRUE_MEAN) & (found["high"] >= TRUE_MEAN)).mean()


@pytest.mark.parametrize(
    ("of", "datasets", "problems"), [(intervals, 1, 100), (overall_intervals, 3, 40)]
)
def test_intervals_cover_the_true_mean(of, datasets, problems):
    """Of 300 methods; three standard errors around 95 % are 91 to 99 %."""
    rng = np.random.default_rng(3)
    parts = [skewed(rng, datasets, problems, f"m{n:03d}") for n in range(300)]
    scores = Scores(pd.concat(parts))
    assert 0.91 < coverage(of(scores)) < 0.99
    assert 0.41 < coverage(of(scores, level=0.5)) < 0.59


def test_overall_weighs_datasets_alike():
    rng = np.random.default_rng(4)
    few, many = skewed(rng, 3, 20), skewed(rng, 1, 160).assign(dataset="many")
    found = overall_intervals(Scores(pd.concat([few, many]))).iloc[0]
    means = few.groupby("dataset")["prom_f1"].mean()
    expected = (means.sum() + many["prom_f1"].mean()) / 4
    assert found["mean"] == pytest.approx(expected, abs=1e-12)
    assert found["datasets"] == 4


def test_intervals_depend_on_the_seed_only():
    table = skewed(np.random.default_rng(4), 3, 30)
    first = intervals(Scores(table), seed=1)
    pd.testing.assert_frame_equal(first, intervals(Scores(table), seed=1))
    assert not first.equals(intervals(Scores(table), seed=2))


def test_interval_does_not_depend_on_who_else_is_there():
    rng = np.random.default_rng(5)
    alone = skewed(rng, 2, 30)
    others = [skewed(rng, 2, 30, "emma"), alone.assign(label="copy")]
    found = intervals(Scores(pd.concat([alone, *others])))
    mine = found[found["label"] == "m"].reset_index(drop=True)
    pd.testing.assert_frame_equal(mine, intervals(Scores(alone)))
    copy = found[found["label"] == "copy"].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        mine.drop(columns="label"), copy.drop(columns="label")
    )


def test_one_problem_and_no_common_dataset_have_no_interval():
    found = intervals(scores_of({"a": [0.5]})).iloc[0]
    assert found["mean"] == 0.5
    assert np.isnan(found["low"])
    assert np.isnan(found["high"])
    apart = overall_intervals(scores_of({"a": [0.1, np.nan], "b": [np.nan, 0.1]}))
    assert apart[["mean", "low", "high"]].isna().all(axis=None)
    assert apart["datasets"].tolist() == [0, 0]


def test_results_that_some_lack_are_left_out():
    scores = scores_of({"a": [0.5, 0.7], "b": [0.1, np.nan]}, problems=5)
    found = overall_intervals(scores).set_index("label")
    assert found["mean"].to_dict() == pytest.approx({"a": 0.5, "b": 0.1})
    assert found["datasets"].tolist() == [1, 1]
    assert found.loc["a", "low"] == pytest.approx(0.5)
    table = skewed(np.random.default_rng(6), 1, 20)
    table.loc[3, "prom_f1"] = np.nan
    found = intervals(Scores(table)).iloc[0]
    assert found["problems"] == 19
    assert found["mean"] == pytest.approx(table["prom_f1"].mean())
