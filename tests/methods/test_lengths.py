"""Estimated lengths, and the method that is suggested for a series."""

import numpy as np
import pytest

from tsmdbench.errors import InputError
from tsmdbench.methods import METHODS, estimate_length, suggest
from tsmdbench.methods.suggestions import estimated_fields


def test_a_period_is_found_in_what_recurs_throughout():
    t = np.arange(6000)
    noise = np.random.default_rng(0).normal(scale=0.05, size=6000)
    beat = np.exp(-(((t % 130) - 40) ** 2) / 30) + noise
    found = estimate_length(beat)
    if found.how == "period":
        assert abs(found.length - 130) <= 2
    assert 30 <= found.length <= 500


@pytest.mark.parametrize("length", [100, 200])
def test_planted_motifs_within_a_factor_of_three(length):
    rng = np.random.default_rng(length)
    x = np.cumsum(rng.normal(size=5000))
    shape = 8 * np.cumsum(rng.normal(size=length))
    for start in range(200, 4700, 900):
        x[start : start + length] = x[start] + shape + rng.normal(size=length)
    found = estimate_length(x)
    assert length / 3 <= found.length <= 3 * length
    assert found.l_min < found.length < found.l_max


def test_scale_and_offset_change_nothing():
    x = np.cumsum(np.random.default_rng(1).normal(size=900))
    assert estimate_length(x).length == estimate_length(5 * x + 1000).length


def test_long_series_and_many_channels_are_looked_at_in_part(monkeypatch):
    from tsmdbench.methods import lengths

    monkeypatch.setattr(lengths, "LONGEST", 500)
    x = np.random.default_rng(0).normal(size=(2000, 9))
    assert estimate_length(x) == estimate_length(x[:500])


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (np.zeros(20), "96 are needed"),
        (np.r_[np.zeros(200), np.nan], "missing values"),
        (np.zeros((3, 3, 3)), "series must"),
    ],
)
def test_bad_series_are_refused(series, message):
    with pytest.raises(InputError, match=message):
        estimate_length(series)


def test_constant_series_have_an_estimate():
    assert estimate_length(np.zeros(300)).contrast == 0.0


def test_suggested_fields_make_the_method():
    x = np.cumsum(np.random.default_rng(0).normal(size=400))
    for series in (x, np.c_[x, x[::-1]]):
        found = suggest(series)
        assert found.reason
        METHODS[found.method](**found.fields)
    known = estimated_fields(suggest(x).length)
    METHODS["gv_sequitur"](
        **{name: known[name] for name in ("window", "word_length", "alphabet_size")}
    )
