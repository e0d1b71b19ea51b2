"""Average ranks: critical difference diagrams, and how stable the order is.

Methods hang from an axis of average ranks, the best at the left. A bar joins methods
between which the tests of `tsmdbench.analysis.ranking` find no difference;
a dot on it marks each method that it joins, so a method under the bar without a dot is
none of them.

`stability_figure` shows whether the order hangs on one dataset. Left, per method, the
average rank over all datasets (line) and those over the others when one is left out
(dots); a method whose dots lie close together is where it is because of all datasets.
Right, Kendall's tau between the order over all datasets and the order without one.

References
----------
J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7,
2006. A. Benavoli, G. Corani, F. Mangili, "Should we really use post-hoc tests based on
mean-ranks?", JMLR 17(5), 2016.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.plotting import BLUE, ORANGE, RED
from tsmdbench.report.figures.style import (
    SIZE,
    in_house_style,
    new_figure,
    rows_of_names,
    sentence_figure,
    shown,
    shown_one,
    text_width,
    tip,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.analysis.ranking import Significance, Stability

AXIS = 4.2  # inches between the first and the last rank
ROW = 0.21  # inches between two names
STRIP = 0.22  # inches of a name beside its ranks
LANE = 0.13  # inches between two bars
GAP = 0.12  # inches between a line and its name
SCALE = 0.42  # inches above the axis for its numbers
MARGIN = 0.15
PAD = 0.03  # inches that a bar goes beyond its methods
CHARACTERS = 95  # of a line of the note
Bar = tuple[float, float, list[float]]


@in_house_style
def critical_difference_figure(significance: Significance, title: str = "") -> Figure:
    """Return the diagram.

    Parameters
    ----------
    significance : Significance
        From `tsmdbench.analysis.significance`. Where there was no test, the ranks are
        drawn without bars, and its note says why; where there are no ranks either, the
        figure is that sentence.
    title : str
        Written above.
    """
    labels = list(significance.labels)
    ranks = [float(significance.average_ranks[label]) for label in labels]
    if len(labels) < 2 or any(map(math.isnan, ranks)):
        note = significance.note or "There is only one method: nothing to compare."
        return sentence_figure(note, title)
    names = shown(labels)
    rank_of = dict(zip(labels, ranks, strict=True))
    joined = {
        tuple(sorted(rank_of[m] for m in clique)): ", ".join(clique)
        for clique in significance.cliques
    }
    bars = lanes(list(joined))
    note = textwrap.fill(shown_one(significance.note), CHARACTERS)
    return _Diagram(names, ranks, bars, joined, note, shown_one(title)).figure()


def lanes(cliques: Sequence[Sequence[float]]) -> list[list[Bar]]:
    """Lay bars over ranks into lanes such that bars of a lane do not touch.

    >>> lanes([[1.0, 2.0], [1.5, 3.0], [2.5, 4.0]])
    [[(1.0, 2.0, [1.0, 2.0]), (2.5, 4.0, [2.5, 4.0])], [(1.5, 3.0, [1.5, 3.0])]]
    """
    laid: list[list[Bar]] = []
    for clique in sorted(sorted(c) for c in cliques if len(c) > 1):
        bar = (clique[0], clique[-1], clique)
        for lane in laid:
            if lane[-1][1] + 0.1 < bar[0]:
                lane.append(bar)
                break
        else:
            laid.append([bar])
    return laid


class _Diagram:
    """Places in inches: x from the left, y from the axis of ranks downwards."""

    def __init__(
        self,
        names: Sequence[str],
        ranks: Sequence[float],
        bars: list[list[Bar]],
        joined: Mapping[tuple[float, ...], str],
        note: str,
        title: str,
    ) -> None:
        half = math.ceil(len(names) / 2)
        texts = [f"{name}  {rank:.2f}" for name, rank in zip(names, ranks, strict=True)]
        # From outside to inside on both sides, so that lines do not cross.
        self.left = list(zip(texts[:half], ranks[:half], strict=True))
        self.right = list(zip(texts[half:], ranks[half:], strict=True))[::-1]
        self.lowest, self.highest = 1, max(2, len(names))
        self.bars, self.joined, self.note, self.title = bars, joined, note, title
        # Any name may be written in bold, see `highlight`.
        self.left_width = widest((text for text, _ in self.left), weight="bold") + GAP
        self.right_width = widest((text for text, _ in self.right), weight="bold") + GAP

    def figure(self) -> Figure:
        first_row = 0.12 + LANE * len(self.bars) + ROW
        lines = self.note.count("\n") + 1 if self.note else 0
        bottom = first_row + ROW * (max(len(self.left), len(self.right)) - 0.3)
        top = SCALE + (0.3 if self.title else 0.0)
        height = top + bottom + 0.17 * lines + 2 * MARGIN
        texts = [text_width(line, SIZE) for line in self.note.split("\n")]
        self.side = 0.35  # of line between the last rank and the names
        content = self.left_width + self.right_width + AXIS + 2 * self.side
        width = max(content, *texts, text_width(self.title, 11)) + 2 * MARGIN
        figure = new_figure(width, height, layout="none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.axis("off")
        axes.set_xlim(0, width)
        axes.set_ylim(bottom + 0.17 * lines + MARGIN, -top - MARGIN)
        self.origin = (width - content) / 2 + self.left_width + self.side
        self._scale(axes)
        self._names(axes, first_row)
        self._bars(axes)
        middle = width / 2
        if self.title:
            axes.text(middle, -SCALE - 0.2, self.title, ha="center", fontsize=11)
        if self.note:
            axes.text(middle, bottom + 0.05, self.note, ha="center", va="top")
        return figure

    def x(self, rank: float) -> float:
        share = (rank - self.lowest) / (self.highest - self.lowest)
        return self.origin + AXIS * share

    def _scale(self, axes: Axes) -> None:
        axes.plot([self.x(self.lowest), self.x(self.highest)], [0, 0], color="0", lw=1)
        step = 1 if self.highest <= 15 else 2
        for rank in range(self.lowest, self.highest + 1):
            long = (rank - self.lowest) % step == 0
            axes.plot(
                [self.x(rank)] * 2, [0, -0.07 if long else -0.04], color="0", lw=1
            )
            if long:
                axes.text(self.x(rank), -0.11, str(rank), ha="center", va="bottom")

    def _names(self, axes: Axes, first_row: float) -> None:
        ends = (self.x(self.lowest) - self.side, self.x(self.highest) + self.side)
        for side, end, align, gap in (
            (self.left, ends[0], "right", -0.4 * GAP),
            (self.right, ends[1], "left", 0.4 * GAP),
        ):
            for row, (text, rank) in enumerate(side):
                y, x = first_row + ROW * row, self.x(rank)
                axes.plot([x, x, end], [0, y, y], color="0.35", lw=0.8)
                axes.text(end + gap, y, text, ha=align, va="center")

    def _bars(self, axes: Axes) -> None:
        for row, lane in enumerate(self.bars):
            y = 0.12 + LANE * (row + 0.5)
            for low, high, members in lane:
                ends = [self.x(low) - PAD, self.x(high) + PAD]
                line = axes.plot(ends, [y, y], c=RED, lw=3.2, solid_capstyle="butt")
                names = self.joined[tuple(members)]
                tip(line[0], f"no significant difference: {names}")
                places = [self.x(rank) for rank in members]
                axes.plot(places, [y] * len(places), "o", color="0", ms=3.2)


@in_house_style
def stability_figure(stability: Stability) -> Figure:
    """Return the picture of `tsmdbench.analysis.ranking.leave_one_out`."""
    ranks = stability.ranks
    if ranks.empty or len(ranks.columns) < 2:
        note = stability.note or "There is one method only, so there is no order."
        return sentence_figure(note)
    middle = stability.average.sort_values(kind="stable")
    names, left_out = shown(middle.index), shown(ranks.index)
    rows = max(len(names), len(left_out))
    width = widest(names) + widest(left_out) + 6.2
    figure = new_figure(width, STRIP * rows + 1.1)
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    ordered = ranks[list(middle.index)].to_numpy(dtype=np.float64)
    _draw_ranks(left, ordered, middle.to_numpy(dtype=np.float64), names)
    _draw_tau(right, stability.tau, left_out)
    return figure


def _draw_ranks(axes: Axes, ranks: Any, average: Any, names: list[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    rows = np.arange(len(names))
    axes.hlines(rows, ranks.min(axis=0), ranks.max(axis=0), color="0.6", lw=1)
    for one in ranks:
        axes.plot(one, rows, "o", color=(BLUE, 0.5), markersize=4.5)
    axes.plot(average, rows, "|", color="0", ms=11, mew=1.6)
    rows_of_names(axes, names)
    axes.set_xlim(0.7, len(names) + 0.3)
    axes.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_xlabel("average rank: line over all datasets, dots without one")


def _draw_tau(axes: Axes, tau: Any, names: list[str]) -> None:
    values = tau.to_numpy(dtype=np.float64)
    rows = np.arange(len(values))
    axes.barh(rows, np.nan_to_num(values), color=ORANGE, height=0.62)
    for row, value in enumerate(values):
        text = "no order" if np.isnan(value) else f"{value:.2f}"
        axes.text(1.03, row, text, va="center", color="0.2")
    rows_of_names(axes, names)
    axes.set_xlim(min(0.0, np.nanmin(values, initial=0.0)), 1.0)
    axes.set_xlabel("Kendall's τ with all datasets")
    axes.set_ylabel("left out")
