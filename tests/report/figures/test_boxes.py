"""Box plots: the paper's panels, the values behind a box, the hues."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import PathPatch

from tests.report.fakes import fake_scores
from tsmdbench.methods import MethodInfo
from tsmdbench.methods.info import method_info
from tsmdbench.report.figures import box_figure
from tsmdbench.report.figures.boxes import rows_of_facets
from tsmdbench.report.figures.properties import HATCH, HUES, look

DATASETS = ("Plane", "ERing", "JapaneseVowels", "mine")
METHODS = ("mrmotif", "mmotifs", "locomotif", "valmod", "no.such:Thing")


@pytest.fixture(scope="module")
def scores():
    return fake_scores(METHODS, DATASETS, problems=5, gaps=True)


@pytest.fixture(scope="module")
def figure(scores):
    return box_figure(scores)


def pictures(figure):
    return [axes for part in figure.subfigs for axes in part.axes if axes.axison]


def boxes(axes):
    return [patch for patch in axes.patches if isinstance(patch, PathPatch)]


def test_panels_are_those_of_the_paper(figure):
    titles = [part.get_suptitle() for part in figure.subfigs]
    assert titles == [
        "(a) fixed-length univariate datasets",
        "(b) fixed-length multivariate datasets",
        "(c) variable-length multivariate datasets",
        "(d) other datasets",
    ]
    assert [axes.get_title() for axes in pictures(figure)] == list(DATASETS)
    rows = rows_of_facets([f"d{k}" for k in range(8)])  # a long panel has two rows
    assert [(title, len(members)) for title, members in rows] == [
        ("(a) other datasets", 6),
        ("", 2),
    ]


def test_box_has_the_quartiles_of_the_problems(scores, figure):
    axes = pictures(figure)[1]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == list(scores.labels)
    table = scores.table
    for row, label in enumerate(scores.labels):
        mine = table[(table["dataset"] == "ERing") & (table["label"] == label)]
        expected = np.quantile(mine["prom_f1"], [0.25, 0.75])
        seen = boxes(axes)[row].get_path().get_extents()
        assert (seen.x0, seen.x1) == pytest.approx(tuple(expected))
        assert (seen.y0 + seen.y1) / 2 == pytest.approx(row)
    # A failed run counts as zero.
    row = scores.labels.index(METHODS[0])
    whisker = [line for line in axes.lines if row in line.get_ydata()]
    assert min(min(line.get_xdata()) for line in whisker) == 0


def test_a_dataset_without_runs_says_so(scores, figure):
    first = pictures(figure)[0]
    (text,) = first.texts  # the gap of the made-up results: one method on one dataset
    assert text.get_text() == "not run"
    assert text.get_position()[1] == scores.labels.index(METHODS[1])
    assert len(boxes(first)) == len(METHODS) - 1


def test_hue_says_what_a_method_can_do(figure, scores):
    drawn = dict(zip(scores.labels, boxes(pictures(figure)[1]), strict=True))
    fixed, variable = HUES[False, False][1], HUES[True, False][1]
    assert to_rgb(drawn["mrmotif"].get_facecolor()) == to_rgb(fixed)
    assert drawn["mrmotif"].get_hatch() == HATCH
    assert to_rgb(drawn["valmod"].get_facecolor()) == to_rgb(variable)
    assert drawn["valmod"].get_hatch() is None
    colours = {to_rgb(patch.get_facecolor()) for patch in drawn.values()}
    assert len(colours) == 5
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    # A method that was added stands for itself, the first of all.
    assert words == [
        "no.such:Thing",
        "fixed length, univariate, symbolic",
        "variable length, univariate",
        "fixed length, multivariate",
        "variable length, multivariate",
    ]


def test_a_name_out_of_a_store_imports_nothing(monkeypatch):
    def refuse(_, name):
        raise AssertionError(f"{name} was looked up")

    monkeypatch.setattr("tsmdbench.registry.Registry.__getitem__", refuse)
    assert method_info("os:remove") == MethodInfo()
    assert look(MethodInfo()).meaning == "properties not declared"
