"""A channel at several resolutions, so that a page can draw any part of it at once.

The finest level holds the samples. Each coarser level holds the lowest and the highest
sample of bins of 16, 64, 256, ... samples, so a picture drawn from it shows every
extreme. A browser draws from the coarsest level whose bins are narrower than a pixel.

Conventions
-----------
* Up to `EXACT_VALUES` samples in all channels are stored as float32, relative to the
  range of their channel: the error is below 1e-7 of the range.
* Longer series are stored as 16-bit integers: the error is below 1/65,000 of the range.
* Beyond `MAX_VALUES` samples the finest level is thinned: it holds the lowest and the
  highest sample of bins of 2, 4, 8, ... samples.
* Samples that are missing or infinite are gaps.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Floats

EXACT_VALUES = 2_000_000  # samples of all channels that are stored as float32
MAX_VALUES = 16_000_000  # stored as 16-bit integers: a page of some 30 MB
FIRST_BIN = 16  # samples in a bin of the first coarser level
FACTOR = 4  # a bin holds this many bins of the level below
FEWEST_BINS = 1024  # no coarser level than about a screen needs
INTEGER_TOP = 32_767
MISSING = -32_768
COMPRESSION = 5


@dataclass(frozen=True)
class Channel:
    """A channel at every resolution; a stored value v stands for offset + scale * v.

    `levels` has the values by the samples in a bin, the finest first: the lowest and
    the highest of each bin in turn; with one sample in a bin, the samples themselves.
    """

    offset: float
    scale: float
    low: float
    high: float
    missing: int
    levels: dict[int, NDArray[Any]]

    def facts(self) -> dict[str, Any]:
        """Return what a page must know to read the blocks."""
        known = {k: v for k, v in vars(self).items() if k != "levels"}
        return known | {"widths": list(self.levels)}

    def blocks(self) -> list[str]:
        """Return each level as text, see `packed_array`."""
        return [packed_array(values) for values in self.levels.values()]


def finest_width(values: int) -> int:
    """Return how many samples a bin of the finest level holds; 1 if none is thinned.

    >>> finest_width(16_000_000), finest_width(16_000_001), finest_width(100_000_000)
    (1, 4, 16)
    """
    if values <= MAX_VALUES:
        return 1
    width = 2
    while 2 * values > MAX_VALUES * width:  # a bin has two values
        width *= 2
    return width


def make_channel(x: Floats, width: int, *, exact: bool) -> Channel:
    """Return a channel at every resolution.

    Parameters
    ----------
    x : float64[n]
        The samples.
    width : int
        Samples in a bin of the finest level, see `finest_width`.
    exact : bool
        Store float32 rather than 16-bit integers.
    """
    clean = np.where(np.isfinite(x), x, np.nan)
    missing = int(np.count_nonzero(np.isnan(clean)))
    if missing == len(clean):
        low = high = 0.0
    else:
        low, high = float(np.nanmin(clean)), float(np.nanmax(clean))
    half = high / 2 - low / 2  # the difference itself may be too large for a float
    middle = low + half
    unit = half or 1.0
    scaled = (clean - middle) / unit
    # The levels, the finest first; each is made from the one before.
    lowest = highest = scaled
    levels: dict[int, NDArray[Any]] = {}
    held, size = 1, width
    while not levels or len(x) / size > FEWEST_BINS / FACTOR:
        starts = np.arange(0, len(lowest), size // held)
        lowest = np.fmin.reduceat(lowest, starts)  # NaN where all are missing
        highest = np.fmax.reduceat(highest, starts)
        both = np.stack([lowest, highest], axis=1).ravel()
        levels[size] = _stored(scaled if size == 1 else both, exact=exact)
        held, size = size, size * (FACTOR if size > width else FIRST_BIN)
    scale = unit if exact else unit / INTEGER_TOP
    return Channel(middle, scale, low, high, missing, levels)


def _stored(values: Floats, *, exact: bool) -> NDArray[Any]:
    if exact:
        return values.astype("<f4")
    filled = np.where(np.isnan(values), 0.0, values * INTEGER_TOP)
    stored: NDArray[Any] = np.rint(filled).astype("<i2")
    stored[np.isnan(values)] = MISSING
    return stored


def packed_array(values: NDArray[Any]) -> str:
    """Return numbers as base64 of zlib of their bytes, all first bytes first.

    Bytes of the same rank are alike, so they compress better beside each other.
    """
    planes = values.view(np.uint8).reshape(-1, values.itemsize).T
    packed = zlib.compress(np.ascontiguousarray(planes).tobytes(), COMPRESSION)
    return base64.b64encode(packed).decode()
