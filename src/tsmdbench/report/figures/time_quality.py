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
from collections.abc import Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.analysis.costs import time_and_quality
from tsmdbench.analysis.ranking import comparable_means
from tsmdbench.arrays import Floats
from tsmdbench.plotting import RED
from tsmdbench.plural import counted
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
DOT = 0.05  # half the side of the square around a point that names keep clear of
LINE_FROM = 0.18  # inches between a point and its name from where a line joins them
# Times that read well: a decimal ladder below a minute, that of the clock above.
TICKS = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 345_600.0)
UNCALIBRATED = (
    "ring: time from another machine that was not calibrated, not comparable; not on "
    "the front"
)
Box = tuple[float, float, float, float]  # left, bottom, right, top in inches


@in_house_style
def time_quality_figure(scores: Scores, metric: str = "prom_f1") -> Figure:
    """Return a plot of the mean of a metric against time, with the Pareto front.

    Both are means over the datasets that all methods have, see
    `tsmdbench.analysis.costs.time_and_quality`. A method without a time is left out and
    named below.

    Parameters
    ----------
    scores : Scores
    metric : str, default "prom_f1"
        Higher is better, in [0, 1].
    """
    from matplotlib.lines import Line2D

    datasets = len(comparable_means(scores, metric)[0])
    every = time_and_quality(scores, metric)
    table = every.dropna()
    if not datasets:
        return sentence_figure("No dataset has results of all methods.")
    if table.empty:
        return sentence_figure("The results do not say how long the runs took.")
    kept = set(table.index)
    timeless = [label for label in every.index if label not in kept]
    remarks = [] if table["comparable"].all() else [UNCALIBRATED]
    if timeless:
        names = ", ".join(shown(timeless, 14)[:6]) + (", …" if timeless[6:] else "")
        remarks.append(f"left out, time not known: {names}")
    styles = {label: look for label, look in looks(scores).items() if label in kept}
    legend = different(styles)

    below = BOTTOM + 0.2 * (-(-len(legend) // 3)) + 0.2 * len(remarks)
    width, height = LEFT + WIDTH + RIGHT, below + HEIGHT + TOP
    figure = new_figure(width, height, layout="none")
    axes = figure.add_axes(
        (LEFT / width, below / height, WIDTH / width, HEIGHT / height)
    )
    seconds = np.maximum(table["time"].to_numpy(dtype=np.float64), TICKS[0])
    values = table["quality"].to_numpy(dtype=np.float64)
    on_front = table["pareto"].to_numpy(dtype=np.bool_)
    low, high = float(seconds.min()), float(seconds.max())
    ticks = [tick for tick in TICKS if low / 2.5 <= tick <= high * 2.5]
    ticks = ticks if len(ticks) > 1 else sorted({low, high})
    axes.set_xscale("log")
    axes.set_xlim(low / 2.5, high * 2.5)
    axes.set_xticks(ticks, [duration(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_ylim(-0.04, 1.04)
    axes.set_ylabel(f"mean {metric_title(metric)}")
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(
        f"mean processor time of a successful run, over {counted(datasets, 'dataset')}"
    )
    front = np.flatnonzero(on_front)
    front = front[np.lexsort((values[front], seconds[front]))]
    line: dict[str, Any] = {"where": "post", "color": RED, "lw": 1.2, "zorder": 1.5}
    axes.step(seconds[front], values[front], **line)
    for place, label in enumerate(table.index):
        dot = _dot(styles[label], best=bool(on_front[place]))
        if not table["comparable"].iloc[place]:
            dot |= {"markerfacecolor": "white", "markeredgecolor": styles[label].colour}
        spent = duration(seconds[place])
        words = f"{label}: {metric_title(metric)} {values[place]:.3f}, {spent}"
        tip(axes.plot(seconds[place], values[place], **dot)[0], words)
    _write_names(axes, shown(table.index), seconds, values, on_front)
    axes.set_title("Time and quality; the line is the Pareto front", loc="left")
    handles = [
        Line2D([], [], ls="", label=shown_one(one.meaning, MEANING), **_dot(one))
        for one in legend
    ]
    figure.legend(handles=handles, loc="lower center", ncols=3, frameon=False)
    for place, text in enumerate(remarks):
        y = (below - BOTTOM + 0.03 - 0.17 * place) / height
        figure.text(0.5, y, text, ha="center", va="top", color="0.35", size=7.5)
    return figure


def _dot(style: Look, *, best: bool = False) -> dict[str, Any]:
    return {
        "marker": "s" if style.hatch else "o",
        "markersize": 7,
        "markerfacecolor": style.colour,
        "markeredgecolor": "0" if best else "0.4",
        "markeredgewidth": 1.4 if best else 0.6,
    }


def _write_names(
    axes: Axes, names: Sequence[str], seconds: Floats, values: Floats, on_front: Any
) -> None:
    """Write the names beside their points, those on the front in bold."""
    # In inches of the axes, where a length is a length.
    low, high = (math.log(limit) for limit in axes.get_xlim())
    bottom, top = axes.get_ylim()
    x = (np.log(seconds) - low) / (high - low) * WIDTH
    y = (values - bottom) / (top - bottom) * HEIGHT
    points = [(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    weights = ["bold" if best else "normal" for best in on_front]
    sizes = [
        (text_width(name, SIZE, weight) + 0.06, NAME_HEIGHT)
        for name, weight in zip(names, weights, strict=True)
    ]
    frame = (0.02, 0.02, WIDTH - 0.02, HEIGHT + TOP / 4)
    steps: list[Box] = []  # the lines of the front as thin boxes
    front = sorted(p for p, best in zip(points, on_front, strict=True) if best)
    for (left, lower), (right, upper) in pairwise(front):
        steps.append((left, lower - 0.01, right, lower + 0.01))
        steps.append((right - 0.01, lower, right + 0.01, upper))
    boxes = place_names(points, sizes, frame, steps)
    for name, point, box, weight in zip(names, points, boxes, weights, strict=True):
        if box is None:
            continue
        middle = (box[0] + box[2]) / 2 / WIDTH, (box[1] + box[3]) / 2 / HEIGHT
        inside: dict[str, Any] = {"transform": axes.transAxes}
        axes.text(*middle, name, ha="center", va="center", fontweight=weight, **inside)
        end = np.clip(point, box[:2], box[2:])
        if math.dist(end, point) > LINE_FROM:
            xs, ys = np.transpose([point, end]) / [[WIDTH], [HEIGHT]]
            axes.plot(xs, ys, color="0.5", lw=0.6, zorder=1, **inside)
    if None in boxes:
        unnamed = f"no room for {boxes.count(None)} names"
        axes.set_title(unnamed, loc="right", color="0.35")


def place_names(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    lines: Sequence[Box] = (),
) -> list[Box | None]:
    """Return where each name goes in a frame, None where there was no free place.

    Points and sizes are in inches. Names lie on `lines` only where they must.

    >>> right, left = place_names([(2, 2), (2, 2)], [(1, 0.2)] * 2, (0, 0, 4, 4))
    >>> left[2] < 2 < right[0]
    True
    """
    taken = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in points]
    places: list[Box | None] = [None] * len(points)
    radius, turn = np.array(list(product(RADII, TURNS))).T
    cos, sin = np.cos(math.pi * turn / 8), np.sin(math.pi * turn / 8)
    for number in sorted(range(len(points)), key=lambda i: (-points[i][0], i)):
        (x, y), (width, height) = points[number], sizes[number]
        # The point of the name that is nearest to the dot lies on the circle.
        left = x + radius * cos + (cos - 1) * width / 2
        bottom = y + radius * sin + (sin - 1) * height / 2
        tries = np.column_stack([left, bottom, left + width, bottom + height])
        inside = (tries[:, :2] >= frame[:2]) & (tries[:, 2:] <= frame[2:])
        free = inside.all(axis=1) & ~_meet(tries, taken)
        best = free & ~_meet(tries, lines)
        if free.any():
            chosen = tries[np.argmax(best if best.any() else free)].tolist()
            places[number] = tuple(chosen)
            taken.append(tuple(chosen))
    return places


def _meet(boxes: Floats, others: Sequence[Box]) -> Any:
    """Return which boxes overlap one of the others."""
    a, b = boxes[:, None], np.reshape(others, (1, -1, 4))
    overlaps = (a[..., :2] < b[..., 2:]) & (b[..., :2] < a[..., 2:])
    return np.any(np.all(overlaps, axis=2), axis=1)
