"""What the methods cost: core seconds in all, and per method and dataset.

Core seconds are the processor time over all threads, what a run costs on a machine that
does other things too. They are known of successful runs only, so a method that
often failed has cost more than is shown; the failures are counted beside its bar. The
time of a method that was measured on another machine without calibration is marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.plotting import BLUE
from tsmdbench.report.figures.heat import draw_heat
from tsmdbench.report.figures.style import (
    duration,
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

    from tsmdbench.analysis.scores import Scores

ROW = 0.27  # inches of a method
CELL = 0.66  # inches of a dataset's column
LOWEST = 1e-4  # seconds; the logarithm of less is not shown


@in_house_style
def cost_figure(scores: Scores) -> Figure:
    """Return bars of the total per method, and beside them the mean per problem.

    The cells are the means per dataset that `tsmdbench.analysis.costs.method_seconds`
    averages.
    """
    from tsmdbench.analysis.machines import FOREIGN, foreign_clocks

    table = scores.table[scores.table["status"] == "ok"]
    if not np.isfinite(table["cpu_seconds"].to_numpy(dtype=np.float64)).any():
        return sentence_figure("The results do not record processor time.")
    total = (
        table.groupby("label")["cpu_seconds"].sum(min_count=1).reindex(scores.labels)
    )
    means = table.groupby(["dataset", "label"])["cpu_seconds"].mean().unstack()
    means = means.reindex(index=scores.datasets, columns=scores.labels)
    names, columns = shown(scores.labels), shown(scores.datasets)
    slant = 0.71 * widest(columns)
    cells = max(CELL * len(columns), 1.2)
    width = widest(names) + 3.4 + cells + slant + 0.6
    figure = new_figure(width, ROW * len(names) + max(slant, 0.3) + 1.0)
    left, right = figure.subplots(1, 2, width_ratios=[3.4, cells])
    failed = (scores.table["status"] != "ok").groupby(scores.table["label"]).sum()
    foreign = foreign_clocks(scores)
    notes = [
        f" {FOREIGN}" * foreign[label] + (f", {n} failed" if n else "")
        for label, n in failed.reindex(scores.labels).items()
    ]
    _bars(left, total.to_numpy(dtype=np.float64), names, notes)
    marked = f"\n{FOREIGN} another machine, not comparable" * any(foreign.values())
    left.set_xlabel(f"core time of all successful runs{marked}")
    _cells(right, means.to_numpy(dtype=np.float64).T, names, columns)
    right.set_xlabel("mean core time\nof a problem")
    return figure


def _bars(axes: Axes, values: Any, names: list[str], notes: list[str]) -> None:
    known = np.isfinite(values)
    lengths = np.where(known, values, 0.0)
    axes.barh(np.arange(len(names)), lengths, color=BLUE, height=0.6)
    axes.set_xlim(0, 1.6 * max(float(lengths.max()), LOWEST))  # room for the numbers
    axes.set_xticks([])
    for row, length in enumerate(lengths):
        text = duration(float(length)) if known[row] else "not known"
        text += notes[row]
        axes.annotate(
            text, (length, row), (4, 0), textcoords="offset points", va="center"
        )
    rows_of_names(axes, names)
    axes.set_ylim(len(names) - 0.5, -0.5)  # beside the cells
    axes.spines["bottom"].set_visible(False)


def _cells(axes: Axes, values: Any, names: list[str], columns: list[str]) -> None:
    from matplotlib.colors import LogNorm

    shown_values = np.maximum(values, LOWEST)  # keeps NaN
    low, high = float(np.nanmin(shown_values)), float(np.nanmax(shown_values))
    limits = LogNorm(low, max(high, 10 * low))
    draw_heat(
        axes,
        shown_values,
        names,
        columns,
        limits=limits,
        written=duration,
        cmap="YlOrBr",
        size=7,
    )
    axes.tick_params(axis="y", labelleft=False)
