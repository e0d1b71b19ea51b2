"""What the documentation says that methods find badly, they do find badly."""

import numpy as np
import pytest

from tsmdbench import METHODS, prom
from tsmdbench.methods.contract import planted_problem


def planted(copies, scale=1.0, level=0.0, length=40, seed=0):
    """Noise with copies of a pattern; the last one scaled and lifted."""
    rng = np.random.default_rng(seed)
    x = 0.5 * rng.normal(size=120 * copies + 60)
    pattern = (
        3 * np.sin(np.linspace(0, 3 * np.pi, length)) * np.linspace(1, 0.2, length)
    )
    starts = [60 + 120 * k for k in range(copies)]
    for k, start in enumerate(starts):
        last = k == copies - 1
        shape = pattern * (scale if last else 1.0) + (level if last else 0.0)
        x[start : start + length] = shape + 0.05 * rng.normal(size=length)
    return x, starts


def found_starts(sets, starts, tolerance=8):
    """Which of the planted starts are in the first set."""
    first = [start for start, _ in sets[0]] if sets else []
    return [any(abs(s - planted) <= tolerance for s in first) for planted in starts]


def test_setfinder_as_published_returns_the_first_set_shifted():
    problem = planted_problem()
    make = METHODS["setfinder"]
    loose = make(length=50, radius=2.0, max_sets=2, disjoint=False)
    first, second = loose.find(problem.series)
    shifts = {abs(a - b) for (a, _), (b, _) in zip(first, second, strict=False)}
    assert max(shifts) < 50
    apart = make(length=50, radius=2.0, max_sets=2)
    assert prom(problem.truth, apart.find(problem.series)).f1 == 1.0


def test_motiflets_have_one_set_per_size():
    make = METHODS["motiflets"]
    for seed in range(5):
        sets = make(l_min=50, l_max=50, k_max=8).find(planted_problem(seed=seed).series)
        sizes = [len(motifs) for motifs in sets]
        assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize(("scale", "level"), [(3.0, 0.0), (1.0, 12.0)])
def test_locomotif_misses_copies_at_another_amplitude_or_level(scale, level):
    x, starts = planted(4, scale, level)
    loco = METHODS["locomotif"](l_min=35, l_max=45, max_sets=1).find(x)
    stomp = METHODS["stomp"](length=40, max_sets=1).find(x)
    assert not found_starts(loco, starts)[-1]
    assert found_starts(stomp, starts)[-1]


def test_vonsem_misses_copies_at_another_amplitude():
    x, starts = planted(4, scale=6.0)
    sets = METHODS["vonsem"](l_min=40, radius=3.0, max_sets=1).find(x)
    assert found_starts(sets, starts) == [True, True, True, False]


@pytest.mark.parametrize("name", ["valmod", "panmp"])
def test_a_range_of_lengths_is_used_at_its_short_end(name):
    settings = {"l_min": 30, "l_max": 50, "max_sets": 1}
    if name == "valmod":
        settings["radius_factor"] = 3.0
    (found,) = METHODS[name](**settings).find(planted_problem().series)
    assert found.lengths.max() < 40


def test_a_nearly_exact_pair_leaves_the_others_out():
    x, starts = planted(4)
    x[starts[1] : starts[1] + 40] = x[starts[0] : starts[0] + 40]
    x[starts[1]] += 1e-6
    sets = METHODS["stomp"](length=40, max_sets=1).find(x)
    assert found_starts(sets, starts) == [True, True, False, False]


@pytest.mark.parametrize("name", ["emma", "setfinder", "mmotifs"])
def test_one_length_and_one_radius_miss_stretched_copies(name):
    rng = np.random.default_rng(1)
    x = 0.5 * rng.normal(size=600)
    pattern = np.sin(np.linspace(0, 4 * np.pi, 200)) * np.linspace(1, 0.1, 200)
    for start, length in ((60, 40), (240, 60), (440, 90)):
        copy = np.interp(np.linspace(0, 199, length), np.arange(200), 3 * pattern)
        x[start : start + length] = copy + 0.05 * rng.normal(size=length)
    truth = [[(60, 100), (240, 300), (440, 530)]]
    radius = 2.0  # copies of one length, with this noise, are 0.5 apart
    one = METHODS[name](length=60, radius=radius, max_sets=1).find(x)
    any_length = METHODS["locomotif"](l_min=40, l_max=90, max_sets=1).find(x)
    assert prom(truth, one).f1 < 0.5
    assert prom(truth, any_length).f1 == 1.0


def test_random_walk_detector_finds_nothing_where_nothing_is_random_walk():
    problem = planted_problem()
    found = METHODS["random_walk_detector"](window=25).find(problem.series)
    assert prom(problem.truth, found).f1 < 0.5
