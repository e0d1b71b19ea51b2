"""Differences on this benchmark and on other data, against independent code."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scikit_posthocs import posthoc_wilcoxon
from scipy.stats import bootstrap, permutation_test, wilcoxon
from statsmodels.stats.multitest import multipletests

from tests.analysis.made import scores_of
from tsmdbench.analysis import Scores, compare


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
    found = compare(scores, reference="m0", draws=10)
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
    scores = made(np.random.default_rng(3), 5, 12, 10, 0.03)
    found = compare(scores, reference="m0", draws=10)
    for table in (found.on_benchmark, found.on_other_data):
        different, corrected, *_ = multipletests(table["p"], method="holm")
        np.testing.assert_allclose(table["p_holm"], corrected)
        assert table["different"].tolist() == different.tolist()


def test_other_data_is_wilcoxon_against_the_reference():
    scores = made(np.random.default_rng(4), 4, 12, 10, 0.03)
    found = compare(scores, reference="m2", draws=10)
    assert found.reference == "m2"
    means = scores.means("prom_f1")
    theirs = posthoc_wilcoxon(list(means.to_numpy().T))
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


def test_only_problems_that_all_methods_have_are_compared():
    scores = made(np.random.default_rng(5), 2, 3, 10, 0.1)
    table = scores.table
    mine, number = table["label"] == "m0", table["problem"].astype(int)
    # m0 lacks d0/000; in d1 the two share no problem; m1 lacks d2 altogether.
    gone = mine & (table["dataset"] == "d0") & (number == 0)
    gone |= (table["dataset"] == "d1") & (mine == (number < 5))
    gone |= ~mine & (table["dataset"] == "d2")
    found = compare(Scores(table[~gone]), draws=10)
    common = wide(scores, "d0").iloc[1:]
    expected = (common["m0"] - common["m1"]).mean()
    row, sign = pair(found, "m0", "m1")
    assert sign * row["difference"] == pytest.approx(expected)
    other = found.on_other_data.loc[0, "difference"]
    assert abs(other) == pytest.approx(abs(expected))
    assert found.datasets_used == ("d0",)
    assert found.left_out == {
        "d1": "no problem that all methods have",
        "d2": "no result of m1",
    }


def test_too_little_data_gives_no_number():
    alone = compare(scores_of({"a": [0.1, 0.2]}))
    assert alone.on_benchmark.empty
    assert alone.on_other_data.empty
    assert alone.letters == {"a": "a"}
    apart = compare(scores_of({"a": [0.1, np.nan], "b": [np.nan, 0.2]}))
    for table in (apart.on_benchmark, apart.on_other_data):
        numbers = table.select_dtypes("number")
        assert numbers.isna().all(axis=None)
        assert not table["different"].any()
    assert apart.letters == {}
    equal = compare(scores_of({"a": [0.1, 0.2], "b": [0.1, 0.2]}))
    assert equal.on_benchmark.loc[0, "p"] == 1.0
    assert equal.on_benchmark[["low", "high"]].isna().all(axis=None)
    assert equal.letters == {"a": "a", "b": "a"}


def test_the_reference_is_not_chosen_by_its_scores():
    scores = made(np.random.default_rng(6))
    alone = compare(scores)
    assert alone.reference == ""
    assert alone.on_other_data.empty
    assert alone.against_reference().empty
    assert len(alone.on_benchmark) == 3
    assert "not tested" in alone.notes[1]
    names = {"m0": "emma", "m1": "mine", "m2": "valmod"}
    mine = Scores(scores.table[["label", "dataset", "problem", "prom_f1"]]
                  .replace({"label": names}))  # fmt: skip
    assert compare(mine, draws=10).reference == "mine"


def test_both_answers_about_the_reference_are_turned_the_same_way():
    scores = made(np.random.default_rng(7), 4, 6, 8, 0.05)
    for name in scores.labels:
        found = compare(scores, reference=name, draws=10)
        table = found.against_reference().set_index("label")
        assert set(table.index) == set(scores.labels) - {name}
        other = found.on_other_data.set_index("label")
        for label, row in table.iterrows():
            pairs, sign = pair(found, name, label)
            ends = sorted((sign * pairs["low"], sign * pairs["high"]))
            assert [row["low"], row["high"]] == ends
            assert row["difference"] == pytest.approx(sign * pairs["difference"])
            assert row["difference"] == pytest.approx(other.loc[label, "difference"])
            assert row["p_benchmark"] == pairs["p_holm"]
            assert row["p_other_data"] == other.loc[label, "p_holm"]
    counts = found.counts()
    assert sum(worse for worse, _ in counts.values()) == found.on_benchmark[
        "different"
    ].sum() == sum(better for _, better in counts.values())  # fmt: skip
    assert any("no difference can be significant" in note for note in found.notes)


@pytest.mark.slow
def test_equal_methods_rarely_differ():
    """At level 0.05, over 1000 tables without a difference.

    Twelve datasets, so that both tests could reject.
    """
    rejected = np.zeros(2)
    for seed in range(1000):
        scores = made(np.random.default_rng(seed), datasets=12)
        found = compare(scores, reference="m0", permutations=199, draws=1)
        rejected += [
            found.on_benchmark["different"].any(),
            found.on_other_data["different"].any(),
        ]
    assert (rejected / 1000 <= 0.05).all(), rejected


@pytest.mark.slow
def test_a_difference_is_found_with_the_stated_power():
    """The guide "Compare fairly" states at least 95 % for both questions."""
    found = np.zeros(2)
    for seed in range(200):
        scores = made(np.random.default_rng(seed), 3, 12, 20, 0.05)
        seen = compare(scores, reference="m0", permutations=999, draws=1)
        pairs = seen.on_benchmark
        of_m0 = (pairs["first"] == "m0") | (pairs["second"] == "m0")
        found += [
            pairs.loc[of_m0, "different"].all(),
            seen.on_other_data["different"].all(),
        ]
    assert (found / 200 >= 0.95).all(), found
