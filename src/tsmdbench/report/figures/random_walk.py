"""Benchmarks with random walk are too easy: the detector on them and on ours (RQ3).

Each dot is a series of the study of `analysis.paper.random_walk_check`, one row for
each variant of the test, or a dataset of TSMD-Bench, where the same detector was run on
it; the bar is the mean. A method that only tells random walk from what is not gets
nearly everything right above, and must not below, if the benchmark is worth its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tsmdbench.analysis.paper.random_walk_benchmark import DetectorRow
from tsmdbench.analysis.paper.random_walk_check import PAPER_F1, StudyRow
from tsmdbench.plotting import BLUE, RED
from tsmdbench.report.figures.style import (
    in_house_style,
    new_figure,
    rows_of_names,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPREAD = 0.22  # rows over which equal dots are spread


@in_house_style
def random_walk_figure(
    study: Iterable[StudyRow], detector: Sequence[DetectorRow] = ()
) -> Figure:
    """Return the picture of both.

    Parameters
    ----------
    study : iterable of StudyRow
        From `analysis.paper.random_walk_check.shipped_study`, or a study of one's
        own.
    detector : sequence of DetectorRow
        From `analysis.paper.random_walk_benchmark`; without it the lower part says
        so.
    """
    groups: dict[str, list[float]] = {}
    for one in study:
        lags = "lags by BIC" if one.lags == "bic" else f"{one.lags} lags"
        groups.setdefault(f"{lags}, level {one.alpha:g}", []).append(one.f1)
    bench = {"TSMD-Bench, lags by BIC, level 0.05": [row.f1 for row in detector]}
    bench = {name: values for name, values in bench.items() if values}
    names = [*groups, *bench]
    values = [np.array(group) for group in (*groups.values(), *bench.values())]
    figure = new_figure(7.2, 0.42 * max(len(names) + (not bench), 1) + 1.3)
    axes = figure.add_subplot()
    for row, group in enumerate(values):
        _strip(axes, row, group, BLUE if row < len(groups) else RED)
    if not bench:
        text = "the detector was not run on TSMD-Bench here"
        axes.text(0.5, len(names), text, ha="center", va="center", color="0.4")
        names.append("TSMD-Bench")
    _frame(axes, names, len(groups))
    return figure


def _strip(axes: Axes, row: int, values: NDArray[np.float64], colour: str) -> None:
    """Draw dots, spread up and down in turn so that equal ones are seen."""
    order = np.sort(values)
    lift = SPREAD * (np.arange(len(order)) % 5 - 2) / 2
    axes.plot(order, row + lift, "o", color=(colour, 0.55), ms=5, mew=0)
    mean = float(np.mean(values))
    axes.plot([mean, mean], [row - 0.34, row + 0.34], color="0", lw=2)
    axes.annotate(
        f"{mean:.2f}", (1.0, row), (12, 0), textcoords="offset points", va="center"
    )


def _frame(axes: Axes, names: list[str], studied: int) -> None:
    rows_of_names(axes, names)
    axes.set_xlim(-0.02, 1.02)
    axes.axvline(PAPER_F1, color="0.4", linestyle="--", lw=1)
    axes.axhline(studied - 0.5, color="0.8", lw=0.8)
    axes.grid(axis="x", color="0.92", linewidth=0.6)
    axes.set_title(
        f"F1 of the random-walk detector\n(bars and numbers: means; dashed: the "
        f"paper's mean on random walk, {PAPER_F1:g})",
        fontsize=8.5,
        loc="left",
    )
    axes.set_xlabel("F1 (a dot: a series with random walk, or a dataset of TSMD-Bench)")
