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
from collections.abc import Sequence
from typing import TYPE_CHECKING

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
SIDE = 0.35  # inches of line between the last rank and the names
NOTE = 0.17  # inches of a line of the note


@in_house_style
def critical_difference_figure(significance: Significance, title: str = "") -> Figure:
    """Return the critical difference diagram of the results of the tests.

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
    rank_of = dict(zip(labels, ranks, strict=True))
    joined = {
        tuple(sorted(rank_of[m] for m in clique)): ", ".join(clique)
        for clique in significance.cliques
    }
    bars = lanes(list(joined))
    note = textwrap.fill(shown_one(significance.note), CHARACTERS)
    title = shown_one(title)

    # Names hang on both sides from outside to inside, so that lines do not cross.
    texts = [f"{n}  {rank:.2f}" for n, rank in zip(shown(labels), ranks, strict=True)]
    named = list(zip(texts, ranks, strict=True))
    half = math.ceil(len(named) / 2)
    sides = named[:half], named[half:][::-1]
    # Any name may be written in bold, see `highlight`.
    widths = [widest((text for text, _ in side), weight="bold") + GAP for side in sides]

    # Places are in inches: x from the left, y from the axis of ranks downwards.
    first_row = 0.12 + LANE * len(bars) + ROW
    bottom = first_row + ROW * (half - 0.3)
    below = NOTE * (note.count("\n") + 1) if note else 0.0
    top = SCALE + (0.3 if title else 0.0)
    content = sum(widths) + AXIS + 2 * SIDE
    lines = [text_width(line, SIZE) for line in note.split("\n")]
    width = max(content, *lines, text_width(title, 11)) + 2 * MARGIN
    figure = new_figure(width, top + bottom + below + 2 * MARGIN, layout="none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.set_xlim(0, width)
    axes.set_ylim(bottom + below + MARGIN, -top - MARGIN)
    highest = max(2, len(labels))
    origin = (width - content) / 2 + widths[0] + SIDE

    def x(rank: float) -> float:
        return origin + AXIS * (rank - 1) / (highest - 1)

    axes.plot([x(1), x(highest)], [0, 0], color="0", lw=1)
    for rank in range(1, highest + 1):
        long = highest <= 15 or rank % 2 == 1
        axes.plot([x(rank)] * 2, [0, -0.07 if long else -0.04], color="0", lw=1)
        if long:
            axes.text(x(rank), -0.11, str(rank), ha="center", va="bottom")
    ends = (x(1) - SIDE, "right", -0.4 * GAP), (x(highest) + SIDE, "left", 0.4 * GAP)
    for side, (end, align, gap) in zip(sides, ends, strict=True):
        for row, (text, place) in enumerate(side):
            y = first_row + ROW * row
            axes.plot([x(place), x(place), end], [0, y, y], color="0.35", lw=0.8)
            axes.text(end + gap, y, text, ha=align, va="center")
    for row, lane in enumerate(bars):
        y = 0.12 + LANE * (row + 0.5)
        for members in lane:
            reach = [x(members[0]) - PAD, x(members[-1]) + PAD]
            line = axes.plot(reach, [y, y], c=RED, lw=3.2, solid_capstyle="butt")
            tip(line[0], f"no significant difference: {joined[tuple(members)]}")
            dots = [x(rank) for rank in members]
            axes.plot(dots, [y] * len(dots), "o", color="0", ms=3.2)
    if title:
        axes.text(width / 2, -SCALE - 0.2, title, ha="center", fontsize=11)
    if note:
        axes.text(width / 2, bottom + 0.05, note, ha="center", va="top")
    return figure


def lanes(cliques: Sequence[Sequence[float]]) -> list[list[list[float]]]:
    """Lay bars over ranks into lanes such that bars of a lane do not touch.

    >>> lanes([[1.0, 2.0], [1.5, 3.0], [2.5, 4.0]])
    [[[1.0, 2.0], [2.5, 4.0]], [[1.5, 3.0]]]
    """
    laid: list[list[list[float]]] = []
    for clique in sorted(sorted(c) for c in cliques if len(c) > 1):
        lane = next((one for one in laid if one[-1][-1] + 0.1 < clique[0]), None)
        if lane is None:
            laid.append([clique])
        else:
            lane.append(clique)
    return laid


@in_house_style
def stability_figure(stability: Stability) -> Figure:
    """Return a plot of the ranks of `tsmdbench.analysis.leave_one_out`."""
    from matplotlib.ticker import MaxNLocator

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

    without = ranks[list(middle.index)].to_numpy(dtype=np.float64)
    places = np.arange(len(names))
    left.hlines(places, without.min(axis=0), without.max(axis=0), color="0.6", lw=1)
    for one in without:
        left.plot(one, places, "o", color=(BLUE, 0.5), markersize=4.5)
    left.plot(middle.to_numpy(np.float64), places, "|", color="0", ms=11, mew=1.6)
    rows_of_names(left, names)
    left.set_xlim(0.7, len(names) + 0.3)
    left.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    left.grid(axis="x", color="0.9", linewidth=0.6)
    left.set_xlabel("average rank: line over all datasets, dots without one")

    taus = stability.tau.to_numpy(dtype=np.float64)
    right.barh(np.arange(len(taus)), np.nan_to_num(taus), color=ORANGE, height=0.62)
    for row, tau in enumerate(taus):
        text = "no order" if np.isnan(tau) else f"{tau:.2f}"
        right.text(1.03, row, text, va="center", color="0.2")
    rows_of_names(right, left_out)
    right.set_xlim(min(0.0, np.nanmin(taus, initial=0.0)), 1.0)
    right.set_xlabel("Kendall's τ with all datasets")
    right.set_ylabel("left out")
    return figure
