"""Series made small enough to be looked at in a page.

A screen has about a thousand columns, so a channel keeps about a thousand samples. They
are chosen by MinMaxLTTB: extremes of each stretch first, then those that keep the area
under the curve, so that no peak is lost. Values are rounded to a thousandth of the
channel's range. Only the first few channels are shown; the page says so.

References
----------
.. [1] J. Van Der Donckt et al., "MinMaxLTTB: Leveraging MinMax-Preselection to Scale
   LTTB", IEEE VIS 2023, doi:10.1109/VIS54172.2023.00013 (package ``tsdownsample``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS = 1000  # samples of a channel that are kept
CHANNELS = 6  # channels that are shown
LEVELS = 999  # values of a channel run from 0 to this


def thinned(series: NDArray[np.float64]) -> dict[str, Any]:
    """Return a series for the page: positions and values as differences.

    Examples
    --------
    >>> thinned(np.array([0.0, 1.0, 0.5]))["lines"]
    [{'low': 0.0, 'high': 1.0, 'at': [0, 1, 1], 'value': [0, 999, -499]}]
    """
    x = series[:, None] if series.ndim == 1 else series
    shown = min(x.shape[1], CHANNELS)
    return {
        "n": int(x.shape[0]),
        "channels": int(x.shape[1]),
        "lines": [_line(x[:, channel]) for channel in range(shown)],
    }


def _line(values: NDArray[np.float64]) -> dict[str, Any]:
    places = np.flatnonzero(np.isfinite(values))
    if not len(places):
        return {"low": 0.0, "high": 0.0, "at": [], "value": []}
    kept = places[_chosen(np.ascontiguousarray(values[places]))]
    low, high = float(values[kept].min()), float(values[kept].max())
    scale = LEVELS / (high - low) if high > low else 0.0
    levels = np.rint((values[kept] - low) * scale).astype(np.int64)
    return {
        "low": float(f"{low:.6g}"),
        "high": float(f"{high:.6g}"),
        "at": np.diff(kept, prepend=0).tolist(),
        "value": np.diff(levels, prepend=0).tolist(),
    }


def _chosen(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the positions of the samples that are kept."""
    if len(values) <= POINTS:
        return np.arange(len(values))
    from tsdownsample import MinMaxLTTBDownsampler

    thinner: Any = MinMaxLTTBDownsampler
    return np.asarray(thinner().downsample(values, n_out=POINTS), dtype=np.int64)
