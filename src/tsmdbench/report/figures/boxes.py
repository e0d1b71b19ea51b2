"""Box plots of what the methods reached on every problem, in the paper's panels (RQ2).

A box is a method on a dataset: quartiles and median over its problems, whiskers to the
last value within 1.5 interquartile ranges, a point for each further value, a white dot
for the mean. Failed runs score 0. The hue says what a
method can do, see `tsmdbench.report.figures.properties`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.report.figures.facets import facet_figure
from tsmdbench.report.figures.properties import Look, box_style, legend_of, looks
from tsmdbench.report.figures.style import (
    in_house_style,
    metric_title,
    sentence_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.analysis.scores import Scores


@in_house_style
def box_figure(scores: Scores, metric: str = "prom_f1") -> Figure:
    """Return the box plots of a metric with values in [0, 1]."""
    if scores.table.empty:
        return sentence_figure("There are no results to show.")
    styles = looks(scores)
    groups = scores.table.groupby(["dataset", "label"], sort=False)[metric]
    values = {key: group.to_numpy(dtype=np.float64) for key, group in groups}

    def draw(axes: Axes, dataset: str) -> None:
        for row, label in enumerate(scores.labels):
            here = values.get((dataset, label), np.empty(0))
            _box(axes, row, here[np.isfinite(here)], styles[label])

    return facet_figure(
        scores.labels,
        scores.datasets,
        draw,
        title=f"{metric_title(metric)} per problem",
        axis=metric_title(metric),
        legend=legend_of(styles),
    )


def _box(axes: Axes, row: int, values: Any, style: Look) -> None:
    if not len(values):
        axes.text(0.5, row, "not run", ha="center", va="center", color="0.5", size=7)
        return
    thin = {"color": "0.2", "linewidth": 0.8}
    axes.boxplot(
        [values],
        positions=[row],
        orientation="horizontal",
        widths=0.66,
        patch_artist=True,
        manage_ticks=False,
        showmeans=True,
        boxprops=box_style(style),
        whiskerprops=thin,
        capprops=thin,
        medianprops={"color": "0", "linewidth": 1.6},
        meanprops={
            "marker": "o",
            "markersize": 3,
            "markerfacecolor": "white",
            "markeredgecolor": "0",
            "markeredgewidth": 0.6,
        },
        flierprops={"marker": ".", "markersize": 2, "markeredgecolor": "0.4"},
    )
