"""Where a method breaks: its score as each difficulty dial is moved.

One panel per dial. The line is the mean score of the method, the band its 95% bootstrap
interval over problems; the lines of the other methods are grey. The dotted line is half
of what the method scores at the default, the first position of every panel; a cross
marks the first position at which the method is not above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tsmdbench.analysis.difficulty import LOST, first_broken
from tsmdbench.datasets.dials import dial_names
from tsmdbench.report.figures.properties import looks
from tsmdbench.report.figures.style import (
    in_house_style,
    metric_title,
    new_figure,
    sentence_figure,
    shown_one,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tsmdbench.analysis.scores import Scores

TITLES = {
    "noise": "noise (sd)",
    "amplitude": "amplitude variation",
    "stretch": "length variation",
    "warping": "warping",
    "sets": "number of sets",
    "imbalance": "imbalance of sets",
    "gap": "gaps (motif lengths)",
    "empty_channels": "empty channels",
}
ACROSS = 4  # panels in a row
WIDTH, HEIGHT = 1.9, 1.75  # inches of a panel


@in_house_style
def breaking_figure(
    curves: pd.DataFrame, label: str, scores: Scores, metric: str = "prom_f1"
) -> Figure:
    """Return the panels of one method.

    Parameters
    ----------
    curves : pandas.DataFrame
        From `tsmdbench.analysis.dial_scores`.
    label : str
        The method.
    scores : Scores
        Of all methods: they decide on colours.
    metric : str, default "prom_f1"
        What the curves are of; its name is shown.
    """
    if label not in set(curves["label"]):
        return sentence_figure(f"{label} has no result with a dial moved.")
    dials = [dial for dial in dial_names() if dial in set(curves["dial"])]
    rows = -(-len(dials) // ACROSS)
    across = min(ACROSS, len(dials))
    figure = new_figure(WIDTH * max(across, 2) + 0.5, HEIGHT * rows + 0.4)
    places = figure.subplots(rows, across, sharey=True, squeeze=False)
    colour = looks(scores)[label].colour
    for axes, dial in zip(places.flat, dials, strict=False):
        here = curves[curves["dial"] == dial]
        # Positions are at equal distances, whatever their values.
        values = np.unique(here["position"].to_numpy(dtype=np.float64))
        for other, curve in here.groupby("label", sort=False):
            if other != label:
                at = np.searchsorted(values, curve["position"])
                axes.plot(at, curve["mean"], color="0.85", linewidth=0.9, zorder=1)
        own = here[here["label"] == label]
        at = np.searchsorted(values, own["position"])
        means = own["mean"].to_numpy(dtype=np.float64)
        band = own[["low", "high"]].to_numpy(dtype=np.float64).T
        axes.fill_between(at, *band, color=colour, alpha=0.2, linewidth=0, zorder=2)
        axes.plot(at, means, "o-", color=colour, ms=3.5, linewidth=1.8, zorder=3)
        if len(at) and at[0] == 0:
            half = (1.0 - LOST) * means[0]
            axes.axhline(half, color="0.5", linewidth=0.8, linestyle=":", zorder=1)
            broken = first_broken(means, means[0])
            if broken is not None:
                cross = {"color": "0", "ms": 8, "mew": 1.8, "zorder": 4}
                axes.plot(at[broken], means[broken], "x", **cross)
        axes.set_xticks(range(len(values)), [f"{value:g}" for value in values])
        axes.set_xlim(-0.3, len(values) - 0.7)
        axes.set_ylim(-0.04, 1.04)
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.grid(axis="y", color="0.93", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(TITLES[dial])
    for axes in places.flat[len(dials) :]:
        axes.axis("off")
    for axes in places[:, 0]:
        axes.set_ylabel(f"mean {metric_title(metric)}")
    figure.suptitle(f"Where {shown_one(label)} breaks")
    return figure
