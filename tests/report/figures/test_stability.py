"""Ranks without each dataset: dots, lines and the order of rows."""

import numpy as np
import pytest

from tests.report.fakes import fake_scores
from tests.report.looking import faults, words
from tsmdbench.analysis.ranking import leave_one_out
from tsmdbench.report.figures import stability_figure

DATASETS = ("Plane", "ERing", "NATOPS", "mine")
METHODS = ("locomotif", "emma", "valmod")


def test_dots_are_the_ranks_without_a_dataset():
    found = leave_one_out(fake_scores(METHODS, DATASETS))
    figure = stability_figure(found)
    assert faults(figure) == ([], [])
    left, right = figure.axes
    order = found.average.sort_values(kind="stable").index
    assert [tick.get_text() for tick in left.get_yticklabels()] == list(order)
    *without, average = left.lines
    assert average.get_xdata().tolist() == found.average[order].tolist()
    for line, dataset in zip(without, DATASETS, strict=True):
        assert line.get_xdata().tolist() == found.ranks.loc[dataset, order].tolist()
    bars = [bar.get_width() for bar in right.patches]
    assert bars == pytest.approx(found.tau.tolist())
    assert [tick.get_text() for tick in right.get_yticklabels()] == list(DATASETS)


def test_no_order_is_said_so():
    scores = fake_scores(METHODS, DATASETS, 2)
    scores.table["prom_f1"] = 0.5
    figure = stability_figure(leave_one_out(scores))
    assert [text.get_text() for text in figure.axes[1].texts] == ["no order"] * 4
    assert np.isfinite(figure.axes[1].get_xlim()).all()


def test_one_dataset_cannot_be_spared():
    found = leave_one_out(fake_scores(METHODS, DATASETS[:1]))
    assert words(stability_figure(found)) == {found.note}
