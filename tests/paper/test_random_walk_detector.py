"""The detector against statsmodels, and on series whose answer is known."""

import dataclasses
import warnings

import numpy as np
import pytest

from tsmdbench.errors import InputError
from tsmdbench.methods import METHODS
from tsmdbench.paper import random_walk_problem
from tsmdbench.paper.random_walk_detector import (
    RandomWalkDetector,
    critical_value,
    largest_lag,
    p_value,
)
from tsmdbench.types import MotifSet

pytest.importorskip("statsmodels")

# A little noise, as in anything measured: a pure sine is explained by two lags exactly,
# and what is left to test then is rounding.
SHAPE = np.sin(np.arange(120) / 15) + np.hanning(120)
SHAPE += 0.002 * np.random.default_rng(9).normal(size=120)


@pytest.fixture(scope="module")
def series():
    return random_walk_problem([SHAPE, SHAPE, SHAPE], 1500, seed=4).series


def _adfuller(y, **options):
    from statsmodels.tsa.stattools import adfuller

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about its type of result
        return adfuller(y, **options)


@pytest.mark.parity
@pytest.mark.parametrize("lags", [0, "bic"])
def test_statistics_and_p_values_agree_with_statsmodels(series, lags):
    window = 60
    options = {"maxlag": 0, "autolag": None} if lags == 0 else {"autolag": "BIC"}
    found = RandomWalkDetector(window, lags=lags).statistics(series)
    for i in range(0, len(found), 37):
        expected = _adfuller(np.diff(series[i : i + window]), **options)
        assert found[i] == pytest.approx(expected[0], abs=1e-8)
        assert p_value(found[i]) == pytest.approx(expected[1], abs=1e-8)


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.1, 0.5])
def test_one_critical_value_decides_like_p_values(alpha):
    grid = np.arange(-8.0, 2.0, 0.01)
    decided = grid < critical_value(alpha)
    assert np.array_equal(decided, [p_value(value) < alpha for value in grid])
    assert 0 < decided.sum() < len(grid)


def test_windows_that_are_not_rejected_are_merged(series):
    window = 60
    detector = RandomWalkDetector(window, lags=0)
    kept = ~(detector.statistics(series) < critical_value(0.05))
    covered = np.zeros(len(series), dtype=bool)
    for start in np.flatnonzero(kept):
        covered[start : start + window] = True
    (found,) = detector.find(series)
    assert np.array_equal(found.to_mask(len(series)), covered)


@pytest.mark.parametrize("lags", [0, "bic"])
def test_instances_in_a_random_walk_are_found(lags):
    # Steps that are themselves a random walk: a unit root by construction.
    steps = np.cumsum(np.random.default_rng(5).normal(size=120))
    problem = random_walk_problem([np.cumsum(steps)] * 4, 3000, seed=2, min_gap=60)
    (found,) = RandomWalkDetector(60, lags=lags).find(problem.series)
    truth = problem.truth["motif"]
    assert len(found) == len(truth)
    assert np.abs(found.segments - truth.segments).max() <= 30


def test_a_random_walk_has_no_motif_but_a_straight_line_is_none():
    walk = np.cumsum(np.random.default_rng(0).normal(size=3000))
    assert RandomWalkDetector(200, lags=0).find(walk) == ()
    walk = np.cumsum(np.random.default_rng(1).normal(size=900))
    walk[300:500] = walk[300] + 0.01 * np.arange(200)
    walk[500:] += walk[499] - walk[500]
    (found,) = RandomWalkDetector(100, lags=0).find(walk)
    assert len(found) == 1
    assert np.abs(found.segments - [300, 500]).max() <= 3


@pytest.mark.parametrize("lags", [0, "bic"])
def test_shift_and_scale_change_nothing(series, lags):
    part = series[:600]
    detector = RandomWalkDetector(60, lags=lags)
    assert detector.find(part) == detector.find(1024 * part)
    shifted = detector.find(part + 3.0)
    assert shifted == detector.find(part)


def test_one_channel_is_looked_at(series):
    both = np.stack([np.zeros_like(series), series], axis=1)
    detector = RandomWalkDetector(60, channel=1)
    assert detector.find(both) == RandomWalkDetector(60).find(series)
    with pytest.raises(InputError, match="channel must be below 1"):
        detector.find(series)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"window": 7}, "window must be at least 8"),
        ({"window": 20.0}, "window must be a whole number"),
        ({"window": 20, "alpha": 0.0}, r"alpha must lie in \(0, 1\)"),
        ({"window": 20, "alpha": 1}, r"alpha must lie in \(0, 1\)"),
        ({"window": 20, "lags": 3}, 'lags must be 0 or "bic"'),
        ({"window": 20, "lags": False}, 'lags must be 0 or "bic"'),
        ({"window": 20, "max_sets": 0}, "max_sets must be at least 1"),
    ],
)
def test_wrong_fields_are_refused(fields, sentence):
    with pytest.raises(InputError, match=sentence):
        RandomWalkDetector(**fields)
    with pytest.raises(InputError, match="39 samples, but window=20"):
        RandomWalkDetector(20, lags=0).find(np.zeros(39))


@pytest.mark.parametrize("lags", [0, "bic"])
def test_windows_with_missing_values_are_skipped(lags):
    line = np.arange(60.0)  # no window is a random walk
    line[5] = np.nan
    detector = RandomWalkDetector(20, lags=lags)
    assert detector.find(line) == (MotifSet([(6, 60)]),)
    statistics = detector.statistics(line)
    assert np.isneginf(statistics[:6]).all()
    assert np.isnan(statistics[6:]).all()


def test_detector_is_registered_and_rebuilt_from_its_repr():
    assert METHODS["random_walk_detector"] is RandomWalkDetector
    detector = RandomWalkDetector(20, alpha=0.01, lags="bic")
    fields = {f.name: getattr(detector, f.name) for f in dataclasses.fields(detector)}
    assert RandomWalkDetector(**fields) == detector
    assert repr(detector).startswith("RandomWalkDetector(window=20, alpha=0.01")


def test_largest_lag_is_that_of_statsmodels():
    for differences in (10, 19, 60, 198):
        y = np.random.default_rng(0).normal(size=differences)
        # statsmodels says how many lags it tries in the results that it stores.
        store = _adfuller(y, autolag="BIC", store=True, regresults=True)[-1]
        assert largest_lag(differences) == store.maxlag


def test_a_sweep_computes_the_statistics_once(monkeypatch):
    x = np.random.default_rng(2).normal(size=400).cumsum()
    x[150:250] = np.sin(np.arange(100) / 9)
    settings = [
        {"window": 40, "alpha": alpha, "lags": lags}
        for lags in (0, "bic")
        for alpha in (0.05, 0.01)
    ]
    expected = [RandomWalkDetector(**setting).find(x) for setting in settings]
    calls = []
    real = RandomWalkDetector.statistics
    monkeypatch.setattr(
        RandomWalkDetector,
        "statistics",
        lambda self, series: calls.append(self.lags) or real(self, series),
    )
    assert RandomWalkDetector.sweep(x, settings) == expected
    assert calls == [0, "bic"]
    assert len(set(expected)) > 1
