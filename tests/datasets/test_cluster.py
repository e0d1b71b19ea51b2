"""Distances against their definition, clustering against a public index."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.alignment import dtw
from tsmdbench.datasets.cluster import (
    adjusted_rand_of_classes,
    class_balanced,
    distance_matrix,
    dtw_matrix,
    euclidean_matrix,
    near_duplicate_classes,
    resampled,
)
from tsmdbench.datasets.construct import normalized
from tsmdbench.datasets.draws import Draws
from tsmdbench.errors import InputError

pytestmark = pytest.mark.archive

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("lengths", [[9] * 21, list(RNG.integers(2, 12, 21))])
def test_dtw_agrees_with_its_definition(lengths):
    instances = [RNG.normal(size=(length, 2)) for length in lengths]
    seen = []
    found = dtw_matrix(instances, progress=lambda *done: seen.append(done))
    assert found.dtype == np.float32
    expected = [[dtw(a, b) for b in instances] for a in instances]
    assert np.allclose(found, expected, rtol=1e-6)
    assert np.array_equal(found, dtw_matrix(instances, jobs=2))
    assert seen == sorted(set(seen))
    assert seen[-1] == (21, 21)
    squared, root = (distance_matrix(instances, d) for d in ("dtw", "dtw_root"))
    np.testing.assert_allclose(root**2, squared, rtol=1e-5)


def test_distances_are_between_normalised_instances_of_one_length():
    instances = [np.linspace(0, 1, n)[:, None] for n in (3, 5)] + [np.zeros((4, 1))]
    found = euclidean_matrix(instances)
    assert found[0, 1] == pytest.approx(0, abs=1e-6)
    assert found[0, 2] == pytest.approx(np.linalg.norm(np.linspace(0, 1, 4)), rel=1e-6)
    assert resampled(instances, 4).shape == (3, 4, 1)
    shape = np.sin(np.arange(20.0))[:, None]
    for distance in ("euclidean", "dtw"):
        found = distance_matrix([shape, 5 * shape + 3], distance)
        assert np.allclose(found, 0, atol=1e-6)
    with pytest.raises(InputError, match="distance must be one of"):
        distance_matrix([shape], "cosine")


def test_clustering_finds_classes_that_are_apart():
    centres = np.repeat([0.0, 10.0, 20.0], 10)
    points = centres + RNG.normal(size=30)
    distances = np.abs(points[:, None] - points).astype(np.float32)
    labels = [str(centre) for centre in centres]
    assert adjusted_rand_of_classes(distances, labels) == 1.0
    assert adjusted_rand_of_classes(distances, list("ab" * 15)) < 0.2
    points = np.concatenate([RNG.normal(size=20), RNG.normal(size=20), 50 + np.ones(3)])
    distances = np.abs(points[:, None] - points).astype(np.float32)
    labels = ["a"] * 20 + ["b"] * 20 + ["c"] * 3
    assert near_duplicate_classes(distances, labels) == [("a", "b")]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=60),
    st.integers(2, 40),
    st.integers(0, 5),
)
def test_a_class_balanced_part_is_as_even_as_it_can_be(labels, size, seed):
    kept = class_balanced(labels, size, seed)
    assert len(kept) == min(size, len(labels))
    assert len(set(kept)) == len(kept)
    counts = {label: labels.count(label) for label in set(labels)}
    taken = {label: sum(labels[k] == label for k in kept) for label in counts}
    most = max(taken.values())
    assert all(taken[c] == counts[c] or taken[c] >= most - 1 for c in counts)


def test_draws_are_uniform_and_fixed():
    assert Draws(0, "x").shuffled(range(9)) != Draws(1, "x").shuffled(range(9))
    draws = Draws(5, "uniform")
    counts = np.bincount([draws.below(7) for _ in range(14_000)], minlength=7)
    assert abs(counts - 2000).max() < 200  # over four standard deviations
    firsts = [Draws(5, "sample", k).sample(range(5), 2) for k in range(4000)]
    assert all(len(set(pair)) == 2 for pair in firsts)
    pairs = np.bincount([5 * a + b for a, b in firsts], minlength=25)
    assert pairs.reshape(5, 5)[~np.eye(5, dtype=bool)].min() > 130
    # Frozen: the definition, written out again, must never change.
    block = hashlib.sha256(b"0\x1ffrozen\x1f7\x1e0").digest()
    words = [int.from_bytes(block[k : k + 8], "big") for k in (24, 16, 8, 0)]
    stream = Draws(0, "frozen", 7)
    assert [stream.below(1000) for _ in range(4)] == [word % 1000 for word in words]
    assert [Draws(0, "frozen", k).below(1000) for k in range(5)] == FROZEN


FROZEN = [524, 304, 176, 300, 722]


def test_normalisation_has_mean_zero_and_deviation_one():
    values = RNG.normal(3, 7, size=(50, 4))
    joint = normalized(values, "joint")
    assert joint.mean() == pytest.approx(0, abs=1e-14)
    assert joint.std() == pytest.approx(1, abs=1e-14)
    assert np.allclose(joint, (values - values.mean()) / values.std(), atol=1e-14)
    channel = normalized(values, "channel")
    assert np.allclose(channel.std(axis=0), 1, atol=1e-14)
    assert normalized(values, None) is values
    assert not normalized(np.full((5, 1), 0.1), "joint").any()


def test_normalisation_does_not_depend_on_the_order_of_addition():
    values = RNG.normal(size=(301, 3)) * 10.0 ** RNG.integers(-8, 8, size=(301, 3))
    forward = normalized(values, "joint")
    backward = normalized(np.ascontiguousarray(values[::-1]), "joint")
    assert forward.tobytes() == np.ascontiguousarray(backward[::-1]).tobytes()
