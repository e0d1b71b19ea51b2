"""A channel at several resolutions: nothing that can be seen is lost."""

import base64
import zlib

import numpy as np
import pytest

from tsmdbench.view import levels
from tsmdbench.view.levels import Channel, finest_width, make_channel, packed_array


def read(channel: Channel, level: int):
    """The values of a level, from its text, as the page reads them."""
    kept = list(channel.levels.values())[level]
    data = zlib.decompress(base64.b64decode(channel.blocks()[level]))
    planes = np.frombuffer(data, np.uint8).reshape(kept.itemsize, -1)
    stored = np.ascontiguousarray(planes.T).view(kept.dtype).ravel()
    values = channel.offset + channel.scale * stored.astype(float)
    values[stored == levels.MISSING] = np.nan
    return values


def brute_force(x, width):
    """The lowest and the highest of each bin, by looking at every bin."""
    pairs = []
    for begin in range(0, len(x), width):
        part = x[begin : begin + width]
        part = part[np.isfinite(part)]
        pairs += [part.min(), part.max()] if len(part) else [np.nan, np.nan]
    return np.array(pairs)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("n", [1, 17, 5000, 40_001])
def test_levels_hold_the_extremes_of_their_bins(n, width, exact):
    rng = np.random.default_rng(n)
    x = 1e9 + 50 * rng.normal(size=n)
    x[rng.random(n) < 0.1] = np.nan
    x[n // 2 : n // 2 + 100] = np.inf
    channel = make_channel(x, width, exact=exact)
    clean = np.where(np.isfinite(x), x, np.nan)
    assert channel.missing == np.isnan(clean).sum()
    span = 0.0 if np.isnan(clean).all() else np.nanmax(clean) - np.nanmin(clean)
    tolerance = span * (1e-7 if exact else 1 / 65_000)
    assert next(iter(channel.levels)) == width
    for place, size in enumerate(channel.levels):
        wanted = clean if size == 1 else brute_force(clean, size)
        np.testing.assert_allclose(read(channel, place), wanted, rtol=0, atol=tolerance)


def test_levels_get_coarser_until_a_screen_is_enough():
    channel = make_channel(np.zeros(1_000_000), 1, exact=True)
    assert list(channel.levels) == [1, 16, 64, 256, 1024]
    short = make_channel(np.zeros(300), 1, exact=True)
    assert list(short.levels) == [1]


@pytest.mark.parametrize("x", [[np.nan, np.nan], [5.0, 5.0], [-1e308, 1e308]])
def test_unusual_channels(x):
    channel = make_channel(np.array(x), 1, exact=False)
    np.testing.assert_allclose(read(channel, 0), x, rtol=1e-4)


def test_thinning_keeps_the_page_below_the_limit():
    for values in (1, levels.MAX_VALUES, levels.MAX_VALUES + 1, 10**9):
        width = finest_width(values)
        kept = values if width == 1 else 2 * -(-values // width)
        assert kept <= levels.MAX_VALUES + 2
        assert width == 1 or width >= 4  # pairs of two would not save anything


def test_text_is_that_of_the_bytes():
    text = packed_array(np.array([1, 256, -1], dtype="<i2"))
    assert zlib.decompress(base64.b64decode(text)) == bytes([1, 0, 255, 0, 1, 255])
