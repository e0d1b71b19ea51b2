"""LatentMotifs: the objective against tsmd's numbers and sums, and what it finds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import latent as reference
from tests.reference import planted
from tests.reference.planted import compiled
from tsmdbench.methods.latentmotifs import LatentMotifs, LatentWindows, ascend

CASES = planted.golden("latentmotifs")["cases"]


def starts_of(found):
    return [motifs.starts.tolist() for motifs in found]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["series"])
def test_objective_and_gradients_equal_those_of_tsmd(case):
    windows = LatentWindows(planted.series(case["series"]), case["length"])
    value = windows.objective(
        np.array(case["centres"]), case["square"], alpha=case["alpha"]
    )
    assert value.frequency == pytest.approx(case["frequency"], rel=1e-12)
    assert value.penalty == pytest.approx(case["penalty"], rel=1e-12, abs=1e-15)
    for name in ("frequency_gradient", "penalty_gradient"):
        expected = -np.array(case[f"minus_{name}"])
        np.testing.assert_allclose(getattr(value, name), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["series"])
def test_climb_from_noise_ends_where_that_of_tsmd_does(case):
    # Rounding is amplified where the penalty sets in, so only the score is compared.
    windows = LatentWindows(planted.series(case["series"]), case["length"])
    draws = np.random.RandomState(0)
    squares = np.full(101, case["square"])
    shape = np.shape(case["centres"])
    scores = [
        ascend(windows, draws.randn(*shape), squares, alpha=1.0, rate=0.1)[1]
        for _ in range(3)
    ]
    assert max(scores) == pytest.approx(case["fit"], rel=1e-2)


def test_climb_takes_the_steps_of_the_definition():
    x = planted.series("uni600")
    centres = np.random.default_rng(0).normal(size=(3, 40))
    expected = reference.climb(x, centres, 10.0, 1.0, 0.1, iterations=30)
    windows = LatentWindows(x, 40)
    last, _ = ascend(
        # The last T differs, so that only the centres of the last step are judged.
        windows,
        centres,
        np.append(np.full(30, 10.0), np.nextafter(10.0, 11)),
        alpha=1.0,
        rate=0.1,
    )
    np.testing.assert_allclose(last, expected, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.floats(0.5, 40.0),
    st.floats(0.3, 3.0),
    st.sampled_from([0.0, 1e6]),
)
def test_objective_follows_the_definition(seed, k, square, alpha, level):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=60).cumsum()
    centres = rng.normal(size=(k, 8))
    value = LatentWindows(x + level, 8).objective(centres, square, alpha)
    frequency, penalty = reference.objective(x, centres, square, alpha)
    assert value.frequency == pytest.approx(frequency, rel=1e-6, abs=1e-12)
    assert value.penalty == pytest.approx(penalty, rel=1e-9, abs=1e-12)
    slope = reference.slope(x, centres, square, alpha)
    np.testing.assert_allclose(value.gradient, slope, atol=1e-6)


@compiled
@pytest.mark.parametrize("name", ["uni600", "uni2k"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_sets_are_found(name, seed):
    # With the same T = 10, tsmd finds nothing in uni600 and one of the sets in uni2k.
    length = planted.LENGTHS[name]
    method = LatentMotifs(length, np.sqrt(10), seed=seed, max_sets=2)
    found = starts_of(method.find(planted.series(name)))
    assert [len(starts) for starts in found] == [4, 3]
    for starts, truth in zip(found, planted.PLANTED[name], strict=True):
        np.testing.assert_allclose(starts, truth, atol=3)


@compiled
def test_learning_finds_what_no_window_is_the_centre_of():
    # Copies are up to sqrt(2) radius from each other, but within radius of their mean.
    x, radius = planted.series("uni2k"), np.sqrt(2.0)
    picked = LatentMotifs(100, radius, iterations=0).find(x)
    learned = LatentMotifs(100, radius, iterations=100).find(x)
    assert starts_of(picked) == [[600, 1100, 1500]]
    assert starts_of(learned) == planted.PLANTED["uni2k"]


@compiled
def test_members_are_within_radius_and_sets_disjoint():
    x = np.random.default_rng(4).normal(size=1500).cumsum()
    found = LatentMotifs(30, 2.5, max_sets=5).find(x)
    assert len(found) > 2
    segments = sorted(segment for motifs in found for segment in motifs)
    assert all(a[1] <= b[0] for a, b in pairwise(segments))
    for motifs in found:
        cut = reference.windows(x, 30)[motifs.starts]
        gaps = cut[:, None] - cut
        assert np.sqrt((gaps**2).sum(axis=2)).max() < 2 * 2.5
    loose = LatentMotifs(30, 2.5, max_sets=5, disjoint=False).find(x)
    segments = sorted(segment for motifs in loose for segment in motifs)
    assert any(a[1] > b[0] for a, b in pairwise(segments))


@compiled
def test_more_starts_never_explain_less():
    x = np.random.default_rng(8).normal(size=800).cumsum()
    sizes = [
        sum(map(len, LatentMotifs(30, 1.0, restarts=r, alpha=1e-9).find(x)))
        for r in (1, 3, 9)
    ]
    assert sizes == sorted(sizes)


@compiled
def test_learning_never_explains_less_than_its_start():
    # With such an alpha all members count the same.
    for seed in range(8):
        x = np.random.default_rng(seed).normal(size=700).cumsum()
        sizes = [
            sum(map(len, LatentMotifs(25, 1.5, iterations=i, alpha=1e-9).find(x)))
            for i in (0, 60)
        ]
        assert sizes[0] <= sizes[1]


def test_level_and_unit_do_not_change_the_answer():
    x = planted.series("uni600")
    plain = LatentMotifs(40, 3.0).find(x)
    assert plain
    for other in (x + 1e6, x * 1e6, x * 1e-6):
        assert LatentMotifs(40, 3.0).find(other) == plain


@pytest.mark.parametrize("n", [60, 900])
def test_distances_follow_the_definition_and_stay(n):
    # One block of windows, and several.
    x = planted.series("walk")[:n]
    windows = LatentWindows(x, 20)
    centres = np.random.default_rng(0).normal(size=(1, 20))
    found = windows.distances(centres)
    windows.distances(2 * centres)
    expected = ((reference.windows(x, 20) - centres) ** 2).sum(axis=1)
    np.testing.assert_allclose(found[0], expected, rtol=1e-9)


def test_broken_and_flat_windows_are_infinitely_far():
    x = planted.series("walk")[:200].copy()
    x[50], x[100:130] = np.nan, 1.0
    out = np.zeros(181, dtype=bool)
    out[31:51] = out[100:111] = True
    windows = LatentWindows(x, 20)
    assert windows.count == 181 - 31
    for centre in (np.zeros((1, 20)), np.ones((1, 20))):
        np.testing.assert_array_equal(np.isinf(windows.distances(centre)[0]), out)


def test_exact_copies_are_found_where_they_are():
    x = np.random.default_rng(0).normal(size=300)
    x[40:70] = x[200:230] = 3 * np.sin(np.arange(30))
    for iterations in (0, 100):
        method = LatentMotifs(30, 2.0, max_sets=1, restarts=1, iterations=iterations)
        (found,) = method.find(x)
        assert found.starts.tolist() == [40, 200]


def test_annealing_ends_after_half_the_iterations():
    squares = LatentMotifs(30, 2.0, iterations=8, anneal=3.0)._squares()
    assert len(squares) == 9
    assert squares[0] == pytest.approx(12.0)
    assert np.all(np.diff(squares[:5]) < 0)
    np.testing.assert_array_equal(squares[4:], 4.0)


def test_single_centre_has_no_penalty():
    windows = LatentWindows(planted.series("uni600"), 40)
    value = windows.objective(np.ones((1, 40)), 5.0, alpha=1.0)
    assert value.penalty == 0.0
    assert not value.penalty_gradient.any()
