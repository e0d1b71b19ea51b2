"""Heat maps: means with the best, and costs with totals as bars."""

import numpy as np
import pytest

from tests.report.fakes import fake_scores
from tests.report.looking import words
from tsmdbench.report.figures import cost_figure, heat_map_figure
from tsmdbench.report.figures.heat import DARK, LIGHT
from tsmdbench.report.figures.style import duration

DASH = "\N{EN DASH}"
METHODS, DATASETS = ("emma", "mrmotif", "valmod"), ("Plane", "mine")


@pytest.fixture(scope="module")
def scores():
    return fake_scores(METHODS, DATASETS, gaps=True)


@pytest.fixture(scope="module")
def cells(scores):
    axes = heat_map_figure(scores).axes[0]
    return np.array(list(axes.texts), dtype=object).reshape(3, 3)


def test_numbers_are_the_means_and_the_best_is_bold(scores, cells):
    means = scores.means("prom_f1")
    for column, dataset in enumerate(means.index):
        best = means.loc[dataset].idxmax()
        for row, label in enumerate(means.columns):
            value, cell = means.loc[dataset, label], cells[row, column]
            assert cell.get_text() == (DASH if np.isnan(value) else f"{value:.2f}")
            assert (cell.get_weight() == "bold") == (label == best)
    # The last column is the mean of those that have all datasets.
    assert cells[1, 2].get_text() == DASH  # not run on Plane
    assert cells[0, 2].get_text() == f"{means['emma'].mean():.2f}"
    axes = heat_map_figure(fake_scores(("emma", "valmod"), ("Plane",))).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["Plane"]


def test_numbers_can_be_read_on_their_cell():
    scores = fake_scores(("emma", "valmod"), ("Plane",), 2)
    scores.table["prom_f1"] = (scores.table["label"] == "valmod").astype(float)
    texts = heat_map_figure(scores).axes[0].texts
    assert [text.get_color() for text in texts] == [DARK, LIGHT]


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
    assert cells[2] == DASH  # mrmotif was not run on Plane
    assert [tick.get_text() for tick in right.get_xticklabels()] == list(DATASETS)


def test_unknown_costs_are_said_to_be_unknown():
    scores = fake_scores(METHODS, DATASETS, 2)
    scores.table.loc[scores.table["label"] == "emma", "cpu_seconds"] = np.nan
    assert cost_figure(scores).axes[0].texts[0].get_text() == "not known"
    scores.table["cpu_seconds"] = np.nan
    assert words(cost_figure(scores)) == {"The results do not record processor time."}
    scores.table["cpu_seconds"] = 0.0
    assert cost_figure(scores).axes[0].texts[0].get_text() == "0.0 ms"
