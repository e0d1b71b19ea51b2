"""Costs: totals as bars, means as cells, failures beside them."""

import numpy as np
import pytest

from tests.report.fakes import fake_scores
from tests.report.looking import words
from tsmdbench.report.figures import cost_figure
from tsmdbench.report.figures.style import duration

METHODS, DATASETS = ("emma", "mrmotif", "valmod"), ("Plane", "mine")


def test_bars_are_totals_and_cells_means_of_successful_runs():
    scores = fake_scores(METHODS, DATASETS, gaps=True)
    good = scores.table[scores.table["status"] == "ok"]
    figure = cost_figure(scores)
    left, right = figure.axes
    total = good.groupby("label")["cpu_seconds"].sum()
    assert [bar.get_width() for bar in left.patches] == pytest.approx(
        total[list(METHODS)].tolist()
    )
    notes = [text.get_text() for text in left.texts]
    assert notes[0] == f"{duration(total['emma'])}, 2 failed"
    assert notes[2] == duration(total["valmod"])
    means = good.groupby(["label", "dataset"])["cpu_seconds"].mean()
    cells = [text.get_text() for text in right.texts]
    assert cells[0] == duration(means["emma", "Plane"])
    assert cells[2] == "\N{EN DASH}"  # mrmotif was not run on Plane
    assert [tick.get_text() for tick in right.get_xticklabels()] == list(DATASETS)


def test_unknown_costs_are_said_to_be_unknown():
    scores = fake_scores(METHODS, DATASETS, 2)
    scores.table.loc[scores.table["label"] == "emma", "cpu_seconds"] = np.nan
    assert cost_figure(scores).axes[0].texts[0].get_text() == "not known"
    scores.table["cpu_seconds"] = np.nan
    assert words(cost_figure(scores)) == {"The results do not record processor time."}


def test_free_runs_are_drawn():
    scores = fake_scores(METHODS, DATASETS, 2)
    scores.table["cpu_seconds"] = 0.0
    assert cost_figure(scores).axes[0].texts[0].get_text() == "0.0 ms"
