"""SAX words and neighbourhoods of EMMA against their definitions."""

import numpy as np
import pytest

from tests.reference import distance as reference
from tsmdbench._kernels.symbolic import neighbourhoods
from tsmdbench.methods._windows import Windows
from tsmdbench.methods.emma import Buckets, segment_averages

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


def limit_of(buckets, radius):
    return radius * radius / (LENGTH / buckets.words.shape[1])


def neighbourhood(buckets, bucket, radius):
    """Mark the windows whose words may be within the radius, by the kernel."""
    near = np.zeros(len(DISTANCES), np.bool_)
    neighbourhoods.mark_near_inplace(*buckets, limit_of(buckets, radius), bucket, near)
    return near


@pytest.mark.parametrize(("word_length", "letters"), [(4, 3), (7, 6), (20, 8)])
def test_no_match_is_outside_the_neighbourhood(word_length, letters):
    buckets = Buckets.of(Windows.of(X, LENGTH), word_length, letters)
    assert sorted(buckets.members) == list(range(len(DISTANCES)))
    assert (np.diff(np.diff(buckets.begins)) <= 0).all()
    for bucket in range(len(buckets.words)):
        members = buckets.members[buckets.begins[bucket] : buckets.begins[bucket + 1]]
        matches = (DISTANCES[members] <= 3.0).any(axis=0)
        assert (matches <= neighbourhood(buckets, bucket, 3.0)).all()


def test_windows_with_broken_samples_are_in_no_bucket():
    x = X.copy()
    x[100] = np.nan
    inside = Buckets.of(Windows.of(x, LENGTH), 4, 4).members
    assert not np.isin(np.arange(81, 101), inside).any()
    assert len(inside) == len(DISTANCES) - LENGTH


@pytest.mark.parametrize(
    ("word_length", "letters", "radius"), [(4, 3, 3.5), (10, 8, 3.5), (3, 16, 4.0)]
)
def test_buckets_are_visited_until_the_next_promises_no_more(
    word_length, letters, radius
):
    buckets = Buckets.of(Windows.of(X, LENGTH), word_length, letters)
    near_each = [neighbourhood(buckets, b, radius) for b in range(len(buckets.words))]
    bucket_sizes = np.diff(buckets.begins)
    rng = np.random.default_rng(3)
    stopped = 0
    for most in (2, 5, 20):
        sizes = rng.integers(0, most, len(DISTANCES))
        far = rng.random(len(DISTANCES)) < 0.8
        looked_at = np.zeros(len(DISTANCES), np.bool_)
        for near, size in zip(near_each, bucket_sizes, strict=True):
            if (sizes * (looked_at & far)).max() >= size:
                stopped += 1
                break
            looked_at |= near
        limit = limit_of(buckets, radius)
        found = neighbourhoods.candidates(*buckets, limit, sizes, far)
        np.testing.assert_array_equal(found, looked_at)
    assert stopped
