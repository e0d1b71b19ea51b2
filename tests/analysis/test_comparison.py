"""Differences on this benchmark and on other data, against independent code."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap, permutation_test, wilcoxon

from tests.analysis.made import scores_of
from tsmdbench.analysis.comparison import compare
from tsmdbench.analysis.scores import Scores


def made(rng, methods=3, datasets=4, problems=10, shift=0.0, spread=0.1):
    """Scores of methods; the first is better by `shift`."""
    rows = []
    for d in range(datasets):
        hard = rng.uniform(0.2, 0.8, size=problems)
        for m in range(methods):
            values = hard + spread * rng.normal(size=problems) + shift * (m == 0)
            rows += [(f"m{m}", f"d{d}", f"{n:03d}", v) for n, v in enumerate(values)]
    columns = ["label", "dataset", "problem", "prom_f1"]
    return Scores(pd.DataFrame(rows, columns=columns))


def wide(scores, dataset):
    rows = scores.table[scores.table["dataset"] == dataset]
    return rows.pivot(index="problem", columns="label", values="prom_f1")


def pair(found, first, second):
    table = found.on_benchmark.set_index(["first", "second"])
    there = (first, second) in table.index
    row = table.loc[(first, second) if there else (second, first)]
    return row, 1.0 if there else -1.0


def test_one_dataset_is_the_permutation_test_of_scipy():
    scores = made(np.random.default_rng(0), datasets=1, problems=9, shift=0.1)
    found = compare(scores, draws=10)
    values = wide(scores, "d0")
    for a, b in itertools.combinations(values.columns, 2):
        exact = permutation_test(
            (values[a], values[b]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        )
        row, sign = pair(found, a, b)
        assert sign * row["difference"] == pytest.approx(exact.statistic)
        error = 4 * np.sqrt(exact.pvalue * (1 - exact.pvalue) / 19_999) + 1e-4
        assert row["p"] == pytest.approx(exact.pvalue, abs=error)


def test_datasets_of_different_sizes_have_the_same_weight():
    rng = np.random.default_rng(1)
    parts = [made(rng, 2, 1, n, 0.05).table.assign(dataset=f"x{n}") for n in (3, 6)]
    scores = Scores(pd.concat(parts))
    found = compare(scores, draws=10)
    row, sign = pair(found, "m0", "m1")
    differences = [(wide(scores, d)["m0"] - wide(scores, d)["m1"]).to_numpy()
                   for d in scores.datasets]  # fmt: skip
    seen = np.mean([one.mean() for one in differences])
    assert sign * row["difference"] == pytest.approx(seen)
    every = [
        np.mean([np.mean(s * d) for s, d in zip(signs, differences, strict=True)])
        for signs in itertools.product(
            *([np.array(s) for s in itertools.product((-1, 1), repeat=len(d))]
              for d in differences)
        )
    ]  # fmt: skip
    exact = np.mean(np.abs(every) >= abs(seen) - 1e-12)
    assert row["p"] == pytest.approx(exact, abs=0.02)


def test_intervals_are_those_of_a_paired_bootstrap():
    scores = made(np.random.default_rng(2), 2, 1, 60, 0.1)
    row, sign = pair(compare(scores, draws=10), "m0", "m1")
    values = wide(scores, "d0")
    reference = bootstrap(
        (values["m0"] - values["m1"],), np.mean, method="percentile", rng=0
    ).confidence_interval
    low, high = sorted((sign * row["low"], sign * row["high"]))
    assert [low, high] == pytest.approx(list(reference), abs=0.005)


def test_p_values_are_corrected_as_statsmodels_does():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    scores = made(np.random.default_rng(3), 5, 12, 10, 0.03)
    found = compare(scores, draws=10)
    for table in (found.on_benchmark, found.on_other_data):
        different, corrected, *_ = multitest.multipletests(table["p"], method="holm")
        np.testing.assert_allclose(table["p_holm"], corrected)
        assert table["different"].tolist() == different.tolist()


def test_other_data_is_wilcoxon_against_the_reference():
    posthocs = pytest.importorskip("scikit_posthocs")
    scores = made(np.random.default_rng(4), 4, 12, 10, 0.03)
    found = compare(scores, reference="m2", draws=10)
    assert found.reference == "m2"
    means = scores.means("prom_f1")
    theirs = posthocs.posthoc_wilcoxon(list(means.to_numpy().T))
    place = list(means.columns).index
    for _, row in found.on_other_data.iterrows():
        other = row["label"]
        expected = wilcoxon(means["m2"], means[other]).pvalue
        assert row["p"] == pytest.approx(expected)
        assert row["p"] == pytest.approx(theirs.iloc[place("m2"), place(other)])
        assert row["difference"] == pytest.approx((means["m2"] - means[other]).mean())


def test_a_cost_is_turned():
    values = {"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 5.0]}
    found = compare(scores_of(values, metric="score"), "score", draws=10)
    assert found.reference == "a"
    assert found.on_benchmark.loc[0, "difference"] > 0


@pytest.mark.slow
def test_equal_methods_are_rarely_told_apart():
    """At level 0.05, over 1000 tables without a difference; two standard errors."""
    rejected = np.zeros(2)
    for seed in range(1000):
        found = compare(made(np.random.default_rng(seed)), permutations=199, draws=1)
        rejected += [
            found.on_benchmark["different"].any(),
            found.on_other_data["different"].any(),
        ]
    assert (rejected / 1000 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)).all(), rejected


@pytest.mark.slow
def test_a_difference_is_found_with_the_stated_power():
    """One standard deviation of a difference is 0.14: 0.05 on 12 x 20 problems."""
    rng = np.random.default_rng(0)
    found = [compare(made(rng, 3, 12, 20, 0.05), permutations=999, draws=1)
             for _ in range(100)]  # fmt: skip
    benchmark = [f.on_benchmark.set_index("first").loc["m0", "different"].all()
                 for f in found if "m0" in set(f.on_benchmark["first"])]  # fmt: skip
    assert sum(benchmark) >= 95
