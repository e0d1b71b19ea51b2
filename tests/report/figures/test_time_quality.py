"""Time against quality: every method is named, and the front is the analysis's."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.report.fakes import fake_scores
from tests.report.looking import words
from tsmdbench.analysis.costs import time_and_quality
from tsmdbench.plotting import RED
from tsmdbench.report.figures import time_quality_figure
from tsmdbench.report.figures.time_quality import place_names

METHODS = ("emma", "mrmotif", "valmod", "locomotif", "my:Own")


def dots(figure):
    lines = figure.axes[0].lines
    return [line for line in lines if line.get_marker() in ("o", "s")]


def test_points_and_front_are_those_of_the_analysis():
    scores = fake_scores(METHODS, ("Plane", "ERing"))
    found = time_and_quality(scores)
    figure = time_quality_figure(scores)
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in dots(figure)]
    assert places == list(zip(found["time"], found["quality"], strict=True))
    front = next(line for line in figure.axes[0].lines if line.get_color() == RED)
    best = found[found["pareto"]].sort_values("time")
    assert front.get_xdata().tolist() == best["time"].tolist()
    assert front.get_drawstyle() == "steps-post"
    assert set(METHODS) <= words(figure)
    bold = {t.get_text() for t in figure.axes[0].texts if t.get_weight() == "bold"}
    assert bold == set(best.index)
    marks = [line.get_marker() for line in dots(figure)]
    assert marks == ["o", "s", "o", "o", "o"]  # the second one is symbolic


def test_many_equal_methods_are_all_named():
    scores = fake_scores(25, ("Plane",), 2)
    scores.table["cpu_seconds"], scores.table["prom_f1"] = 1.0, 0.5
    figure = time_quality_figure(scores)
    names = [text.get_text() for text in figure.axes[0].texts]
    assert len(set(names)) == 25


def test_who_has_no_time_is_left_out_and_named():
    scores = fake_scores(METHODS, ("Plane",), 2)
    scores.table.loc[scores.table["label"] == "my:Own", "cpu_seconds"] = np.nan
    figure = time_quality_figure(scores)
    assert len(dots(figure)) == 4
    assert "left out, time not known: my:Own" in words(figure)


@pytest.mark.parametrize("timeless", [True, False])
def test_without_points_there_is_a_sentence(timeless):
    if timeless:
        scores = fake_scores(METHODS, ("Plane",), 1)
        scores.table["cpu_seconds"] = np.nan
        sentence = "The results do not say how long the runs took."
    else:
        first = fake_scores(("emma",), ("Plane",), 1)
        scores = first.join(fake_scores(("valmod",), ("ERing",), 1))
        sentence = "No dataset has results of all methods."
    assert words(time_quality_figure(scores)) == {sentence}


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


point = st.tuples(st.floats(0, 7), st.floats(0, 4))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(point, st.floats(0.2, 1.6)), min_size=1, max_size=25))
def test_names_have_places_of_their_own(names):
    points = [where for where, _ in names]
    boxes = place_names(points, [(width, 0.15) for _, width in names], (0, 0, 7, 4))
    assert None not in boxes
    assert not any(meet(a, b) for a, b in combinations(boxes, 2))
    for left, bottom, right, top in boxes:
        assert left >= 0 and bottom >= 0 and right <= 7 and top <= 4  # noqa: PT018
        assert not any(left < x < right and bottom < y < top for x, y in points)


def test_a_name_is_next_to_its_point_where_there_is_room():
    (box,) = place_names([(3.0, 2.0)], [(1.0, 0.15)], (0, 0, 7, 4))
    assert 3.0 < box[0] < 3.2
    assert (box[1] + box[3]) / 2 == 2.0
    assert place_names([(0.2, 0.2)], [(1.0, 0.15)], (0, 0, 0.5, 0.5)) == [None]
