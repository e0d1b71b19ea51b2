"""The pictures of the methods: one series for all, and the gallery of three."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tools.docs.gallery import Shown, best, problems
from tools.docs.pictures.style import COLOURS, GREY, SETTINGS, figure, save

from tsmdbench import METHODS, MotifSet, Problem, prom
from tsmdbench.methods.figure import draw_found

SERIES = "equal"  # the one that all methods are shown on
LANES = 3  # rows that a method has in the gallery


def draw_all() -> None:
    """Draw a picture per method and one per series of the gallery."""
    with mpl.rc_context(SETTINGS):
        for name in METHODS:
            save(_draw_method(best(name, SERIES)), f"methods/{name}")
        for series, problem in problems().items():
            save(_draw_gallery(problem, series), f"methods/gallery-{series}")


def _draw_method(shown: Shown) -> Figure:
    """Return the package's figure of what was found, with the truth shaded."""
    problem = problems()[SERIES]
    labels = [f"set {place + 1}" for place in range(len(shown.found))]
    drawn = draw_found(
        problem.series, dict(zip(labels, shown.found, strict=True)), title=""
    )
    drawn.set_size_inches(7.4, 4.2 + 0.1 * len(labels))
    _shade(drawn.axes[0], problem)
    return drawn


def _shade(axes: Axes, problem: Problem) -> None:
    """Mark where the true motifs lie, each with its name."""
    for label, motifs in problem.truth.items():
        for start, end in motifs:
            axes.axvspan(start, end, color="0.5", alpha=0.18, linewidth=0)
            axes.text(
                (start + end) / 2, 0.53, str(label), ha="center", va="top", fontsize=8
            )
    axes.set_ylim(top=0.62)


def _draw_gallery(problem: Problem, series: str) -> Figure:
    """Return truth, series and what each method found, coloured by matched set."""
    names = list(METHODS)
    drawn = figure(7.6, 8.6)
    top, middle, bottom = drawn.subplots(
        3,
        1,
        sharex=True,
        height_ratios=[len(problem.truth) * 0.3, 1.4, len(names) * 0.5],
    )
    for row, motifs in enumerate(problem.truth.values()):
        draw_bars(top, list(motifs), row, COLOURS[row], hit=True)
    top.set_yticks(range(len(problem.truth)), [f"true {k}" for k in problem.truth])
    top.set_ylim(len(problem.truth) - 0.4, -0.6)
    middle.plot(problem.series, linewidth=0.7, color="0.3", alpha=0.7)
    middle.set_yticks([])
    middle.set_ylabel("series")
    for place, name in enumerate(names):
        shown = best(name, series)
        draw_row(bottom, problem, shown.found, shown.f1, place * (LANES + 1))
    centres = [place * (LANES + 1) + 1 for place in range(len(names))]
    bottom.set_yticks(centres, names)
    bottom.set_ylim(len(names) * (LANES + 1) - 0.5, -1)
    bottom.set_xlim(0, len(problem.series))
    bottom.set_xlabel("time (samples)")
    for axes in (top, bottom):
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return drawn


def draw_row(
    axes: Axes, problem: Problem, sets: Sequence[MotifSet], f1: float, row: int
) -> None:
    """Draw the sets of one method in three thin lanes, and its F1 at the right."""
    result = prom(problem.truth, sets)
    order = {label: place for place, label in enumerate(problem.truth)}
    hits = np.zeros(len(result.found.segments), dtype=bool)
    for true, found in result.links.tolist():
        inside = result.truth.owner[true] == result.found.owner[found]
        hits[found] = inside and result.found.owner[found] < result.matched
    for column, motifs in enumerate(result.found.sets):
        matched = column < result.matched
        colour = COLOURS[order[result.row_labels[column]]] if matched else GREY
        mine = hits[result.found.owner == column]
        for hit in (True, False):
            some = [one for one, own in zip(motifs, mine, strict=True) if own == hit]
            draw_bars(axes, some, row + min(column, LANES - 1), colour, hit=hit)
    if not sets:
        middle = len(problem.series) / 2
        axes.text(
            middle, row + 1, "nothing found", ha="center", va="center", color=GREY
        )
    axes.axhline(row + LANES, color="0.9", linewidth=0.6)
    axes.text(
        1.01, row + 1, f"{f1:.2f}", transform=axes.get_yaxis_transform(), va="center"
    )


def draw_bars(
    axes: Axes, segments: list[tuple[int, int]], row: float, colour: str, *, hit: bool
) -> None:
    """Draw segments; those that hit nothing are hollow."""
    axes.broken_barh(
        [(start, end - start) for start, end in segments],
        (row - 0.38, 0.76),
        facecolor=colour if hit else "white",
        edgecolor=colour,
        linewidth=0.9,
    )
