"""The mean of a metric for every method and dataset, as a heat map with numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tsmdbench.report.figures.heat import draw_heat
from tsmdbench.report.figures.style import (
    in_house_style,
    metric_title,
    new_figure,
    sentence_figure,
    shown,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from tsmdbench.analysis.scores import Scores


@in_house_style
def heat_map_figure(scores: Scores, metric: str = "prom_f1") -> Figure:
    """Return the heat map: a row per method, a column per dataset, the mean at the end.

    The best of a dataset is bold. A method that was not run on a dataset has a dash
    there, and a dash for its mean, which would not be that of the others.

    Parameters
    ----------
    scores : Scores
    metric : str, default "prom_f1"
        A column of the scores with values in [0, 1].
    """
    from matplotlib.colors import Normalize

    means = scores.means(metric)
    if means.empty:
        return sentence_figure("There are no results to show.")
    values = means.to_numpy(dtype=np.float64).T  # method by dataset
    rows, columns = shown(means.columns), shown(means.index)
    if len(columns) > 1:
        values = np.column_stack([values, values.mean(axis=1)])
        columns.append("mean")
    slant = 0.71 * widest(columns)  # of names that are turned by 45 degrees
    figure = new_figure(
        max(widest(rows) + 0.52 * len(columns) + slant + 0.6, 3.2),
        0.27 * len(rows) + slant + 0.7,
    )
    axes = figure.add_subplot()
    draw_heat(axes, values, rows, columns, limits=Normalize(0, 1))
    if len(columns) > 1:
        axes.axvline(len(columns) - 1.5, color="white", linewidth=5)
    _embolden(list(axes.texts), values)
    axes.set_xlabel(
        f"mean {metric_title(metric)};\nbold: best of a dataset", loc="right"
    )
    return figure


def _embolden(texts: list[Text], values: NDArray[np.float64]) -> None:
    """Make the best of every column bold; the texts stand row by row."""
    # As it is printed: what looks equal is bold together.
    best = np.nanmax(np.where(np.isnan(values), -np.inf, values).round(2), axis=0)
    for text, (row, column) in zip(texts, np.ndindex(*values.shape), strict=True):
        if round(float(values[row, column]), 2) >= best[column]:
            text.set_fontweight("bold")
