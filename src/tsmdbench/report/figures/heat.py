"""Heat maps with a number in every cell: means, cost, agreement of metrics.

A cell without a value is grey with a dash. Core seconds are the processor time over all
threads. They are known of successful runs only, so a method that often failed has cost
more than is shown; the failures are counted beside its bar. The time of a method that
was measured on another machine without calibration is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.plotting import BLUE
from tsmdbench.plural import counted
from tsmdbench.report.figures.style import (
    ABSENT,
    HEAT,
    duration,
    in_house_style,
    metric_title,
    new_figure,
    rows_of_names,
    sentence_figure,
    shown,
    tip,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    from tsmdbench.analysis.metric_agreement import Agreement
    from tsmdbench.analysis.scores import Scores

DARK, LIGHT = "0.05", "1.0"
MIDDLE = 0.18  # luminance from which dark numbers have more contrast than light ones
DASH = "\N{EN DASH}"
ROW = 0.27  # inches of a method
CELL = 0.66  # inches of a dataset's column
LOWEST = 1e-4  # seconds; the logarithm of less is not shown


def draw_heat(
    axes: Axes,
    values: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    limits: Normalize,
    written: Callable[[float], str] = "{:.2f}".format,
    cmap: str = HEAT,
    size: float = 7.5,
    links: Mapping[tuple[int, int], str] | None = None,
) -> Any:
    """Draw values with names at the left and above; return what a colour bar needs."""
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    colours = mpl.colormaps[cmap]
    for row, column in np.ndindex(*values.shape):
        value = float(values[row, column])
        colour: Any = ABSENT
        grey, text = "0.45", DASH
        if np.isfinite(value):
            colour, text = colours(limits(value)), written(value)
            grey = _readable(colour)
        cell = Rectangle((column - 0.5, row - 0.5), 1, 1, fc=colour, ec="white", lw=1)
        number = axes.text(
            column, row, text, ha="center", va="center", fontsize=size, color=grey
        )
        words = f"{rows[row]}, {columns[column]}: {text}"
        for artist in (axes.add_patch(cell), number):
            tip(artist, words, (links or {}).get((row, column), ""))
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    upright = len(columns) < 2 or max(map(len, columns)) <= 3
    turn: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(columns)), columns, **({} if upright else turn))
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return mpl.cm.ScalarMappable(limits, colours)


def _readable(colour: Any) -> str:
    """Return the grey that can be read on a colour."""
    linear = np.asarray(colour[:3]) ** 2.2
    return DARK if linear @ (0.2126, 0.7152, 0.0722) > MIDDLE else LIGHT


@in_house_style
def heat_map_figure(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    link: Callable[[str, str], str] | None = None,
) -> Figure:
    """Return the heat map: a row per method, a column per dataset, the mean at the end.

    The best of a dataset is bold. A method that was not run on a dataset has a dash
    there, and a dash for its mean, which would not be that of the others.

    Parameters
    ----------
    scores : Scores
    metric : str, default "prom_f1"
        A column of the scores with values in [0, 1].
    link : callable, optional
        Returns the address that the cell of a dataset and a method leads to.
    """
    from matplotlib.colors import Normalize

    means = scores.means(metric)
    if means.empty:
        return sentence_figure("There are no results to show.")
    values = means.to_numpy(dtype=np.float64).T  # method by dataset
    rows, columns = shown(means.columns), shown(means.index)
    links = {
        place: link(means.index[place[1]], means.columns[place[0]])
        for place in np.ndindex(*values.shape)
        if link is not None and np.isfinite(values[place])
    }
    if len(columns) > 1:
        values = np.column_stack([values, values.mean(axis=1)])
        columns.append("mean")
    slant = 0.71 * widest(columns)  # of names that are turned by 45 degrees
    figure = new_figure(
        max(widest(rows) + 0.52 * len(columns) + slant + 0.6, 3.2),
        ROW * len(rows) + slant + 0.7,
    )
    axes = figure.add_subplot()
    draw_heat(axes, values, rows, columns, limits=Normalize(0, 1), links=links)
    if len(columns) > 1:
        axes.axvline(len(columns) - 1.5, color="white", linewidth=5)
    # The best of every column is bold; what looks equal as printed is bold together.
    best = np.nanmax(np.where(np.isnan(values), -np.inf, values).round(2), axis=0)
    for text, (row, column) in zip(axes.texts, np.ndindex(*values.shape), strict=True):
        if round(float(values[row, column]), 2) >= best[column]:
            text.set_fontweight("bold")
    axes.set_xlabel(
        f"mean {metric_title(metric)};\nbold: best of a dataset", loc="right"
    )
    return figure


@in_house_style
def kendall_figure(agreement: Agreement) -> Figure:
    """Return two heat maps of Kendall's tau: how alike metrics rank the results.

    Left over all results together, right the mean over the datasets. The right one is
    the one to read for S, whose range differs between datasets.

    Parameters
    ----------
    agreement : Agreement
        From `tsmdbench.analysis.agreement`. A NaN, where a metric ranks
        nothing because all its values are equal, is a dash.
    """
    from matplotlib.colors import Normalize

    names = shown(agreement.metrics)
    side = 0.55 * len(names) + 0.8
    figure = new_figure(2 * side + 1.2, side + 0.5)
    axes: Any = figure.subplots(1, 2)
    datasets = counted(len(agreement.per_dataset), "dataset")
    panels = {
        "(a) all results together": agreement.overall,
        f"(b) mean over {datasets}": agreement.by_dataset,
    }
    look: dict[str, Any] = {"limits": Normalize(-1, 1), "cmap": "PuOr_r", "size": 8.5}
    for place, (title, table) in zip(axes, panels.items(), strict=True):
        values = table.to_numpy(dtype=np.float64)
        image = draw_heat(place, values, names, names, **look)
        place.set_title(title, pad=8)
        place.set_box_aspect(1)
    bar = figure.colorbar(image, ax=list(axes), shrink=0.8, pad=0.02)
    bar.set_label("Kendall's τ")
    return figure


@in_house_style
def cost_figure(scores: Scores) -> Figure:
    """Return bars of the total per method, and beside them the mean per problem.

    The cells are the means per dataset that `tsmdbench.analysis.costs.method_seconds`
    averages.
    """
    from matplotlib.colors import LogNorm

    from tsmdbench.analysis.costs import OTHER_CLOCK, comparable_times

    table = scores.table[scores.table["status"] == "ok"]
    if not np.isfinite(table["cpu_seconds"].to_numpy(dtype=np.float64)).any():
        return sentence_figure("The results do not record processor time.")
    spent = table.groupby("label")["cpu_seconds"].sum(min_count=1)
    means = table.groupby(["dataset", "label"])["cpu_seconds"].mean().unstack()
    means = means.reindex(index=scores.datasets, columns=scores.labels)
    names, columns = shown(scores.labels), shown(scores.datasets)
    slant = 0.71 * widest(columns)
    cells = max(CELL * len(columns), 1.2)
    width = widest(names) + 3.4 + cells + slant + 0.6
    figure = new_figure(width, ROW * len(names) + max(slant, 0.3) + 1.0)
    left, right = figure.subplots(1, 2, width_ratios=[3.4, cells])

    comparable = comparable_times(scores)
    total = spent.reindex(scores.labels).to_numpy(dtype=np.float64)
    bars = np.nan_to_num(total)
    left.barh(np.arange(len(names)), bars, color=BLUE, height=0.6)
    left.set_xlim(0, 1.6 * max(float(bars.max()), LOWEST))  # room for the numbers
    left.set_xticks([])
    failed = (scores.table["status"] != "ok").groupby(scores.table["label"]).sum()
    beside: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
    for row, label in enumerate(scores.labels):
        text = "not known" if np.isnan(total[row]) else duration(float(total[row]))
        text += f" {OTHER_CLOCK}" * (not comparable[label])
        text += f", {failed[label]} failed" if failed[label] else ""
        left.annotate(text, (bars[row], row), (4, 0), **beside)
    rows_of_names(left, names)
    left.set_ylim(len(names) - 0.5, -0.5)  # beside the cells
    left.spines["bottom"].set_visible(False)
    marked = ""
    if not all(comparable.values()):
        marked = f"\n{OTHER_CLOCK} another machine, not comparable"
    left.set_xlabel(f"core time of all successful runs{marked}")

    values = np.maximum(means.to_numpy(dtype=np.float64).T, LOWEST)  # keeps NaN
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    limits = LogNorm(low, max(high, 10 * low))
    look: dict[str, Any] = {"written": duration, "cmap": "YlOrBr", "size": 7}
    draw_heat(right, values, names, columns, limits=limits, **look)
    right.tick_params(axis="y", labelleft=False)
    right.set_xlabel("mean core time\nof a problem")
    return figure
