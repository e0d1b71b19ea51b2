"""Average ranks: critical difference diagrams, and ranks without each dataset."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from tests.report.fakes import fake_scores, fake_significance
from tests.report.looking import faults, words
from tsmdbench.analysis.ranking import leave_one_out
from tsmdbench.report.figures import critical_difference_figure, stability_figure
from tsmdbench.report.figures.critical_difference import lanes

NAMES = ("best", "second", "third", "fourth", "last")
RANKS = (1.2, 2.0, 3.1, 3.1, 4.8)


def drawn(**options):
    return critical_difference_figure(fake_significance(NAMES, RANKS, **options))


def elbows(figure):
    """Return the lines from the axis to the names: (x of the rank, row, end)."""
    lines = [line.get_xydata() for line in figure.axes[0].lines]
    return [line for line in lines if len(line) == 3 and line[0, 1] == 0 < line[1, 1]]


def test_methods_hang_at_their_rank():
    figure = drawn(cliques=[], note="There is no test.")
    texts = {text.get_text(): text for text in figure.axes[0].texts}
    one, five = (texts[str(rank)].get_position()[0] for rank in (1, 5))
    places = [(line[0, 0] - one) / (five - one) * 4 + 1 for line in elbows(figure)]
    assert sorted(places) == pytest.approx(sorted(RANKS))
    assert {"best  1.20", "There is no test."} <= set(texts)
    assert texts["best  1.20"].get_horizontalalignment() == "right"
    assert texts["last  4.80"].get_horizontalalignment() == "left"


@pytest.mark.parametrize("methods", [2, 3, 6, 11, 25])
def test_lines_do_not_cross(methods):
    rng = np.random.default_rng(methods)
    ranks = np.sort(rng.integers(1, methods + 1, size=methods)).astype(float)
    names = [f"method {k}" for k in range(methods)]
    lines = elbows(critical_difference_figure(fake_significance(names, ranks)))
    assert len(lines) == methods
    for upright, level in permutations(lines, 2):
        (x, top), (_, bottom) = upright[0], upright[1]
        ends = sorted(level[1:, 0])
        assert not (top < level[1, 1] < bottom and ends[0] < x < ends[1])


def test_bars_join_the_methods_of_a_clique():
    figure = drawn(cliques=[NAMES[:2], ("third", "fourth")])
    lines = [line for line in figure.axes[0].lines if line.get_linewidth() > 3]
    places = {line[0, 0]: line for line in elbows(figure)}
    xs = sorted(places)
    first, second = sorted(tuple(line.get_xdata()) for line in lines)
    assert first[0] < xs[0] < xs[1] < first[1]
    assert second[0] < xs[2] < second[1]  # equal ranks still have a bar to be seen
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert sorted(len(dot.get_xdata()) for dot in dots) == [2, 2]


def test_bars_in_a_lane_do_not_touch():
    rng = np.random.default_rng(0)
    cliques = [sorted(rng.uniform(1, 12, size=3)) for _ in range(30)]
    laid = lanes(cliques)
    assert sorted(bar for lane in laid for bar in lane) == sorted(cliques)
    for lane in laid:
        for left, right in pairwise(lane):
            assert left[-1] < right[0]
    assert lanes([[2.0]]) == []


@pytest.mark.parametrize(
    ("names", "ranks"), [(("one",), (1.0,)), (("a", "b"), (np.nan, np.nan)), ((), ())]
)
def test_without_ranks_the_figure_is_a_sentence(names, ranks):
    found = fake_significance(names, ranks, cliques=[], note="Nothing to compare.")
    (axes,) = critical_difference_figure(found, "F1").axes
    assert [text.get_text() for text in axes.texts] == ["Nothing to compare."]


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


def test_without_an_order_the_figure_says_so():
    scores = fake_scores(METHODS, DATASETS, 2)
    scores.table["prom_f1"] = 0.5
    right = stability_figure(leave_one_out(scores)).axes[1]
    assert [text.get_text() for text in right.texts] == ["no order"] * 4
    assert np.isfinite(right.get_xlim()).all()
    found = leave_one_out(fake_scores(METHODS, DATASETS[:1]))
    assert words(stability_figure(found)) == {found.note}
