"""Figure of time against quality.

Up is better, left is faster. The line is the Pareto front: no other method is both
faster and better than a method on it. A ring is a method whose time comes from another
machine that was not calibrated (`tsmdbench.analysis.costs`): it is drawn where its
number is, but it is on no front and excludes no other method from it.

Names lie on no other name and on no point: each tries places around its point, the near
ones first, and takes the first that is free; the rightmost points go first because
their names have the least room. (adjustText leaves 4 overlaps among 30 names, where
this leaves 1, so it is not used.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.plotting import RED
from tsmdbench.report.figures.properties import MEANING, Look, different, looks
from tsmdbench.report.figures.style import (
    SIZE,
    duration,
    in_house_style,
    metric_title,
    new_figure,
    sentence_figure,
    shown,
    shown_one,
    text_width,
    tip,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.analysis.scores import Scores

WIDTH, HEIGHT = 7.2, 4.2  # inches of the axes
LEFT, BOTTOM, TOP, RIGHT = 0.7, 0.62, 0.4, 0.25  # inches around them
NAME_HEIGHT = 0.16
RADII = (0.09, 0.14, 0.2, 0.28, 0.38, 0.5, 0.65, 0.85, 1.1, 1.4, 1.8, 2.3, 3.0)
# Sixteenths of a turn: right, left, above, below, then the rest.
TURNS = (0, 8, 4, 12, 2, 6, 14, 10, 1, 7, 15, 9, 3, 5, 13, 11)
LINE_FROM = 0.18  # inches between a point and its name from where a line joins them
# Times that read well: a decimal ladder below a minute, that of the clock above.
TICKS = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 345_600.0)


@in_house_style
def time_quality_figure(scores: Scores, metric: str = "prom_f1") -> Figure:
    """Return the picture: time of a method and mean of a metric.

    Both are means over the datasets that all methods have, see
    `tsmdbench.analysis.costs.time_and_quality`. A method without a time is left out and
    named below.

    Parameters
    ----------
    scores : Scores
    metric : str, default "prom_f1"
        Higher is better, in [0, 1].
    """
    from tsmdbench.analysis.costs import time_and_quality
    from tsmdbench.analysis.ranking import comparable_means

    datasets = len(comparable_means(scores, metric)[0])
    table = time_and_quality(scores, metric)
    kept = table.dropna()
    if not datasets or kept.empty:
        return sentence_figure(
            "No dataset has results of all methods."
            if not datasets
            else "The results do not say how long the runs took."
        )
    timeless = [label for label in table.index if label not in kept.index]
    styles = {label: one for label, one in looks(scores).items() if label in kept.index}
    return _draw(kept, styles, metric_title(metric), datasets, timeless)


def _draw(
    table: Any,
    styles: Mapping[str, Look],
    quality: str,
    datasets: int,
    timeless: Sequence[str],
) -> Figure:
    legend = _legend(styles)
    remarks = _remarks(table, timeless)
    below = BOTTOM + 0.2 * (-(-len(legend) // 3)) + 0.2 * len(remarks)
    width, height = LEFT + WIDTH + RIGHT, below + HEIGHT + TOP
    figure = new_figure(width, height, layout="none")
    axes = figure.add_axes(
        (LEFT / width, below / height, WIDTH / width, HEIGHT / height)
    )
    seconds = np.maximum(table["time"].to_numpy(dtype=np.float64), TICKS[0])
    values = table["quality"].to_numpy(dtype=np.float64)
    on_front = table["pareto"].to_numpy(dtype=np.bool_)
    comparable = table["comparable"].to_numpy(dtype=np.bool_)
    _scale(axes, seconds, quality)
    axes.set_xlabel(
        f"mean processor time of a successful run, over {datasets} "
        f"dataset{'s' * (datasets > 1)}"
    )
    _front(axes, seconds[on_front], values[on_front])
    for place, label in enumerate(table.index):
        dot = _dot(styles[label], best=bool(on_front[place]))
        if not comparable[place]:
            dot |= {"markerfacecolor": "white", "markeredgecolor": styles[label].colour}
        words = f"{label}: {quality} {values[place]:.3f}, {duration(seconds[place])}"
        tip(axes.plot(seconds[place], values[place], **dot)[0], words)
    _name(axes, shown(table.index), seconds, values, on_front)
    axes.set_title("Time and quality; the line is the Pareto front", loc="left")
    figure.legend(handles=legend, loc="lower center", ncols=3, frameon=False)
    for line, text in enumerate(remarks):
        y = (below - BOTTOM + 0.03 - 0.17 * line) / height
        figure.text(0.5, y, text, ha="center", va="top", color="0.35", size=7.5)
    return figure


def _remarks(table: Any, timeless: Sequence[str]) -> list[str]:
    """Return remarks on unusual points."""
    remarks = []
    if not table["comparable"].all():
        remarks.append(
            "ring: time from another machine that was not calibrated, not comparable; "
            "not on the front"
        )
    if timeless:
        names = ", ".join(shown(timeless, 14)[:6]) + (", …" if timeless[6:] else "")
        remarks.append(f"left out, time not known: {names}")
    return remarks


def _scale(axes: Axes, seconds: NDArray[np.float64], quality: str) -> None:
    axes.set_xscale("log")
    low, high = float(seconds.min()), float(seconds.max())
    axes.set_xlim(low / 2.5, high * 2.5)
    ticks = [tick for tick in TICKS if low / 2.5 <= tick <= high * 2.5]
    if len(ticks) < 2:
        ticks = sorted({low, high})
    axes.set_xticks(ticks, [duration(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylim(-0.04, 1.04)
    axes.set_ylabel(f"mean {quality}")
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)


def _front(
    axes: Axes, seconds: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    order = np.lexsort((values, seconds))
    axes.step(
        seconds[order], values[order], where="post", color=RED, lw=1.2, zorder=1.5
    )


def _legend(styles: Mapping[str, Look]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [],
            [],
            linestyle="",
            label=shown_one(one.meaning, MEANING),
            **_dot(one, best=False),
        )
        for one in different(styles)
    ]


def _dot(style: Look, *, best: bool) -> dict[str, Any]:
    return {
        "marker": "s" if style.hatch else "o",
        "markersize": 7,
        "markerfacecolor": style.colour,
        "markeredgecolor": "0" if best else "0.4",
        "markeredgewidth": 1.4 if best else 0.6,
    }


def _name(
    axes: Axes,
    names: Sequence[str],
    seconds: NDArray[np.float64],
    values: NDArray[np.float64],
    on_front: NDArray[np.bool_],
) -> None:
    """Write the names in inches of the axes, where a length is a length."""
    low, high = (math.log(limit) for limit in axes.get_xlim())
    bottom, top = axes.get_ylim()
    x = (np.log(seconds) - low) / (high - low) * WIDTH
    y = (values - bottom) / (top - bottom) * HEIGHT
    places = [(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    weights = ["bold" if best else "normal" for best in on_front]
    sizes = [
        (text_width(name, SIZE, weight) + 0.06, NAME_HEIGHT)
        for name, weight in zip(names, weights, strict=True)
    ]
    frame = Box(0.02, 0.02, WIDTH - 0.02, HEIGHT + TOP / 4)
    front = sorted(p for p, best in zip(places, on_front, strict=True) if best)
    boxes = place_names(places, sizes, frame, lines=_steps(front))
    for name, point, box, weight in zip(names, places, boxes, weights, strict=True):
        if box is not None:
            _write(axes, name, point, box, weight)
    unnamed = boxes.count(None)
    if unnamed:
        axes.set_title(f"no room for {unnamed} names", loc="right", color="0.35")


def _steps(front: Sequence[tuple[float, float]]) -> list[Box]:
    """Return the lines of the front as thin boxes."""
    steps = []
    for (left, low), (right, high) in pairwise(front):
        steps.append(Box(left, low - 0.01, right, low + 0.01))
        steps.append(Box(right - 0.01, low, right + 0.01, high))
    return steps


def _write(
    axes: Axes, name: str, point: tuple[float, float], box: Box, weight: str
) -> None:
    middle = (box.left + box.right) / 2 / WIDTH, (box.bottom + box.top) / 2 / HEIGHT
    centred: dict[str, Any] = {"ha": "center", "va": "center", "fontweight": weight}
    axes.text(*middle, name, transform=axes.transAxes, **centred)
    x, y = point
    end = min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)
    if math.dist(end, point) > LINE_FROM:
        xs, ys = [x / WIDTH, end[0] / WIDTH], [y / HEIGHT, end[1] / HEIGHT]
        axes.plot(xs, ys, color="0.5", lw=0.6, transform=axes.transAxes, zorder=1)


class Box(NamedTuple):
    """A rectangle in inches."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Return True if two rectangles overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def within(self, other: Box) -> bool:
        """Return True if this rectangle lies inside another."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


def place_names(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    dot: float = 0.05,
    lines: Sequence[Box] = (),
) -> list[Box | None]:
    """Return where each name goes, None where there was no free place.

    Parameters
    ----------
    points : sequence of (x, y)
        In inches.
    sizes : sequence of (width, height)
        Of the names, in inches.
    frame : Box
        Names stay inside.
    dot : float
        Half the side of the square around a point that names keep clear of.
    lines : sequence of Box
        Where names should not lie if there is another place.

    Examples
    --------
    >>> frame = Box(0, 0, 4, 4)
    >>> first, second = place_names([(2, 2), (2, 2)], [(1, 0.2)] * 2, frame)
    >>> first.meets(second), first.within(frame)
    (False, True)
    """
    taken = [Box(x - dot, y - dot, x + dot, y + dot) for x, y in points]
    places: list[Box | None] = [None] * len(points)
    for number in sorted(range(len(points)), key=lambda i: (-points[i][0], i)):
        free = [
            box
            for box in _tries(points[number], sizes[number])
            if box.within(frame) and not any(box.meets(other) for other in taken)
        ]
        clear = [box for box in free if not any(box.meets(line) for line in lines)]
        for box in (*clear, *free)[:1]:
            places[number] = box
            taken.append(box)
    return places


def _tries(point: tuple[float, float], size: tuple[float, float]) -> list[Box]:
    """Return rectangles around a point, the near ones first."""
    x, y = point
    width, height = size
    boxes = []
    for radius in RADII:
        for turn in TURNS:
            angle = math.pi * turn / 8
            dx, dy = math.cos(angle), math.sin(angle)
            # The point of the name that is nearest to the dot lies on the circle.
            left = x + radius * dx + (dx - 1) * width / 2
            bottom = y + radius * dy + (dy - 1) * height / 2
            boxes.append(Box(left, bottom, left + width, bottom + height))
    return boxes
