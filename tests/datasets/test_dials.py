"""Generated problems are what their dials say, by definition."""

import hashlib
import itertools

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from tsmdbench.benchmark import DIALS, Difficulty, dial_problem, load_dials
from tsmdbench.datasets.dials import (
    LENGTH,
    OCCURRENCES,
    dial_datasets,
    dial_names,
    random_shape,
)
from tsmdbench.datasets.draws import Draws
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.experiments.settings import data_facts
from tsmdbench.experiments.sources import difficulty_of, load_problems, stored_name

SEED = 3
DIGEST = "db67762b14881de7ac66706c98accaaa3e51145065032e632242900e28ec3c82"


def clean(**positions):
    """Return a problem without noise, and its shapes by label."""
    difficulty = Difficulty(**{"noise": 0.0, **positions})
    problem = dial_problem(difficulty, SEED, name="x")
    shapes = {
        label: random_shape(Draws(SEED, "x", LENGTH, "shape", place), LENGTH)
        for place, label in enumerate(problem.truth)
    }
    return problem, shapes


def occurrences(problem, shapes):
    """Yield each occurrence with its shape."""
    for label, motifs in problem.truth.items():
        for start, end in motifs:
            yield problem.series[start:end], shapes[label]


def test_a_shape_is_a_cubic_spline_through_its_heights():
    shape = random_shape(Draws(1), 60)
    heights, places = shape.heights, np.arange(len(shape.heights), dtype=float)
    slopes = np.gradient(heights)
    slopes[[0, -1]] = 0.0
    times = np.linspace(0, 1, 97)
    expected = CubicHermiteSpline(places, heights, slopes)(times * places[-1])
    assert shape.at(times) == pytest.approx(expected, abs=1e-12)
    assert shape.samples(60).std() == pytest.approx(1.0)
    assert np.allclose(shape.samples(31, bend=0.0)[::2], shape.samples(16))


def test_occurrences_are_the_shape_and_begin_and_end_without_a_jump():
    problem, shapes = clean()
    found = list(occurrences(problem, shapes))
    assert len(found) == 2 * OCCURRENCES
    for values, shape in found:
        assert np.array_equal(values, shape.samples(LENGTH))
    problem, _ = clean(amplitude=2.0, stretch=0.5, warping=0.8)
    for start, end in itertools.chain.from_iterable(problem.truth.values()):
        around = problem.series[[start - 1, start, end - 1, end]]
        assert around == pytest.approx(0.0, abs=1e-12)


def test_noise_has_the_deviation_that_it_says():
    problem, _ = clean()
    noisy, _ = clean(noise=0.5)
    added = noisy.series - problem.series
    assert noisy.truth == problem.truth
    assert added.std() == pytest.approx(0.5, rel=0.1)
    assert np.corrcoef(added[1:], added[:-1])[0, 1] == pytest.approx(0.0, abs=0.1)


def test_amplitudes_vary_within_their_range_in_both_directions():
    problem, shapes = clean(amplitude=2.0)
    factors = []
    for values, shape in occurrences(problem, shapes):
        plain = shape.samples(LENGTH)
        factor = (values @ plain) / (plain @ plain)
        assert values == pytest.approx(factor * plain)
        factors.append(factor)
    assert min(factors) >= 1 / 3
    assert max(factors) <= 3
    assert min(factors) < 1 < max(factors)
    spread = {}
    for amplitude in (0.0, 4.0):  # the background varies as motifs do
        problem, _ = clean(amplitude=amplitude)
        every = sorted(pair for motifs in problem.truth.values() for pair in motifs)
        between = [problem.series[a:b] for (_, a), (b, _) in itertools.pairwise(every)]
        spread[amplitude] = np.std([piece.std() for piece in between])
    assert spread[0.0] == pytest.approx(0.0, abs=1e-9)
    assert spread[4.0] > 0.5


def test_lengths_and_pace_vary_within_their_range_and_nothing_else():
    problem, shapes = clean(stretch=0.5)
    lengths = [len(values) for values, _ in occurrences(problem, shapes)]
    assert 0.5 * LENGTH <= min(lengths) < 0.8 * LENGTH
    assert 1.2 * LENGTH < max(lengths) <= 1.5 * LENGTH
    for values, shape in occurrences(problem, shapes):
        assert np.array_equal(values, shape.samples(len(values)))
    problem, shapes = clean(warping=0.8)
    bends = np.linspace(-0.8, 0.8, 801)
    found = []
    for values, shape in occurrences(problem, shapes):
        apart = [np.abs(shape.samples(LENGTH, b) - values).max() for b in bends]
        assert min(apart) < 0.02
        found.append(bends[np.argmin(apart)])
    assert min(found) < -0.3
    assert max(found) > 0.3


def test_number_and_sizes_of_sets():
    for sets, imbalance, sizes in (
        (1, 0.0, [6]),
        (2, 0.0, [6, 6]),
        (2, 0.25, [7, 5]),
        (2, 0.5, [8, 4]),
        (2, 0.75, [9, 3]),
        (2, 1.0, [10, 2]),
        (4, 1.0, [18, 2, 2, 2]),
    ):
        problem, _ = clean(sets=sets, imbalance=imbalance)
        assert [len(motifs) for motifs in problem.truth.values()] == sizes


@pytest.mark.parametrize("gap", [0.5, 1.0, 6.0])
def test_gaps_have_the_length_that_they_say(gap):
    problem, _ = clean(gap=gap, sets=6)
    every = sorted(pair for motifs in problem.truth.values() for pair in motifs)
    ends = [0, *(end for _, end in every)]
    starts = [*(start for start, _ in every), len(problem.series)]
    gaps = np.subtract(starts, ends) / LENGTH
    assert gaps.min() >= round(0.5 * gap * LENGTH) / LENGTH
    assert gaps.max() <= round(1.5 * gap * LENGTH) / LENGTH
    assert gaps.mean() == pytest.approx(gap, rel=0.15)


def test_empty_channels_carry_nothing():
    problem, _ = clean()
    wide, _ = clean(empty_channels=3)
    assert wide.truth == problem.truth
    assert wide.series.shape == (len(problem.series), 4)
    assert np.array_equal(wide.series[:, -1], problem.series)
    for channel in wide.series.T[:-1]:
        assert channel.std() == pytest.approx(1.0)
        for motifs in wide.truth.values():
            rows = [channel[start:end] for start, end in motifs]
            alike = np.corrcoef(rows) - np.eye(len(rows))
            assert alike.max() < 0.9


def test_a_seed_gives_the_same_bytes_on_every_machine():
    problem, _ = clean(amplitude=1.0, stretch=0.2, warping=0.4, empty_channels=1)
    digest = hashlib.sha256(np.ascontiguousarray(problem.series, "<f8").tobytes())
    assert digest.hexdigest() == DIGEST
    again = dial_problem(Difficulty(), 5)
    assert np.array_equal(again.series, dial_problem(Difficulty(), 5).series)
    assert not np.array_equal(again.series, dial_problem(Difficulty(), 6).series)


def test_positions_begin_at_the_default_and_get_harder():
    assert tuple(DIALS) == dial_names()
    for dial, positions in DIALS.items():
        assert positions[0] == getattr(Difficulty(), dial)
        assert list(positions) == sorted(set(positions))
    datasets = [*map(stored_name, dial_datasets())]
    assert datasets[:2] == ["dials", "dials?noise=0.25"]
    assert "dials?noise=1" in datasets
    assert len(datasets) == 1 + sum(len(p) - 1 for p in DIALS.values())
    for dataset in datasets[1:]:
        ((dial, position),) = difficulty_of(dataset).moved.items()
        assert position in DIALS[dial][1:]
    assert difficulty_of(datasets[0]).moved == {}


def test_a_dataset_is_named_by_its_dials():
    named = load_problems("dials?sets=3&noise=0.5&seed=2&protocol=pvldb", "test", 2)
    loaded = load_dials("test", sets=3, noise=0.5, seed=2)[:2]
    assert [problem.name for problem in named] == ["dials/test/000", "dials/test/001"]
    for one, other in zip(named, loaded, strict=True):
        assert np.array_equal(one.series, other.series)
    assert difficulty_of("dials?noise=0.5&protocol=pvldb") is None
    assert difficulty_of("Symbols?noise=0.5") is None


def test_a_position_changes_one_dial_only_and_settings_come_from_one_problem():
    plain, noisy = load_dials("validation"), load_dials("validation", noise=1.0)
    for one, other in zip(plain, noisy, strict=True):
        assert (one.name, one.truth) == (other.name, other.truth)
    # Problems have shapes of their own: with common labels the radius would be that of
    # unrelated windows, about the root of twice the length.
    facts = data_facts(load_dials("validation"))
    assert (facts.length, facts.l_min, facts.l_max) == (LENGTH, LENGTH, LENGTH)
    assert (facts.k_max, facts.max_sets) == (2 * OCCURRENCES, 2)
    assert facts.joint_radius < 2.0


@pytest.mark.slow
def test_motifs_cannot_be_told_from_their_background():
    from tsmdbench import METHODS, evaluate

    method = METHODS["random_walk_detector"](window=LENGTH)
    scores = [
        evaluate(problem.truth, method.find(problem.series))["prom_f1"]
        for problem in load_dials("validation")
    ]
    assert np.mean(scores) < 0.2


def test_positions_out_of_range_raise():
    for positions, sentence in (
        ({"noise": -0.1}, "noise must be at least 0, got -0.1"),
        ({"amplitude": float("nan")}, "amplitude"),
        ({"stretch": 1.0}, "stretch must lie in \\[0, 1\\), got 1.0"),
        ({"warping": 1.5}, "warping must lie in"),
        ({"sets": 0}, "sets must be at least 1"),
        ({"imbalance": 1.1}, "imbalance must lie in"),
        ({"imbalance": 0.5, "sets": 1}, "imbalance needs at least two sets"),
        ({"gap": 0}, "gap must be above 0, got 0"),
        ({"empty_channels": -1}, "empty_channels must be at least 0"),
    ):
        with pytest.raises(InputError, match=sentence):
            Difficulty(**positions)
    for value in ("2", None, 2.5):
        with pytest.raises(InputTypeError, match="sets"):
            Difficulty(sets=value)
    for call, sentence in (
        (lambda: dial_problem(Difficulty(), 0, length=7), "length must be at least 8"),
        (lambda: dial_problem(Difficulty(), 0, occurrences=1), "must be at least 2"),
        (lambda: dial_problem(Difficulty(), -1), "seed must be at least 0"),
        (lambda: load_dials(colour=1), "dial must be one of 'noise'"),
        (lambda: load_dials("train"), "split must be one of"),
        (lambda: stored_name({"name": "dials", "colour": 1}), "no option 'colour'"),
        (lambda: load_problems("dials?noise=loud", "test"), "noise must be a number"),
    ):
        with pytest.raises(InputError, match=sentence):
            call()
