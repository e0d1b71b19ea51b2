"""How much the hyperparameters matter: all settings of every search, as strips.

A tick is a setting of a grid, at its mean F1 on the validation split; a line goes from
the worst to the best. The diamond is the chosen setting. A hollow circle, where the
results are given too, is what the method then reached on the test split: far left of
the diamond, the choice did not carry over. A method without ticks was not tuned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.analysis.labels import in_paper_order
from tsmdbench.plotting import BLUE, RED
from tsmdbench.report.figures.facets import facet_figure
from tsmdbench.report.figures.style import (
    in_house_style,
    sentence_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.analysis.scores import Scores

_ABSENT: dict[str, Any] = {"ha": "center", "va": "center", "color": "0.5", "size": 7}


@in_house_style
def tuning_figure(surfaces: Any, scores: Scores | None = None) -> Figure:
    """Return the strips.

    Parameters
    ----------
    surfaces : DataFrame
        From `tsmdbench.report.surfaces.read_surfaces`: a row per setting.
    scores : Scores, optional
        The results on the test split.
    """
    if surfaces.empty:
        return sentence_figure("Nothing was tuned in this store.")
    labels = list(in_paper_order({name: name for name in surfaces["method"]}))
    datasets = list(dict.fromkeys(surfaces["dataset"]))
    groups = dict(iter(surfaces.groupby(["dataset", "method"], sort=False)))
    tested = None if scores is None else scores.means("prom_f1")

    def draw(axes: Axes, dataset: str) -> None:
        for row, label in enumerate(labels):
            if (dataset, label) in groups:
                _strip(axes, row, groups[dataset, label])
            if tested is not None and dataset in tested.index and label in tested:
                axes.plot(tested.loc[dataset, label], row, **_marks()["test"])
            elif (dataset, label) not in groups:
                axes.text(0.5, row, "not tuned", **_ABSENT)

    return facet_figure(
        labels,
        datasets,
        draw,
        title="Tuning: mean F1 of every setting on the validation split",
        axis="mean F1",
        legend=_legend(with_test=tested is not None),
    )


def _strip(axes: Axes, row: int, surface: Any) -> None:
    values = surface["mean_f1"].to_numpy(dtype=np.float64)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return
    axes.plot([finite.min(), finite.max()], [row, row], color="0.6", linewidth=1)
    # Ticks that could not be told apart would only make the file large.
    ticks = np.unique(finite.round(3))
    axes.plot(ticks, np.full(len(ticks), row), **_marks()["setting"])
    chosen = values[surface["winner"].to_numpy(dtype=bool)]
    axes.plot(chosen, np.full(len(chosen), row), **_marks()["chosen"])


def _marks() -> dict[str, dict[str, Any]]:
    return {
        "setting": {
            "linestyle": "",
            "marker": "|",
            "markersize": 7,
            "color": (BLUE, 0.55),
            "markeredgewidth": 0.8,
        },
        "chosen": {
            "linestyle": "",
            "marker": "D",
            "markersize": 4.5,
            "color": RED,
            "clip_on": False,
        },
        "test": {
            "linestyle": "",
            "marker": "o",
            "markersize": 6,
            "markerfacecolor": "none",
            "color": "0",
            "clip_on": False,
        },
    }


def _legend(*, with_test: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    words = {"setting": "a setting", "chosen": "chosen setting"}
    if with_test:
        words["test"] = "result on the test split"
    marks = _marks()
    return [Line2D([], [], label=text, **marks[name]) for name, text in words.items()]
