"""Costs of datasets that were not run."""

import numpy as np
import pandas as pd
import pytest

from tsmdbench.errors import InputError
from tsmdbench.paper.robustness import Size, fit

SIZES = {f"d{n}{c}": Size(n, c) for n in (100, 300, 1000, 3000) for c in (1, 4, 12)}


def seconds(power, width, noise=0.0):
    rng = np.random.default_rng(0)
    return pd.Series(
        {
            name: 1e-7 * s.n**power * s.channels**width * np.exp(noise * rng.normal())
            for name, s in SIZES.items()
        }
    )


@pytest.mark.parametrize(("power", "width"), [(1, 0), (2, 1), (1.5, 0.5)])
def test_powers_are_recovered(power, width):
    found = fit(seconds(power, width), SIZES, channels=True)
    assert found.length == pytest.approx(power)
    assert found.width == pytest.approx(width, abs=1e-9)
    assert found.spread == pytest.approx(1)
    expected = 1e-7 * 20_000**power * 6**width
    assert found.seconds(Size(20_000, 6)) == pytest.approx(expected)


def test_channels_are_left_out_where_a_method_looks_at_one():
    assert fit(seconds(2, 0), SIZES, channels=False).width == 0


def test_the_spread_is_that_of_the_data():
    found = fit(seconds(2, 1, noise=0.3), SIZES, channels=True)
    assert 1.15 < found.spread < 1.6


@pytest.mark.parametrize("names", [["d1001"], ["d1001", "d1004", "d10012"]])
def test_too_little_to_extrapolate_from_is_said(names):
    with pytest.raises(InputError, match="at least four datasets"):
        fit(seconds(2, 1)[names], SIZES, channels=True)
