"""Kernels of VONSEM's distance against the definition, cell by cell."""

import numpy as np
import pytest

from tests.reference import vonsem as reference
from tsmdbench._kernels.distance import vonsem

# Without compilation, NaN from a correlation above 1 and a deviation of 0 warn.
pytestmark = [
    pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]
M, THRESHOLD, CAP = 9, 0.2, 2.0
CLIP = np.array([THRESHOLD, CAP, 1.0])
NO_CLIP = np.array([THRESHOLD, CAP, 0.0])


@pytest.fixture
def x():
    rng = np.random.default_rng(3)
    x = rng.normal(size=90).cumsum()
    x[60:80] = x[10:30] + 0.05 * rng.normal(size=20)
    return x


def prepared(x):
    return vonsem.plain_moments(x, M), vonsem.first_row(x, M)


def test_moments_and_first_row(x):
    moments, dots = prepared(x)
    windows = np.lib.stride_tricks.sliding_window_view(x, M)
    np.testing.assert_allclose(moments[0], windows.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(moments[1], windows.std(axis=1), rtol=1e-12)
    np.testing.assert_allclose(dots, windows @ x[:M], rtol=1e-12)


def test_matrix_summary_and_diagonals(x):
    moments, dots = prepared(x)
    alive = np.ones(dots.size, dtype=bool)
    thresholds = np.array([THRESHOLD, 0.0, 0.4])
    profile, counts = vonsem.matrix_summary(
        x, M, moments, dots, alive, thresholds, CLIP
    )
    cells = reference.matrix(x, M, CAP)
    np.testing.assert_allclose(profile, reference.profile(cells, M), atol=1e-7)
    assert not counts[1].any()
    for offset in range(M // 2, alive.size):
        diagonal = np.diagonal(cells, offset)
        hits = vonsem.diagonal_hits(x, M, moments, dots, offset, alive, CLIP)
        np.testing.assert_array_equal(hits, diagonal < THRESHOLD)
        assert counts[0, offset] == hits.sum()
        assert counts[2, offset] == np.count_nonzero(diagonal < 0.4)
    assert counts[0].any()


def plain_summary(x, moments, dots, alive, thresholds, rule):
    """Return the summary cell by cell, row after row, as the authors' code has it."""
    size, zone = dots.size, M // 4
    profile = np.ones(size)
    counts = np.zeros((len(thresholds), size), np.int64)
    row = dots.copy()
    for i in range(size):
        if i:
            moved = row[:-1] - x[: size - 1] * x[i - 1]
            row[1:] = moved + x[M : size + M - 1] * x[i + M - 1]
            row[0] = dots[i]
        for j in np.flatnonzero(alive) if alive[i] else ():
            if i - zone <= j < i + zone:
                continue
            value = vonsem.distance(row[j], M, moments[:, i], moments[:, j], rule)
            profile[j] = np.minimum(profile[j], value)  # NaN stays
            if j - i >= M // 2:
                counts[:, j - i] += value < thresholds
    return np.where(alive, profile, np.inf), counts


def difficult(name, x):
    rng = np.random.default_rng(0)
    if name == "noise":
        return rng.normal(size=x.size)
    if name == "level":  # the mean costs all but four digits
        return x + 1e6
    if name == "copies":
        x = 0.1 * rng.normal(size=x.size) + 7.0
        x[50:80] = x[5:35]
    elif name == "plateaus":
        x = np.round(x)
        x[20:45] = 1.0
    elif name == "spikes":
        x = np.where(rng.random(x.size) < 0.05, 1e200, x)
    elif name == "tiny":
        x = 1e-200 * x
    return x


@pytest.mark.parametrize("rule", [CLIP, NO_CLIP], ids=["clip", "no clip"])
@pytest.mark.parametrize(
    "name", ["walk", "noise", "level", "copies", "plateaus", "spikes", "tiny"]
)
def test_screening_changes_no_bit(x, name, rule):
    x = difficult(name, x)
    moments, dots = prepared(x)
    thresholds = np.array([THRESHOLD, 0.05])
    for share in (1.0, 0.8):
        alive = np.random.default_rng(1).random(dots.size) < share
        profile, counts = vonsem.matrix_summary(
            x, M, moments, dots, alive, thresholds, rule
        )
        expected = plain_summary(x, moments, dots, alive, thresholds, rule)
        np.testing.assert_array_equal(profile, expected[0])
        np.testing.assert_array_equal(counts, expected[1])


def test_more_windows_than_a_tile_has_diagonals():
    x = np.random.default_rng(6).normal(size=330).cumsum()
    moments, dots = prepared(x)
    alive = np.ones(dots.size, dtype=bool)
    thresholds = np.array([THRESHOLD])
    found = vonsem.matrix_summary(x, M, moments, dots, alive, thresholds, CLIP)
    expected = plain_summary(x, moments, dots, alive, thresholds, CLIP)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_dead_windows_are_left_out(x):
    moments, dots = prepared(x)
    alive = np.ones(dots.size, dtype=bool)
    alive[12:17] = False
    thresholds = np.array([THRESHOLD])
    profile, counts = vonsem.matrix_summary(
        x, M, moments, dots, alive, thresholds, CLIP
    )
    cells = reference.matrix(x, M, CAP)
    cells[~alive] = cells[:, ~alive] = np.inf
    np.testing.assert_array_equal(np.isinf(profile), ~alive)
    np.testing.assert_allclose(
        profile[alive], reference.profile(cells, M)[alive], atol=1e-7
    )
    hits = vonsem.diagonal_hits(x, M, moments, dots, 50, alive, CLIP)
    np.testing.assert_array_equal(hits, np.diagonal(cells, 50) < THRESHOLD)
    assert counts[0, 50] == hits.sum()
    assert hits.any()


def test_exact_copies_are_nan_unless_clipped():
    x = np.random.default_rng(5).normal(size=80) * 0.1 + 7.0
    x[40:70] = x[5:35]
    moments, dots = prepared(x)
    alive = np.ones(dots.size, dtype=bool)
    arguments = (x, M, moments, dots, alive, np.array([THRESHOLD]))
    loose, _ = vonsem.matrix_summary(*arguments, NO_CLIP)
    clipped, counts = vonsem.matrix_summary(*arguments, CLIP)
    assert np.isnan(loose).any()
    assert np.isfinite(clipped).all()
    assert (
        counts[0, 35]
        == vonsem.diagonal_hits(x, M, moments, dots, 35, alive, CLIP).sum()
    )
    assert counts[0, 35] >= 22


@pytest.mark.parametrize("i", [0, 25, 68])
def test_distance_profile_and_pair(x, i):
    rule = np.array([0.3, 1.0, 1.0])
    exact = vonsem.plain_moments(x, M)
    rough = exact * (1 + 1e-9)
    expected = [
        reference.pair(x[i : i + M], x[j : j + M], 1.0) for j in range(len(x) - M + 1)
    ]
    found = vonsem.distance_profile(x, i, M, rough, rule)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    below = np.flatnonzero(np.array(expected) < 0.3)
    np.testing.assert_array_equal(  # near the threshold, rough moments do not count
        found[below], vonsem.distance_profile(x, i, M, exact, rule)[below]
    )
    pairs = [vonsem.pair_distance(x, i, j, M, rule) for j in range(len(expected))]
    np.testing.assert_allclose(pairs, expected, atol=1e-7)


def test_pair_of_constant_windows():
    x = np.concatenate([np.full(9, 2.0), np.full(9, 5.0), np.arange(9.0)])
    assert vonsem.pair_distance(x, 0, 9, M, CLIP) == 0.0
    expected = reference.pair(x[:9], x[18:], CAP)
    assert vonsem.pair_distance(x, 0, 18, M, CLIP) == pytest.approx(expected)


def test_last_hit():
    hits = np.array([True, False, True, True, False])
    alive = np.ones(8, dtype=bool)
    assert [vonsem.last_hit(hits, alive, start) for start in (4, 2, 1, -1)] == [
        3,
        2,
        0,
        -1,
    ]
    alive[[3, 5]] = False  # the row of cell 3, which is the column of 0, and that of 2
    assert vonsem.last_hit(hits, alive, 4) == -1
    alive[3] = True
    assert vonsem.last_hit(hits, alive, 4) == 3
    assert vonsem.last_hit(hits, alive, 2) == 0
