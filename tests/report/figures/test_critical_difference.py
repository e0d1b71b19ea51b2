"""Critical difference diagrams: places, bars, crossings, and sentences."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from tests.report.fakes import fake_significance
from tsmdbench.report.figures import critical_difference_figure
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
    figure = drawn(cliques=[])
    texts = {text.get_text(): text for text in figure.axes[0].texts}
    one, five = (texts[str(rank)].get_position()[0] for rank in (1, 5))
    places = [(line[0, 0] - one) / (five - one) * 4 + 1 for line in elbows(figure)]
    assert sorted(places) == pytest.approx(sorted(RANKS))
    assert "best  1.20" in texts
    assert texts["best  1.20"].get_horizontalalignment() == "right"
    assert texts["last  4.80"].get_horizontalalignment() == "left"


@pytest.mark.parametrize("methods", range(2, 26))
def test_lines_do_not_cross(methods):
    rng = np.random.default_rng(methods)
    ranks = np.sort(rng.integers(1, methods + 1, size=methods)).astype(float)
    names = [f"method {k}" for k in range(methods)]
    lines = elbows(critical_difference_figure(fake_significance(names, ranks)))
    assert len(lines) == methods
    for a, b in combinations(lines, 2):
        assert not crosses(a, b)
        assert not crosses(b, a)


def crosses(upright, level):
    """Say whether the upright part of one line meets the level part of another."""
    (x, top), (_, bottom) = upright[0], upright[1]
    ends = sorted(level[1:, 0])
    return top < level[1, 1] < bottom and ends[0] < x < ends[1]


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
    assert sorted(bar[2] for lane in laid for bar in lane) == sorted(cliques)
    for lane in laid:
        for left, right in pairwise(lane):
            assert left[1] < right[0]
    assert lanes([[2.0]]) == []


def test_why_there_is_no_test_is_written():
    figure = drawn(cliques=[], note="There is no test.")
    assert any("There is no test." in text.get_text() for text in figure.axes[0].texts)


@pytest.mark.parametrize(
    ("names", "ranks"), [(("one",), (1.0,)), (("a", "b"), (np.nan, np.nan)), ((), ())]
)
def test_without_ranks_the_figure_is_a_sentence(names, ranks):
    found = fake_significance(names, ranks, cliques=[], note="Nothing to compare.")
    (axes,) = critical_difference_figure(found, "F1").axes
    assert [text.get_text() for text in axes.texts] == ["Nothing to compare."]
