"""The heat map of means: numbers, the best, and what is missing."""

import numpy as np
import pytest

from tests.report.fakes import fake_scores
from tsmdbench.report.figures import heat_map_figure
from tsmdbench.report.figures.heat import DARK, LIGHT, _readable

DASH = "\N{EN DASH}"


@pytest.fixture(scope="module")
def scores():
    return fake_scores(("emma", "mrmotif", "valmod"), ("Plane", "mine"), gaps=True)


@pytest.fixture(scope="module")
def cells(scores):
    axes = heat_map_figure(scores).axes[0]
    return np.array(list(axes.texts), dtype=object).reshape(3, 3)


def test_numbers_are_the_means(scores, cells):
    means = scores.means("prom_f1").T
    for row, label in enumerate(means.index):
        for column, dataset in enumerate(means.columns):
            value = means.loc[label, dataset]
            text = DASH if np.isnan(value) else f"{value:.2f}"
            assert cells[row, column].get_text() == text


def test_last_column_is_the_mean_of_those_with_all_datasets(scores, cells):
    means = scores.means("prom_f1")
    assert cells[1, 2].get_text() == DASH  # not run on Plane
    assert cells[0, 2].get_text() == f"{means['emma'].mean():.2f}"


def test_best_of_a_dataset_is_bold(scores, cells):
    means = scores.means("prom_f1")
    for column, dataset in enumerate(means.index):
        best = list(scores.labels).index(means.loc[dataset].idxmax())
        bold = [row for row in range(3) if cells[row, column].get_weight() == "bold"]
        assert bold == [best]


def test_numbers_can_be_read_on_their_cell():
    assert _readable((1.0, 1.0, 0.9)) == DARK
    assert _readable((0.03, 0.11, 0.35)) == LIGHT


def test_one_dataset_has_no_mean_column():
    axes = heat_map_figure(fake_scores(("emma", "valmod"), ("Plane",))).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["Plane"]
