"""The rolling regressions against least squares on every window."""

import numpy as np
import pytest

from tests.reference.unit_root import bic_statistic, statistic
from tsmdbench.paper.dickey_fuller import rolling_statistic

RNG = np.random.default_rng(0)
WALK = np.cumsum(RNG.normal(size=90))
WAVE = np.sin(np.arange(50) / 4) + 0.001 * RNG.normal(size=50)
SERIES = {
    "noise": RNG.normal(size=90),
    "walk": WALK,
    "smooth inside": np.concatenate([WALK[:40], WALK[39] + WAVE]),
    "far from zero": WALK + 1e6,
    "steep": WALK + 1e5 * np.arange(90),
    "tiny beside huge": np.concatenate([1e5 * WALK[:45], 1e-3 * WALK[45:]]),
}


@pytest.mark.parametrize("name", SERIES)
def test_statistics_agree_with_least_squares(name):
    x = SERIES[name]
    before = x.copy()
    # Differences of samples near 1e6 have ten digits, for the reference as for us.
    tolerance = 1e-5 if name in ("steep", "tiny beside huge") else 1e-7
    for window in (8, 45, 90):
        found, _ = rolling_statistic(x, window, 0, 0.0)
        expected = [
            statistic(np.diff(x[i : i + window]), 0) for i in range(len(x) - window + 1)
        ]
        assert np.allclose(found, expected, rtol=tolerance, atol=tolerance)
    if tolerance == 1e-7:
        window, max_lag = 40, 6
        found, lags = rolling_statistic(x, window, max_lag, 0.0)
        for i in range(0, len(x) - window + 1, 3):
            expected, lag = bic_statistic(np.diff(x[i : i + window]), max_lag)
            assert lags[i] == lag
            assert found[i] == pytest.approx(expected, rel=1e-7, abs=1e-7)
    assert np.array_equal(x, before)


def test_windows_that_do_not_vary_have_no_statistic():
    line = 0.1 * np.arange(60)
    floor = 8 * np.finfo(float).eps * 6
    for max_lag in (0, 3):
        assert np.isnan(rolling_statistic(line, 20, max_lag, floor)[0]).all()
    mixed = np.concatenate([line, 6 + WALK])
    floor = 8 * np.finfo(float).eps * np.abs(mixed).max()
    found, _ = rolling_statistic(mixed, 20, 0, floor)
    assert np.isnan(found[:40]).all()
    assert np.isfinite(found[60:]).all()
    halved = 2.0 ** -np.arange(12)  # y[t+1] - y[t] = -y[t] / 2: an exact fit
    assert rolling_statistic(np.cumsum([0.0, *halved]), 13, 0, 0.0)[0] < -1e6
