"""Does the order of the methods hang on one dataset? Ranks when each is left out.

Left, per method, the average rank over all datasets (line) and those over the others
when one is left out (dots); a method whose dots lie close together is where it is
because of all datasets. Right, Kendall's tau between the order over all datasets and
the order without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.plotting import BLUE, ORANGE
from tsmdbench.report.figures.style import (
    in_house_style,
    new_figure,
    rows_of_names,
    sentence_figure,
    shown,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.analysis.stability import Stability

ROW = 0.22  # inches of a name


@in_house_style
def stability_figure(stability: Stability) -> Figure:
    """Return the picture of `tsmdbench.analysis.stability.leave_one_out`."""
    ranks = stability.ranks
    if ranks.empty or len(ranks.columns) < 2:
        note = stability.note or "There is one method only, so there is no order."
        return sentence_figure(note)
    middle = stability.average.sort_values(kind="stable")
    names, left_out = shown(middle.index), shown(ranks.index)
    rows = max(len(names), len(left_out))
    width = widest(names) + widest(left_out) + 6.2
    figure = new_figure(width, ROW * rows + 1.1)
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
