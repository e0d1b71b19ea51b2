"""Shared parts of figures: matplotlib import, colours, thinning.

The colours are those of Okabe and Ito (the last one darkened), which people with colour
vision deficiencies can distinguish. `SHADES` has the shades of them that a web page
uses on a light and on a dark background.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
PINK = "#CC79A7"
SKY = "#56B4E9"
RED = "#D55E00"
OLIVE = "#B8A800"
GREY = "#8A8A8A"  # what has no colour of its own: unknown, off target
COLOURS = (BLUE, ORANGE, GREEN, PINK, SKY, RED, OLIVE)
# Thin lines and small dots need more contrast than the bars of a figure.
SHADES = {
    BLUE: ("#0072b2", "#4da8e0"),
    ORANGE: ("#d98200", "#f0a832"),
    GREEN: ("#008a63", "#35c297"),
    PINK: ("#b8568f", "#e08cbb"),
    SKY: ("#3f9fd6", "#8ccdf2"),
    RED: ("#c24d00", "#f0824a"),
    OLIVE: ("#8a7a00", "#d1c04a"),
    GREY: ("#8b95a3", "#7d8796"),
}
LONGEST_LINE = 160  # characters of a line in a figure
# Characters that XML does not allow.
NOT_XML = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
LABEL = 14  # characters of the label of a set or channel
BINS = 2000  # a longer series is drawn as the extremes of this many bins


def figure_class() -> type[Figure]:
    """Return the class of all figures, which has no state and needs no display."""
    try:
        from tsmdbench.notebook_figure import NotebookFigure
    except ImportError:
        raise MissingExtraError("figures need matplotlib", "plot") from None
    return NotebookFigure


def add_seconds(axes: Axes, rate: float | None) -> None:
    """Add an axis in seconds since the first sample, where the rate is known."""
    if rate is None:
        return
    both = (lambda sample: sample / rate, lambda seconds: seconds * rate)
    axes.secondary_xaxis("top", functions=both).set_xlabel("time (s)")


def make_drawable(figure: Figure) -> Figure:
    """Escape unprintable characters in the texts of a figure, and shorten long ones.

    Names come from outside: control characters make an SVG that no program reads, and
    a name of hundreds of letters pushes the drawing off its page. Returns the figure.
    """
    from matplotlib.text import Text

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            # An axis writes its labels again whenever it is drawn.
            labels = [text.get_text() for text in axis.get_ticklabels()]
            if labels != [_shown_text(label) for label in labels]:
                axis.set_ticks(axis.get_ticklocs(), list(map(_shown_text, labels)))
    for text in figure.findobj(Text):
        text.set_text(_shown_text(text.get_text()))
    return figure


def _shown_text(text: str) -> str:
    lines, half = [], LONGEST_LINE // 2
    for line in text.split("\n"):
        shown = NOT_XML.sub(lambda match: ascii(match[0])[1:-1], line)
        short = f"{shown[:half]}…{shown[-half:]}"
        lines.append(shown if len(shown) <= LONGEST_LINE else short)
    return "\n".join(lines)


def set_colour(place: int) -> str:
    """Return the colour of a motif set; colours repeat after seven sets.

    >>> set_colour(0) == set_colour(7) == BLUE
    True
    """
    return COLOURS[place % len(COLOURS)]


def short_label(label: Any) -> str:
    r"""Return a label on one line, shortened in the middle, escaped for matplotlib.

    >>> short_label("a long name of a set 7"), short_label("$x")
    ('a long … set 7', '\\$x')
    """
    text, half = " ".join(str(label).split()), LABEL // 2
    short = text if len(text) <= LABEL else f"{text[:half]}…{text[1 - half :]}"
    return short.replace("$", r"\$")


def draw_channels(
    axes: Axes, x: Floats, names: Sequence[str] | None, step: int = 1
) -> None:
    """Draw the channels of a series above each other, each scaled to its own range.

    A single channel keeps its values. Every `step`-th channel is named.
    """
    count = x.shape[1]
    shown = list(map(short_label, names or range(count)))[:count]
    for row, channel in enumerate(x.T):
        place, value = thinned(channel)
        finite = channel[np.isfinite(channel)]
        if count > 1 and finite.size:
            low, high = float(finite.min()), float(finite.max())
            value = (value - (low + high) / 2) / (1.15 * ((high - low) or 1.0)) - row
        axes.plot(place, value, color="0.25", linewidth=0.7, alpha=0.8)
    axes.margins(x=0)
    if count == 1:
        axes.set_ylabel("series" if names is None else shown[0])
        return
    axes.set_yticks([-row for row in range(0, count, step)], shown[::step])
    axes.set_ylabel("channel")
    axes.set_ylim(-count + 0.45, 0.55)


def thinned(x: Floats, bins: int = BINS) -> tuple[Integers, Floats]:
    """Return the places and values to draw of a series; every extreme is kept.

    A series of more than ``2 * bins`` samples is reduced to the lowest and the highest
    sample of each of at most `bins` bins. Samples that are not finite become NaN,
    which leaves a gap in the drawing.

    >>> place, value = thinned(np.sin(np.arange(100_000.0)), bins=10)
    >>> len(place), value.max() > 0.999
    (20, np.True_)
    """
    clean = np.where(np.isfinite(x), x, np.nan)
    if len(x) <= 2 * bins:
        return np.arange(len(x)), clean
    width = -(-len(x) // bins)
    padded = np.full(width * (-(-len(x) // width)), np.nan)
    padded[: len(x)] = clean
    parts = padded.reshape(-1, width)
    begin = np.arange(len(parts)) * width
    lowest = begin + np.where(np.isnan(parts), np.inf, parts).argmin(axis=1)
    highest = begin + np.where(np.isnan(parts), -np.inf, parts).argmax(axis=1)
    place = np.sort(np.concatenate([lowest, highest]))
    return place, padded[place]


def overlap_rows(segments: Integers) -> Integers:
    """Return a row for each segment, sorted by start, so that no row has an overlap.

    >>> overlap_rows(np.array([[0, 10], [5, 20], [10, 15], [12, 14]])).tolist()
    [0, 1, 0, 2]
    """
    ends: list[int] = []  # of the last segment of each row
    rows = np.zeros(len(segments), np.int64)
    for place, (start, end) in enumerate(segments.tolist()):
        free = next((row for row, last in enumerate(ends) if last <= start), len(ends))
        ends[free : free + 1] = [end]
        rows[place] = free
    return rows
