"""The rolling regressions against least squares on every window."""

import numpy as np
import pytest

from tests.reference.unit_root import bic_statistic, statistic
from tsmdbench.paper.dickey_fuller import (
    from_rows,
    rolling_statistic,
    rolling_statistic_bic,
)

RNG = np.random.default_rng(0)
WALK = np.cumsum(RNG.normal(size=90))
WAVE = np.sin(np.arange(50) / 4) + 0.001 * RNG.normal(size=50)
SMOOTH = np.concatenate([WALK[:40], WALK[39] + WAVE])
SERIES = {
    "noise": RNG.normal(size=90),
    "walk": WALK,
    "smooth inside": SMOOTH,
    "far from zero": WALK + 1e6,
    "steep": WALK + 1e5 * np.arange(90),
    "tiny beside huge": np.concatenate([1e5 * WALK[:45], 1e-3 * WALK[45:]]),
}


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("window", [8, 13, 44, 45, 90])
def test_rolling_statistic_agrees_with_least_squares(name, window):
    x = SERIES[name]
    found = rolling_statistic(x, window, 0.0)
    expected = [
        statistic(np.diff(x[i : i + window]), 0) for i in range(len(x) - window + 1)
    ]
    # Differences of samples near 1e6 have ten digits, for the reference as for us.
    tolerance = 1e-5 if name in ("steep", "tiny beside huge") else 1e-8
    assert np.allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["noise", "walk", "smooth inside", "far from zero"])
def test_statistic_with_lags_agrees_with_least_squares(name):
    x = SERIES[name]
    window, max_lag = 40, 6
    found, lags = rolling_statistic_bic(x, window, max_lag, 0.0)
    for i in range(0, len(x) - window + 1, 3):
        expected, lag = bic_statistic(np.diff(x[i : i + window]), max_lag)
        assert lags[i] == lag
        assert found[i] == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_windows_that_do_not_vary_have_no_statistic():
    line = 0.1 * np.arange(60)
    floor = 8 * np.finfo(float).eps * 6
    assert np.isnan(rolling_statistic(line, 20, floor)).all()
    assert np.isnan(rolling_statistic_bic(line, 20, 3, floor)[0]).all()
    mixed = np.concatenate([line, 6 + WALK])
    found = rolling_statistic(mixed, 20, 8 * np.finfo(float).eps * np.abs(mixed).max())
    assert np.isnan(found[:40]).all()
    assert np.isfinite(found[60:]).all()


def test_an_exact_fit_is_infinite_or_nothing():
    halved = 2.0 ** -np.arange(12)  # y[t+1] - y[t] = -y[t] / 2, without remainder
    assert from_rows(halved, 0, 11, 0.0) == -np.inf
    assert np.isnan(from_rows(np.arange(12.0), 0, 11, 0.0))


def test_input_is_not_changed():
    x = WALK.copy()
    rolling_statistic(x, 20, 0.0)
    rolling_statistic_bic(x, 20, 3, 0.0)
    assert np.array_equal(x, WALK)
