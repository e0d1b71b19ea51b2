"""Motiflets: the authors' numbers, brute force, and the choice of sets and length."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import motiflets as reference
from tests.reference import planted
from tests.reference.planted import compiled
from tsmdbench.methods.motiflets import (
    Extents,
    Motiflets,
    area_under_extents,
    find_elbows,
    unique_elbows,
)

GOLDEN = planted.golden("motiflets")


def k_motiflets(x, length, k_max, slack=0.5):
    return Extents(x, length, k_max, slack, 1).search(k_max, 1.0)


def noise_with_copies(seed, n=160, m=12, copies=4):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    shape = 3 * rng.normal(size=m).cumsum()
    for start in rng.permutation(n // m - 1)[:copies] * m:
        x[start : start + m] = shape + 0.1 * rng.normal(size=m)
    return x


@compiled
@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["series"])
def test_extents_candidates_and_elbows_equal_the_authors(case):
    x = planted.series(case["series"])
    found = k_motiflets(x, case["length"], case["k_max"])
    np.testing.assert_allclose(found.dists, case["dists"], rtol=1e-9, atol=1e-9)
    assert found.elbows.tolist() == case["elbows"]
    for k, starts in case["candidates"].items():
        assert found.candidates[int(k)].tolist() == starts


@compiled
def test_areas_and_best_length_equal_the_authors():
    golden = GOLDEN["areas"]
    low, high = golden["lengths"][0], golden["lengths"][-1]
    method = Motiflets(low, high, golden["k_max"], step=10, slack=0.5)
    x = planted.series(golden["series"])
    lengths, areas = method.lengths(x)
    assert lengths.tolist() == golden["lengths"]
    np.testing.assert_allclose(areas, golden["areas"], rtol=1e-9)
    (found,) = method.find(x)
    assert set(found.lengths) == {golden["best"]}
    assert found.starts.tolist() == planted.PLANTED["uni2k"][0]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(4, 16),
    st.integers(3, 12),
    st.sampled_from([0.25, 0.5, 1.0]),
)
def test_extents_follow_the_definition(seed, m, k_max, slack):
    x = noise_with_copies(seed, n=110)
    x[60:70] = x[60]
    found = k_motiflets(x, m, k_max, slack=slack)
    best = reference.extents(x, m, k_max, slack)
    assert len(found.dists) == max(best) + 1
    for k, (extent, _) in best.items():
        np.testing.assert_allclose(found.dists[k], extent, rtol=1e-7, atol=1e-7)
        starts = found.candidates[k]
        assert len(starts) == (k if np.isfinite(extent) else 0)
        if len(starts):
            cells = reference.squares(x, m)[np.ix_(starts, starts)]
            np.testing.assert_allclose(cells.max(), extent, rtol=1e-7, atol=1e-7)


def test_both_elbows_give_sets_the_largest_first():
    found = Motiflets(40, 40, 9, slack=0.5, strategy="iterative").find(
        planted.series("uni600")
    )
    sets = [motifs.starts.tolist() for motifs in found[:2]]
    assert sets == planted.PLANTED["uni600"]


@compiled
def test_elbows_come_largest_first_and_are_limited():
    rng = np.random.default_rng(3)
    x = rng.normal(size=1200)
    shapes = 4 * rng.normal(size=(2, 40)).cumsum(axis=1)
    for shape, starts, noise in (
        (shapes[0], (40, 200, 400), 0.02),
        (shapes[1], (100, 500, 600, 700, 800, 900), 0.4),
    ):
        for start in starts:
            x[start : start + 40] = shape + noise * rng.normal(size=40)
    found = Motiflets(40, 40, 10).find(x)
    assert [motifs.starts.tolist() for motifs in found] == [
        [100, 500, 600, 700, 800, 900],
        [40, 200, 400],
    ]
    assert Motiflets(40, 40, 10, max_sets=1).find(x) == found[:1]


def test_disjoint_drops_what_overlaps_a_larger_set():
    x = planted.series("rounded")
    loose = Motiflets(20, 20, 14, slack=0.5, disjoint=False).find(x)
    strict = Motiflets(20, 20, 14).find(x)
    taken = np.zeros(len(x), dtype=int)
    for motifs in strict:
        taken += motifs.to_mask(len(x))
    assert taken.max() == 1
    assert len(loose) >= len(strict) > 0


@pytest.mark.parametrize(
    ("dists", "elbows"),
    [
        ([1, 1, 1], [2]),
        ([1, 1, 1, 2, 3, 4, 5], [2]),
        ([1, 1, 1, 1.1, 1.2, 9, 9.5, 9.9], [4]),
        ([1, 1, 1, 1.1, 5, 5.1, 5.2, 30, 31], [3, 6]),
        ([0, 0, 0, 0, 7, 7.5, 8], [3]),
        ([1, 1, 1, 1.1, np.inf, np.inf], [2]),
        ([np.inf] * 3, [2]),
    ],
)
def test_elbows(dists, elbows):
    assert find_elbows(np.array(dists, dtype=float)).tolist() == elbows


def test_elbow_deviation_asks_for_a_larger_jump():
    dists = np.array([1.0, 1.0, 1.0, 1.001, 1.03, 1.04, 1.05])
    assert find_elbows(dists).tolist() == [3]
    assert find_elbows(dists, deviation=1.05).tolist() == [2]


def test_unique_elbows_keep_sets_at_other_places():
    sets = [np.array(one) for one in ([], [], [5, 200], [5, 50, 90], [7, 20, 51, 70])]
    assert unique_elbows(np.array([2, 4]), sets, 12).tolist() == [4]
    assert unique_elbows(np.array([2, 4]), sets, 6).tolist() == [2, 4]


def test_area_of_equal_and_of_missing_extents():
    assert area_under_extents(np.full(4, 2.0)) == 1.0
    assert area_under_extents(np.array([0.0, 0.0, 1e-15, 3e-15])) == 1.0
    assert area_under_extents(np.full(4, np.inf)) == np.inf
    assert area_under_extents(np.array([0.0, 0.0, 1.0, np.inf])) == pytest.approx(1 / 3)


def test_level_and_unit_do_not_change_the_answer():
    x = noise_with_copies(7)
    plain = Motiflets(12, 12, 7).find(x)
    assert plain
    for other in (x + 1e6, x * 1e6, x * 1e-6, x.astype(np.float32)):
        assert Motiflets(12, 12, 7).find(other) == plain


def test_copies_of_a_ripple_on_plateaus_are_no_motif():
    x = noise_with_copies(7, n=300)
    ripple = 2.0 + 1e-6 * np.random.default_rng(1).normal(size=14)
    x[200:214] = x[250:264] = ripple
    starts = k_motiflets(x, 12, 6).candidates[2]
    assert not np.isin(starts, [200, 201, 202, 250, 251, 252]).any()


@pytest.mark.parity
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["noise", "walk", "waves"])
def test_parity_on_longer_series(kind):
    authors = pytest.importorskip("motiflets.motiflets")
    rng = np.random.default_rng(1)
    x = rng.normal(size=3000)
    if kind == "walk":
        x = x.cumsum()
    elif kind == "waves":
        x = np.sin(np.arange(3000) ** 1.2 / 40) + 0.05 * x
    for length, k_max in ((60, 6), (31, 15)):
        dists, candidates, elbows, *_ = authors.search_k_motiflets_elbow(
            k_max, x, length, n_jobs=1
        )
        found = k_motiflets(x, length, k_max)
        np.testing.assert_allclose(found.dists, dists[:, 0], rtol=1e-9, atol=1e-9)
        assert found.elbows.tolist() == elbows[0].tolist()
        same = [
            found.candidates[k].tolist() == sorted(candidates[k][0].tolist())
            for k in range(2, len(dists))
        ]
        # Two sets may share their farthest pair: then rounding chooses between them.
        assert np.mean(same) > 0.8
