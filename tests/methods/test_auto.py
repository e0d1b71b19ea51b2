"""Auto: finds what is there without parameters, and nothing in noise."""

import numpy as np
import pytest

from tsmdbench import InputError, prom
from tsmdbench.cli import main
from tsmdbench.example import example_path
from tsmdbench.experiments import data_facts, experiment, extra_methods
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import untuned
from tsmdbench.methods import Auto, planted_problem


def machine():
    """The recording of docs/guide/recording.md, and its truth."""
    rng = np.random.default_rng(7)
    signal = 0.15 * rng.normal(size=3000)
    time = np.arange(120) / 120
    places = {"stroke": (200, 900, 1500, 2600), "click": (550, 1200, 2100)}
    shapes = {
        "stroke": np.sin(25 * time**2) * (1 - time),
        "click": np.sign(np.sin(14 * time)) * time,
    }
    for name, starts in places.items():
        for start in starts:
            signal[start : start + 120] += 2 * shapes[name]
    truth = {name: [(s, s + 120) for s in starts] for name, starts in places.items()}
    return signal.round(4), truth


@pytest.fixture(scope="module")
def machine_results():
    return Auto().results(machine()[0])


def found_in_noise(seeds, n):
    """The share of white noise and of random walks in which something is found."""
    draws = [np.random.default_rng(seed).normal(size=n) for seed in seeds]
    found = [(bool(Auto().find(x)), bool(Auto().find(x.cumsum()))) for x in draws]
    return np.mean(found, axis=0)


def test_nothing_is_found_in_noise_and_random_walks():
    assert not found_in_noise(range(2), 300).any()


@pytest.mark.slow
@pytest.mark.parametrize("n", [600, 1500])
def test_nothing_is_found_in_nine_of_ten_draws(n):
    assert (found_in_noise(range(100, 130), n) <= 0.1).all()


def test_a_series_that_recurs_has_cycles_as_members():
    rng = np.random.default_rng(0)
    beats = np.cumsum(rng.integers(90, 110, 60))
    beats = beats[beats < 5900]
    time = np.arange(6000)
    x = sum(np.exp(-(((time - b) / 6) ** 2)) for b in beats)
    x = x + 0.3 * sum(np.exp(-(((time - b - 30) / 12) ** 2)) for b in beats)
    x = x + 0.05 * rng.normal(size=6000)
    truth = [[(b - 44, b + 44) for b in beats]]
    assert prom(truth, Auto().find(x)).f1 > 0.8


def test_a_long_series_is_searched_to_its_end():
    rng = np.random.default_rng(1)
    x = 0.1 * rng.normal(size=60_000)
    shape = np.sin(np.arange(300) ** 2 / 2000)
    starts = np.cumsum(rng.integers(900, 2100, 38)) - 400
    for start in starts:
        x[start : start + 300] += shape
    found = Auto().find(x)
    assert prom([[(s, s + 300) for s in starts]], found[:1]).recall > 0.9


def test_an_experiment_gives_it_no_parameters():
    facts = data_facts([planted_problem()])
    assert untuned(describe("auto"), facts) == {}


def test_the_example_is_found_by_the_command_too(capsys):
    series = np.loadtxt(example_path("series.csv"), skiprows=1)
    assert prom(example_path("truth.json"), Auto(n_jobs=2).find(series)).f1 == 1.0
    assert main(["discover", str(example_path("series.csv")), "--length", "80"]) == 0
    assert "[68, 148)" in capsys.readouterr().out


def test_the_recording_of_the_guide_is_found_and_alternatives_disagree(machine_results):
    first, second = (Auto(alternative=turn).chosen(machine_results) for turn in (1, 2))
    assert prom(machine()[1], first).f1 == 1.0
    assert second
    assert prom(first, second, penalize_off_target=True).f1 < 0.7
    with pytest.raises(InputError, match="alternative must be at most"):
        Auto(alternative=50).chosen(machine_results)


def test_given_length_sets_and_channels_are_kept_to():
    problem = planted_problem()
    found = Auto().find(problem.series)
    assert prom(problem.truth, found).f1 == 1.0
    assert Auto(max_sets=1, n_jobs=2).find(problem.series) == found[:1]
    noise = np.random.default_rng(1).normal(size=len(problem.series))
    both = np.stack([noise, problem.series], axis=1)
    assert Auto(channels=[1]).find(both) == found
    for length, low, high in ((20, 10, 40), ((20, 25), 10, 50)):
        short = Auto(length=length).find(problem.series)
        lengths = np.concatenate([motifs.lengths for motifs in short])
        assert ((lengths >= low) & (lengths <= high)).all()
    assert Auto(length=[20, 25]) == Auto(length=(20, 25))


def test_a_short_length_is_found_in_a_long_series():
    rng = np.random.default_rng(2)
    series = 0.1 * rng.normal(size=9000)
    starts = range(2600, 6400, 400)
    for start in starts:
        series[start : start + 10] += np.sin(np.arange(10) ** 2 / 8)
    found = Auto(length=10).find(series)
    assert prom([[(s, s + 10) for s in starts]], found[:1]).recall > 0.5


def test_no_segment_contains_a_missing_value():
    series, _ = machine()
    series[[250, 1700]] = np.nan
    found = Auto().find(series)
    assert found
    for start, end in (segment for motifs in found for segment in motifs):
        assert np.isfinite(series[start:end]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"length": (50,)}, "length must be a number or a range"),
        ({"length": (50, 40)}, "length must not end below its start"),
        ({"length": (3, 40)}, "length must be at least 4"),
        ({"alternative": 0}, "alternative must be at least 1"),
        ({"channels": 1}, "channels must be a list"),
        ({"channels": []}, "channels is empty"),
        ({"channels": [1]}, "channels must be below 1"),
    ],
)
def test_bad_values_are_refused_in_one_sentence(given, message):
    with pytest.raises(InputError, match=message) as error:
        Auto(**given).find(planted_problem().series)
    assert "\n" not in str(error.value)


def test_a_series_that_is_too_short_is_refused():
    with pytest.raises(InputError, match="31 samples, but a search without parameters"):
        Auto().find(np.arange(31.0))


@pytest.mark.parametrize("name", ["demo", "quick", "paper", "best", "recordings"])
def test_experiments_do_not_run_it_unless_it_is_named(name):
    assert "auto" not in extra_methods()
    assert not {"auto", "random_walk_detector"} & {*experiment(name)["methods"]}
    assert "auto" not in experiment(name)["params"]
