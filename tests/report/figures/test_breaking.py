"""Where a method breaks: lines, crosses and panels."""

import numpy as np
import pandas as pd
import pytest

from tests.report.looking import faults, words
from tsmdbench.analysis import Scores, dial_scores
from tsmdbench.benchmark import DIALS
from tsmdbench.datasets.dials import dial_datasets
from tsmdbench.experiments.sources import stored_name
from tsmdbench.report.figures import breaking_figure
from tsmdbench.report.figures.breaking import TITLES
from tsmdbench.report.figures.properties import looks

METHODS = ("emma", "locomotif", "stomp")


def scores(datasets=None):
    rng = np.random.default_rng(0)
    rows = [
        (method, dataset, problem, float(rng.uniform(0.3, 0.9)))
        for method in METHODS
        for dataset in (datasets or map(stored_name, dial_datasets()))
        for problem in range(4)
    ]
    columns = ["label", "dataset", "problem", "prom_f1"]
    return Scores(pd.DataFrame(rows, columns=columns))


def test_panels_show_the_means_of_a_method_among_the_others():
    found = scores()
    curves = dial_scores(found)
    figure = breaking_figure(curves, "locomotif", found)
    assert faults(figure) == ([], [])
    assert [axes.get_title() for axes in figure.axes] == list(TITLES.values())
    for axes, (dial, positions) in zip(figure.axes, DIALS.items(), strict=True):
        ticks = [tick.get_text() for tick in axes.get_xticklabels()]
        assert ticks == [f"{position:g}" for position in positions]
        grey, (own,) = (
            [
                line
                for line in axes.lines
                if line.get_marker() == mark and len(line.get_xdata()) == 5
            ]
            for mark in ("None", "o")
        )
        assert len(grey) == 2
        assert own.get_color() == looks(found)["locomotif"].colour
        part = curves[(curves["dial"] == dial) & (curves["label"] == "locomotif")]
        assert own.get_ydata() == pytest.approx(part["mean"].to_numpy())


def test_a_cross_stands_where_half_is_lost():
    found = scores(("dials", "dials?noise=0.25", "dials?noise=0.5", "dials?noise=1"))
    values = {"dials": 0.8, "dials?noise=0.25": 0.41, "dials?noise=0.5": 0.4}
    table = found.table.assign(prom_f1=found.table["dataset"].map(values).fillna(0.6))
    found = Scores(table)
    (axes,) = breaking_figure(dial_scores(found), "emma", found).axes
    (cross,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (2, pytest.approx(0.4))


def test_a_method_without_results_is_said_so():
    found = scores()
    figure = breaking_figure(dial_scores(found), "valmod", found)
    assert words(figure) == {"valmod has no result with a dial moved."}
