"""The study of the public notebook: its construction, and its number with its seed."""

import numpy as np
import pytest

from tsmdbench.archive import load
from tsmdbench.datasets.dataset import Dataset
from tsmdbench.paper.random_walk import (
    NOTEBOOK_F1,
    notebook_problems,
    seed_study,
    shipped_seed_study,
)


def inserted(seed, shapes, n):
    """The construction as written in the notebook: one instance after the other."""
    draws = np.random.RandomState(seed)
    t = draws.normal(size=n - sum(len(x) - 1 for x in shapes)).cumsum()
    places = draws.choice(len(t), size=len(shapes), replace=False)
    for i, shape in enumerate(shapes):
        place = places[i]
        t = np.concatenate((t[:place], shape + t[place], t[place + 1 :]))
        places[place < places] += len(shape) - 1
    return t, places.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_series_are_joined_as_in_the_notebook(seed):
    from tsmdbench.paper.random_walk import _joined

    rng = np.random.default_rng(seed)
    shapes = list(rng.normal(size=(4, 12)).cumsum(axis=1))
    series, starts = _joined(np.random.RandomState(seed), shapes)
    expected, places = inserted(seed, shapes, 25 * 12)
    np.testing.assert_array_equal(series, expected)
    assert starts == places


def test_instances_of_a_series_are_of_one_class_and_two_to_seven():
    rng = np.random.default_rng(0)
    shapes = tuple(rng.normal(size=(30, 20, 1)).cumsum(axis=1))
    dataset = Dataset("made", shapes, tuple("abc" * 10), ("TRAIN",) * 30)
    problems = notebook_problems(dataset, seed=3)
    assert len(problems) == 20
    counts = [len(motifs) for p in problems for motifs in p.truth.values()]
    assert all(len(problem.truth) == 1 for problem in problems)
    assert set(counts) <= set(range(2, 8))
    assert all(len(problem.series) == 500 for problem in problems)


def test_the_shipped_study_has_both_levels_of_twenty_seeds():
    rows = shipped_seed_study()
    assert [(row.seed, row.alpha) for row in rows] == [
        (seed, alpha) for seed in range(20) for alpha in (0.05, 0.01)
    ]
    (same,) = [row.f1 for row in rows if (row.seed, row.alpha) == (10, 0.01)]
    assert same == pytest.approx(NOTEBOOK_F1, abs=1e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("data_folder")
def test_the_seed_of_the_notebook_gives_its_number():
    (row,) = seed_study(load("Symbols"), [10], alphas=(0.01,))
    assert row.f1 == pytest.approx(NOTEBOOK_F1, abs=1e-6)
