"""Panels of small pictures: one per dataset, with the methods as common rows.

The three panels are those of the paper: datasets of one length with one channel, of one
length with several channels, and of several lengths. Whatever is not of TSMD-Bench has
a panel of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tsmdbench.datasets.catalogue import PAPER
from tsmdbench.report.figures.style import (
    new_figure,
    rows_of_names,
    shown,
    text_width,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIXED_ONE = "fixed-length univariate datasets"
FIXED_MANY = "fixed-length multivariate datasets"
VARIABLE = "variable-length multivariate datasets"
OTHER = "other datasets"
PANELS = (FIXED_ONE, FIXED_MANY, VARIABLE, OTHER)
ACROSS = 6  # pictures in a row
WIDTH = 1.85  # inches of a picture
ROW = 0.2  # inches of a method
DATASET = 25  # characters of a dataset's name


def panel_of(dataset: str) -> str:
    """Return the panel that a dataset belongs to.

    >>> panel_of("JapaneseVowels"), panel_of("mine")
    ('variable-length multivariate datasets', 'other datasets')
    """
    row = PAPER.get(dataset)
    if row is None:
        return OTHER
    if row.l_min < row.l_max:
        return VARIABLE
    return FIXED_MANY if row.channels > 1 else FIXED_ONE


def rows_of_facets(datasets: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return (title, datasets) per row of pictures; empty panels have none.

    >>> rows_of_facets(["Mallat", "ERing", "Plane"])
    [('(a) fixed-length univariate datasets', ['Mallat', 'Plane']), \
('(b) fixed-length multivariate datasets', ['ERing'])]
    """
    found: dict[str, list[str]] = {panel: [] for panel in PANELS}
    for dataset in datasets:
        found[panel_of(dataset)].append(dataset)
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
    """Return a figure of pictures that `draw(axes, dataset)` fills.

    Parameters
    ----------
    labels : sequence of str
        Methods, the common rows from top to bottom.
    datasets : sequence of str
        One picture each.
    draw : callable
        Draws a picture; row ``i`` of the y axis is method ``i``.
    title, axis : str
        Of the figure, and of the x axis, which goes from 0 to 1.
    legend : sequence of artists
        With their own labels.
    """
    rows = rows_of_facets(datasets)
    names = shown(labels)
    titles = dict(zip(datasets, shown(datasets, DATASET), strict=True))
    across = max(len(members) for _, members in rows)
    columns = _legend_columns(legend, across)
    heading = widest([text for text, _ in rows], 9.5) + 0.6
    width = max(widest(names) + WIDTH * across + 0.4, heading, 6.5)
    one = ROW * len(labels) + 0.75
    lines = -(-len(legend) // columns)
    figure = new_figure(width, one * len(rows) + 0.22 * len(rows) + 0.6 + 0.2 * lines)
    parts: Any = figure.subfigures(len(rows), 1, squeeze=False)
    for number, (part, (heading_text, members)) in enumerate(
        zip(parts[:, 0], rows, strict=True)
    ):
        part.suptitle(heading_text, x=0.01, ha="left", fontsize=9.5)
        places = part.subplots(1, across, sharey=True, squeeze=False)[0]
        for axes, dataset in zip(places, members, strict=False):
            rows_of_names(axes, names)
            _scale(axes, axis if number == len(rows) - 1 else "")
            axes.set_title(titles[dataset], fontsize=8)
            draw(axes, dataset)
        for axes in places[len(members) :]:
            axes.axis("off")
    figure.suptitle(title)
    if legend:
        figure.legend(
            handles=list(legend),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
        )
    return figure


def _legend_columns(legend: Sequence[Any], across: int) -> int:
    """Return how many entries of the legend fit beside each other."""
    entry = max((text_width(str(a.get_label())) + 0.6 for a in legend), default=1.0)
    return max(1, min(len(legend), int(max(WIDTH * across, 6.0) / entry)))


def _scale(axes: Axes, name: str) -> None:
    axes.set_xlim(-0.03, 1.03)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_xlabel(name)
