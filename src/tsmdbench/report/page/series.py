"""Series made small enough to be looked at in a page.

A screen has about a thousand columns, so a channel keeps about a thousand samples. They
are chosen by MinMaxLTTB: extremes of each stretch first, then those that keep the area
under the curve, so that no peak is lost. Values are rounded to a thousandth of the
channel's range. Only a few channels are shown, first of all those that a method with a
hyperparameter ``channel`` looked at; the page says so.

References
----------
.. [1] J. Van Der Donckt et al., "MinMaxLTTB: Leveraging MinMax-Preselection to Scale
   LTTB", IEEE VIS 2023, doi:10.1109/VIS54172.2023.00013 (package ``tsdownsample``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS = 1000  # samples of a channel that are kept
RECORDING_POINTS = 4000  # of a recording, which is longer than a problem of instances
CHANNELS = 6  # channels that are shown
LEVELS = 999  # values of a channel run from 0 to this


def thinned(
    series: NDArray[np.float64],
    preferred: Iterable[int] = (),
    points: int = POINTS,
) -> dict[str, Any]:
    """Return a series for the page: positions and values as differences.

    Parameters
    ----------
    series : float64[n] or float64[n, d]
    preferred : iterable of int
        Channels to show before others.
    points : int
        Samples of a channel that are kept.

    Examples
    --------
    >>> thinned(np.array([0.0, 1.0, 0.5]))["lines"]
    [{'channel': 0, 'low': 0.0, 'high': 1.0, 'at': [0, 1, 1], 'value': [0, 999, -499]}]
    """
    x = series[:, None] if series.ndim == 1 else series
    every = range(x.shape[1])
    wanted = dict.fromkeys([*(c for c in preferred if c in every), *every])
    shown = sorted(list(wanted)[:CHANNELS])
    return {
        "n": int(x.shape[0]),
        "channels": int(x.shape[1]),
        "lines": [{"channel": c, **_line(x[:, c], points)} for c in shown],
    }


def channels_looked_at(parameters: Iterable[str]) -> list[int]:
    """Return the channels that settings name, the most frequent first.

    >>> channels_looked_at(['{"channel": 4}', '{"l": 3}', '{"channel": 1}', ""])
    [1, 4]
    """
    named = [json.loads(text or "{}").get("channel") for text in parameters]
    channels = [channel for channel in named if type(channel) is int]
    return sorted(
        set(channels), key=lambda channel: (-channels.count(channel), channel)
    )


def _line(values: NDArray[np.float64], points: int) -> dict[str, Any]:
    places = np.flatnonzero(np.isfinite(values))
    if not len(places):
        return {"low": 0.0, "high": 0.0, "at": [], "value": []}
    kept = places[_chosen(np.ascontiguousarray(values[places]), points)]
    low, high = float(values[kept].min()), float(values[kept].max())
    scale = LEVELS / (high - low) if high > low else 0.0
    levels = np.rint((values[kept] - low) * scale).astype(np.int64)
    return {
        "low": float(f"{low:.6g}"),
        "high": float(f"{high:.6g}"),
        "at": np.diff(kept, prepend=0).tolist(),
        "value": np.diff(levels, prepend=0).tolist(),
    }


def _chosen(values: NDArray[np.float64], points: int) -> NDArray[np.int64]:
    """Return the positions of the samples that are kept."""
    if len(values) <= points:
        return np.arange(len(values))
    from tsdownsample import MinMaxLTTBDownsampler

    thinner: Any = MinMaxLTTBDownsampler
    return np.asarray(thinner().downsample(values, n_out=points), dtype=np.int64)
