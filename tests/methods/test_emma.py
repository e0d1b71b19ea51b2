"""SAX words and neighbourhoods of EMMA against their definitions."""

import numpy as np
import pytest

from tests.reference import distance as reference
from tsmdbench._kernels.distance import among, sliding
from tsmdbench.methods._emma import (
    Buckets,
    breakpoints,
    cell_distances,
    segment_averages,
)
from tsmdbench.methods._windows import Windows

LENGTH = 20
X = np.random.default_rng(2).normal(size=220).cumsum() + 1e3
DISTANCES = reference.distance_matrix(X, LENGTH)


@pytest.mark.parametrize("word_length", [1, 3, 4, 8, 20])
def test_averages_share_samples_on_borders(word_length):
    z, _, _ = reference.znormalised(X, LENGTH)
    # Every sample cut into word_length parts: segments are whole numbers of parts.
    parts = np.repeat(z, word_length, axis=1).reshape(len(z), word_length, LENGTH)
    found = segment_averages(Windows.of(X, LENGTH), word_length)
    np.testing.assert_allclose(found, parts.mean(axis=2).astype(float), atol=1e-9)


def test_letters_are_equally_likely():
    draws = np.random.default_rng(0).normal(size=200_000)
    letters = np.searchsorted(breakpoints(5), draws, side="right")
    np.testing.assert_allclose(np.bincount(letters) / len(draws), 0.2, atol=0.005)


def test_cells_of_neighbouring_letters_touch():
    cells = np.sqrt(cell_distances(breakpoints(4)))
    low, middle, high = breakpoints(4)
    assert cells[0].tolist() == [0, 0, middle - low, high - low]
    np.testing.assert_array_equal(cells, cells.T)


@pytest.mark.parametrize(("word_length", "letters"), [(4, 3), (7, 6), (20, 8)])
def test_no_match_is_outside_the_neighbourhood(word_length, letters):
    buckets = Buckets.of(Windows.of(X, LENGTH), word_length, letters)
    assert sorted(np.concatenate(buckets.members)) == list(range(len(DISTANCES)))
    sizes = [len(members) for members in buckets.members]
    assert sizes == sorted(sizes, reverse=True)
    for bucket, members in enumerate(buckets.members):
        near = buckets.near(bucket, 3.0)
        matches = np.flatnonzero((DISTANCES[members] <= 3.0).any(axis=0))
        assert set(matches) <= set(near)


def test_windows_with_broken_samples_are_in_no_bucket():
    x = X.copy()
    x[100] = np.nan
    buckets = Buckets.of(Windows.of(x, LENGTH), 4, 4)
    inside = np.concatenate(buckets.members)
    assert not np.isin(np.arange(81, 101), inside).any()
    assert len(inside) == len(DISTANCES) - LENGTH


@pytest.mark.parametrize("gap", [1, LENGTH])
def test_matches_among_a_few_windows(gap):
    y, tracks = sliding.prepare(X, LENGTH)
    starts = np.sort(np.random.default_rng(1).permutation(len(DISTANCES))[:90])
    threshold = sliding.to_score(3.5, LENGTH, 1)
    sizes, spreads = among.count_among(y, tracks, LENGTH, starts, gap, threshold)
    for k, i in enumerate(starts):
        row = np.full(len(DISTANCES), np.inf)
        row[starts] = DISTANCES[i, starts]
        row[max(0, i - LENGTH + 1) : i + LENGTH] = np.inf
        chosen = reference.choose_apart(row, 3.5, gap - 1, gap - 1)
        assert sizes[k] == len(chosen)
        at = [distance for _, distance in chosen] or [0.0]
        assert spreads[k] == pytest.approx(np.std(at), abs=1e-7)
    assert sizes.max() > 1
