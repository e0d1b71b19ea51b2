"""Figure of found motif sets: the series, and a lane of segments per set.

Every set has a lane with its label, so colour is never the only sign. Below, the
segments of a set lie over each other, z-normalised and stretched to a common length, so
that one sees whether they are alike.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.plotting import (
    add_seconds,
    draw_channels,
    figure_class,
    overlap_rows,
    set_colour,
    short_label,
)
from tsmdbench.types import MotifSets
from tsmdbench.validation import check_motif_sets, check_series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN_CHANNELS = 6
SHOWN_SETS = 8  # sets whose segments are laid over each other
SHOWN_SEGMENTS = 50  # segments per set in that picture
TITLE_WIDTH = 130  # characters per line
MIN_SHARE = 1 / 800  # a segment is drawn at least this share of the axis wide


def draw_found(series: Any, found: Any, *, title: str = "", channel: int = 0) -> Figure:
    """Return the figure of the motif sets that were found in a series.

    Parameters
    ----------
    series : array-like of shape (n,) or (n, d), or Recording
        The series; of more than six channels, the first six are drawn. A recording
        names its channels, and its rate adds an axis in seconds.
    found : motif sets in any accepted form
        What was found in it.
    title : str
        Title of the figure.
    channel : int, default 0
        The channel whose segments are drawn on top of each other.
    """
    names = getattr(series, "channels", None)
    x = check_series(series)
    channels = x[:, None] if x.ndim == 1 else x
    n, width = channels.shape
    sets = check_motif_sets(found, "found", n=n, n_channels=width)
    shown = max(1, min(len(sets.sets), SHOWN_SETS))
    lanes = max(1, len(sets.sets))
    heights = [1.1 * min(channels.shape[1], SHOWN_CHANNELS) + 0.7, 0.3 * lanes + 0.3]
    figure = figure_class()(
        figsize=(11, sum(heights) + 3.0), layout="constrained", dpi=100
    )
    parts: Any = figure.subfigures(2, 1, height_ratios=[sum(heights), 2.2])
    above, below = parts
    top, lane = above.subplots(2, 1, sharex=True, height_ratios=heights)
    draw_channels(top, channels[:, :SHOWN_CHANNELS], names)
    if channels.shape[1] == 1:
        top.set_yticks([])
    _draw_lanes(lane, sets, len(x))
    add_seconds(top, getattr(series, "rate", None))
    panels = below.subplots(1, shown, squeeze=False)[0]
    for place, axes in enumerate(panels):
        if place < len(sets.sets):
            _draw_segments(axes, channels[:, channel], sets, place)
        else:
            axes.axis("off")
    if title:
        wrapped = textwrap.fill(title, TITLE_WIDTH)
        figure.suptitle(wrapped.replace("$", r"\$"), fontsize=10)
    return figure


def _draw_lanes(axes: Axes, sets: MotifSets, n: int) -> None:
    for row, motifs in enumerate(sets.sets):
        widths = np.maximum(motifs.lengths, n * MIN_SHARE)
        rows = overlap_rows(motifs.segments)  # what overlaps goes into rows of its own
        each = 0.72 / (int(rows.max(initial=0)) + 1)
        colour = set_colour(row)
        for place in np.unique(rows):
            mine = rows == place
            bars = list(zip(motifs.starts[mine], widths[mine], strict=True))
            low = row - 0.36 + place * each
            axes.broken_barh(
                bars, (low, 0.9 * each), facecolor=colour, edgecolor=colour
            )
    names = [short_label(label) for label in sets.labels]
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.set_xlim(0, n)
    axes.set_ylabel("sets")
    axes.set_xlabel("time (samples)")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    if not names:
        axes.text(0.5, 0.5, "nothing found", transform=axes.transAxes, ha="center")


def _draw_segments(
    axes: Axes, x: NDArray[np.float64], sets: MotifSets, place: int
) -> None:
    """Lay segments of one set over each other, z-normalised and equally long."""
    motifs = sets.sets[place]
    longest = int(motifs.lengths.max(initial=1))
    for start, end in list(motifs)[:SHOWN_SEGMENTS]:
        z = (x[start:end] - x[start:end].mean()) / (float(x[start:end].std()) or 1.0)
        if np.isfinite(z).all():
            at = np.linspace(0, len(z) - 1, longest)
            stretched = np.interp(at, np.arange(len(z)), z)
            axes.plot(stretched, color=set_colour(place), alpha=0.6, linewidth=1)
    lengths = sorted({int(length) for length in motifs.lengths})
    span = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    axes.set_title(
        f"{short_label(sets.labels[place])}: {len(motifs)} of {span} samples",
        fontsize=8,
    )
    axes.tick_params(labelsize=7)
    axes.set_yticks([])
