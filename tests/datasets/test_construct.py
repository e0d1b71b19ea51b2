"""One problem: its structure, whatever the classes, sizes, copies and g."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsmdbench.datasets.construct import (
    Pool,
    copy_groups,
    draw_recipe,
    largest_g,
    stratified_split,
    truth_of,
)
from tsmdbench.datasets.draws import Draws
from tsmdbench.errors import InputError


@st.composite
def pools(draw):
    """Labels of 2 to 12 classes with 2 to 9 instances, some of them copies."""
    sizes = draw(st.lists(st.integers(2, 9), min_size=2, max_size=12))
    labels = [f"c{c}" for c, size in enumerate(sizes) for _ in range(size)]
    groups = list(range(len(labels)))
    start = 0
    for size in sizes:
        for extra in range(2, size):
            if draw(st.booleans()):
                groups[start + extra] = start + draw(st.integers(0, 1))
        start += size
    return Pool(labels, groups)


@settings(deadline=None)
@given(pools(), st.integers(0, 50))
def test_recipe_has_the_structure_of_the_paper(pool, seed):
    recipe = draw_recipe(pool, Draws(seed))
    motifs, separators = recipe[::2], recipe[1::2]
    classes = Counter(pool.labels[position] for position in motifs)
    between = [pool.labels[position] for position in separators]
    assert 1 <= len(classes) <= largest_g(len(pool.classes))
    assert min(classes.values()) >= 2
    assert len(motifs) == len(separators) + 1
    assert len(set(between)) == len(between)
    assert not set(between) & set(classes)
    assert len(set(recipe)) == len(recipe)
    groups = [pool.groups[position] for position in recipe]
    assert len(set(groups)) == len(groups)
    if len(classes) + len(between) < len(pool.classes):  # a class ran out of instances
        members = [p for label in classes for p in pool.by_class[label]]
        assert len(motifs) == len({pool.groups[position] for position in members})
    highest = largest_g(len(pool.classes))
    for g, options in ((highest, {"g_min": highest}), (1, {"g_max": 1})):
        recipe = draw_recipe(pool, Draws(seed), **options)
        assert len({pool.labels[position] for position in recipe[::2]}) == g


def test_g_is_uniform():
    pool = Pool([f"c{k % 8}" for k in range(64)], range(64))
    counts = Counter(
        len({pool.labels[position] for position in draw_recipe(pool, Draws(k))[::2]})
        for k in range(3000)
    )
    assert set(counts) == {1, 2, 3}
    assert max(abs(count - 1000) for count in counts.values()) < 120  # 4.6 deviations


def test_every_class_repeats_and_separates_equally_often():
    pool = Pool([f"c{k % 5}" for k in range(50)], range(50))
    repeating, leading = Counter(), Counter()
    for k in range(3000):
        recipe = draw_recipe(pool, Draws(k), g_min=2)
        repeating.update({pool.labels[position] for position in recipe[::2]})
        leading[pool.labels[recipe[1]]] += 1
    assert max(abs(repeating[c] - 1200) for c in pool.classes) < 130
    assert max(abs(leading[c] - 600) for c in pool.classes) < 110


def test_pools_and_g_that_cannot_work_are_refused():
    for labels, groups, sentence in (
        ("aaaa", range(4), r"too few classes \(1\)"),
        ("aabbc", range(5), "class 'c' has only one instance"),
        ("aabb", [0, 0, 2, 3], "class 'a' has only one instance"),
    ):
        with pytest.raises(InputError, match=sentence):
            Pool(labels, groups)
    pool = Pool("aabbccddee", range(10))
    for options, sentence in (
        ({"g_max": 3}, "g_max must be at most 2 for 5 classes"),
        ({"g_min": 3}, "g_min must be at most g_max, which is 2"),
        ({"g_min": 0}, "g_min must be at least 1"),
    ):
        with pytest.raises(InputError, match=sentence):
            draw_recipe(pool, Draws(0), **options)


def test_copies_across_classes_do_not_meet():
    labels = "aabbccc"
    groups = [0, 1, 0, 3, 4, 5, 1]  # instance 2 of b copies a's, 6 of c the other
    for seed in range(200):
        try:
            recipe = draw_recipe(Pool(labels, groups), Draws(seed))
        except InputError as error:
            assert "copy of an instance of another class" in str(error)  # noqa: PT017
            continue
        used = [groups[position] for position in recipe]
        assert len(set(used)) == len(used)


def test_truth_follows_the_recipe():
    truth = truth_of(["b", "x", "10", "y", "b", "z", "10"], [3, 1, 4, 1, 5, 9, 2])
    assert {label: list(motifs) for label, motifs in truth.items()} == {
        "10": [(4, 8), (23, 25)],
        "b": [(0, 3), (9, 14)],
    }
    assert list(truth) == ["10", "b"]


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=3, max_size=80), st.integers(0, 9))
def test_split_is_a_stratified_partition(labels, seed):
    groups = range(len(labels))
    sides = stratified_split(labels, groups, Draws(seed))
    assert sorted(sides["validation"] + sides["test"]) == list(groups)
    for label in set(labels):
        size = labels.count(label)
        chosen = sum(labels[position] == label for position in sides["validation"])
        if size >= 4:
            assert 2 <= chosen <= size - 2
            assert chosen == max(2, int(size / 5 + 0.5))
        else:
            assert chosen == size // 2


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=80).map(
        lambda kinds: [kinds.index(kind) for kind in kinds]
    ),
    st.integers(0, 9),
)
def test_copies_stay_on_one_side(groups, seed):
    labels = ["ab"[group % 2] for group in groups]
    sides = stratified_split(labels, groups, Draws(seed))
    left = {groups[position] for position in sides["validation"]}
    right = {groups[position] for position in sides["test"]}
    assert not left & right


def test_copies_are_equal_in_every_byte_and_shape():
    one = np.arange(6.0)
    instances = [
        one.reshape(3, 2),
        one.reshape(6, 1),
        one.reshape(3, 2).copy(),
        np.nextafter(one, 9).reshape(3, 2),
    ]
    assert copy_groups(instances) == (0, 1, 0, 3)
