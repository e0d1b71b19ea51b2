"""Panels of small pictures, one per dataset, with the methods as common rows.

The three panels are those of the paper: datasets of one length with one channel, of one
length with several channels, and of several lengths. Whatever is not of TSMD-Bench has
a panel of its own.

`box_figure` shows what the methods reached on every problem (RQ2): quartiles and median
over the problems of a dataset, whiskers to the last value within 1.5 interquartile
ranges, a point for each further value, a white dot for the mean. Failed runs score 0.
The hue says what a method can do, see `tsmdbench.report.figures.properties`.

`tuning_figure` shows how much the hyperparameters matter. A tick is a setting of a
grid, at its mean F1 on the validation split; a line goes from the worst to the best.
The diamond is the chosen setting. A hollow circle, where the results are given too, is
what the method then reached on the test split: far left of the diamond, the choice did
not carry over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.analysis.labels import in_paper_order
from tsmdbench.datasets.catalogue import PAPER
from tsmdbench.plotting import BLUE, RED
from tsmdbench.report.figures.properties import box_style, legend_of, looks
from tsmdbench.report.figures.style import (
    in_house_style,
    metric_title,
    new_figure,
    rows_of_names,
    sentence_figure,
    shown,
    text_width,
    tip,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.analysis.scores import Scores

PANELS = (
    "fixed-length univariate datasets",
    "fixed-length multivariate datasets",
    "variable-length multivariate datasets",
    "other datasets",
)
ACROSS = 6  # pictures in a row
WIDTH = 1.85  # inches of a picture
ROW = 0.2  # inches of a method
DATASET = 25  # characters of a dataset's name
ABSENT: dict[str, Any] = {"ha": "center", "va": "center", "color": "0.5", "size": 7}
MARKS: dict[str, dict[str, Any]] = {
    "a setting": {"marker": "|", "ms": 7, "color": (BLUE, 0.55), "mew": 0.8},
    "chosen setting": {"marker": "D", "ms": 4.5, "color": RED, "clip_on": False},
    "result on the test split": {
        "marker": "o",
        "ms": 6,
        "mfc": "none",
        "color": "0",
        "clip_on": False,
    },
}


@in_house_style
def box_figure(scores: Scores, metric: str = "prom_f1") -> Figure:
    """Return the box plots of a metric with values in [0, 1]."""
    if scores.table.empty:
        return sentence_figure("There are no results to show.")
    styles = looks(scores)
    groups = scores.table.groupby(["dataset", "label"], sort=False)[metric]
    every = {key: group.dropna().to_numpy(dtype=np.float64) for key, group in groups}
    thin = {"color": "0.2", "linewidth": 0.8}
    dot = {"marker": "o", "ms": 3, "mfc": "white", "mec": "0", "mew": 0.6}
    options: dict[str, Any] = {
        "orientation": "horizontal",
        "widths": 0.66,
        "manage_ticks": False,
        "patch_artist": True,
        "showmeans": True,
        "meanprops": dot,
        "whiskerprops": thin,
        "capprops": thin,
        "medianprops": {"color": "0", "linewidth": 1.6},
        "flierprops": {"marker": ".", "ms": 2, "mec": "0.4"},
    }

    def draw(axes: Axes, dataset: str) -> None:
        for row, label in enumerate(scores.labels):
            values = every.get((dataset, label), np.empty(0))
            if not len(values):
                axes.text(0.5, row, "not run", **ABSENT)
                continue
            box = box_style(styles[label])
            drawn = axes.boxplot([values], positions=[row], boxprops=box, **options)
            low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
            words = (
                f"{label}: median {middle:.2f}, quartiles {low:.2f} and {high:.2f}, "
                f"mean {values.mean():.2f}, {len(values)} problems"
            )
            for part in (*drawn["boxes"], *drawn["medians"], *drawn["means"]):
                tip(part, words)

    return facet_figure(
        scores.labels,
        scores.datasets,
        draw,
        title=f"{metric_title(metric)} per problem",
        axis=metric_title(metric),
        legend=legend_of(styles),
    )


@in_house_style
def tuning_figure(surfaces: Any, scores: Scores | None = None) -> Figure:
    """Return strips of the scores of all settings of every search.

    Parameters
    ----------
    surfaces : DataFrame
        From `tsmdbench.report.read_surfaces`: a row per setting.
    scores : Scores, optional
        The results on the test split.
    """
    if surfaces.empty:
        return sentence_figure("Nothing was tuned in this store.")
    named = {} if scores is None else {m: label for label, m in scores.methods.items()}
    methods = in_paper_order({name: name for name in surfaces["method"]})
    labels = {method: named.get(method, method) for method in methods}
    datasets = list(dict.fromkeys(surfaces["dataset"]))
    groups = dict(iter(surfaces.groupby(["dataset", "method"], sort=False)))
    tested = None if scores is None else scores.means("prom_f1")
    setting, chosen, result = MARKS.values()

    def draw(axes: Axes, dataset: str) -> None:
        for row, (method, label) in enumerate(labels.items()):
            if (dataset, method) in groups:
                surface = groups[dataset, method]
                values = surface["mean_f1"].to_numpy(dtype=np.float64)
                finite = values[np.isfinite(values)]
                if len(finite):
                    ends = [finite.min(), finite.max()]
                    axes.plot(ends, [row, row], color="0.6", linewidth=1)
                    # Ticks that look the same would only make the file large.
                    ticks = np.unique(finite.round(3))
                    axes.plot(ticks, np.full(len(ticks), row), ls="", **setting)
                    best = values[surface["winner"].to_numpy(dtype=bool)]
                    axes.plot(best, np.full(len(best), row), ls="", **chosen)
            if tested is not None and dataset in tested.index and label in tested:
                axes.plot(tested.loc[dataset, label], row, ls="", **result)
            elif (dataset, method) not in groups:
                axes.text(0.5, row, "not tuned", **ABSENT)

    from matplotlib.lines import Line2D

    marks = list(MARKS.items())[: 2 if tested is None else 3]
    return facet_figure(
        list(labels.values()),
        datasets,
        draw,
        title="Tuning: mean F1 of every setting on the validation split",
        axis="mean F1",
        legend=[Line2D([], [], label=text, ls="", **mark) for text, mark in marks],
    )


def rows_of_facets(datasets: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return (title, datasets) per row of pictures; empty panels have none.

    >>> rows_of_facets(["Mallat", "ERing", "JapaneseVowels", "mine"])[::3]
    [('(a) fixed-length univariate datasets', ['Mallat']), \
('(d) other datasets', ['mine'])]
    """
    found: dict[str, list[str]] = {panel: [] for panel in PANELS}
    for dataset in datasets:
        known = PAPER.get(dataset)
        place = 3
        if known is not None:
            place = 2 if known.l_min < known.l_max else int(known.channels > 1)
        found[PANELS[place]].append(dataset)
    rows = []
    panels = [(panel, members) for panel, members in found.items() if members]
    for letter, (panel, members) in zip("abcd", panels, strict=False):
        for begin in range(0, len(members), ACROSS):
            title = f"({letter}) {panel}" if begin == 0 else ""
            rows.append((title, members[begin : begin + ACROSS]))
    return rows


def facet_figure(
    labels: Sequence[str],
    datasets: Sequence[str],
    draw: Callable[[Axes, str], None],
    *,
    title: str,
    axis: str,
    legend: Sequence[Any],
) -> Figure:
    """Return a figure of pictures that ``draw(axes, dataset)`` fills.

    Row ``i`` of each picture is method ``i``; the x axis goes from 0 to 1.
    """
    rows = rows_of_facets(datasets)
    names = shown(labels)
    titles = dict(zip(datasets, shown(datasets, DATASET), strict=True))
    across = max(len(members) for _, members in rows)
    entry = max((text_width(str(a.get_label())) + 0.6 for a in legend), default=1.0)
    columns = max(1, min(len(legend), int(max(WIDTH * across, 6.0) / entry)))
    heading = widest([text for text, _ in rows], 9.5) + 0.6
    width = max(widest(names) + WIDTH * across + 0.4, heading, 6.5)
    one = ROW * len(labels) + 0.75
    lines = -(-len(legend) // columns)
    figure = new_figure(width, one * len(rows) + 0.22 * len(rows) + 0.6 + 0.2 * lines)
    parts: Any = figure.subfigures(len(rows), 1, squeeze=False)
    for part, (panel, members) in zip(parts[:, 0], rows, strict=True):
        part.suptitle(panel, x=0.01, ha="left", fontsize=9.5)
        places = part.subplots(1, across, sharey=True, squeeze=False)[0]
        for axes, dataset in zip(places, members, strict=False):
            rows_of_names(axes, names)
            axes.set_xlim(-0.03, 1.03)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            axes.grid(axis="x", color="0.9", linewidth=0.6)
            axes.set_xlabel(axis if part is parts[-1, 0] else "")
            axes.set_title(titles[dataset], fontsize=8)
            draw(axes, dataset)
        for axes in places[len(members) :]:
            axes.axis("off")
    figure.suptitle(title)
    if legend:
        where: dict[str, Any] = {"loc": "outside lower center", "ncols": columns}
        figure.legend(handles=list(legend), frameon=False, **where)
    return figure
