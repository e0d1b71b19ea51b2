"""The figure of an evaluation: what is drawn, for few and many sets."""

import io

import numpy as np
import pytest

from tsmdbench import InputError
from tsmdbench.metrics import prom

TRUTH = {"a": [(0, 10), (20, 30)], "b": [(40, 50)]}
FOUND = [[(0, 10), (60, 70)], [(41, 51)], [(80, 90)]]


def rendered(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=40)
    return buffer.getvalue()


def all_axes(figure):
    return [axes for part in figure.subfigs for axes in part.axes]


def test_figure_marks_hits_misses_and_false_positives():
    figure = prom(TRUTH, FOUND).plot(np.zeros(100))
    truth_axes, series_axes, found_axes, matrix_axes = all_axes(figure)
    faces = [bars.get_facecolor() for bars in truth_axes.collections]
    assert sum(len(face) == 0 for face in faces) == 1  # the missed motif is hollow
    hatched = [bars for bars in found_axes.collections if bars.get_hatch()]
    assert len(hatched) == 2
    assert len(series_axes.lines) == 1
    assert truth_axes.get_ylabel() == "true sets"
    assert found_axes.get_xlabel() == "time (samples)"
    assert matrix_axes.get_title() == "matching matrix"
    same = truth_axes.collections[0].get_facecolor()
    assert np.array_equal(same, found_axes.collections[0].get_facecolor())
    assert rendered(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("sets", [1, 20, 40])
def test_figure_serves_few_and_many_sets(sets):
    truth = {f"${k}<&": [(100 * k, 100 * k + 50)] for k in range(sets)}
    found = [[(100 * k + 5, 100 * k + 50)] for k in range(sets)]
    assert rendered(prom(truth, found).plot(np.zeros((100 * sets, 3))))


def test_figure_without_series_or_finds():
    assert rendered(prom(TRUTH, []).plot())


def test_series_must_hold_all_motifs():
    with pytest.raises(InputError, match="ends beyond the series"):
        prom(TRUTH, FOUND).plot(np.zeros(60))


def test_a_recording_names_its_channels_and_adds_seconds():
    from tsmdbench.io import Recording

    x = np.random.default_rng(0).normal(size=(100, 2))
    result = prom([[(0, 10), (20, 30)]], [[(0, 10), (50, 60)]])
    figure = result.plot(Recording(x, ("left", "right"), rate=10.0))
    figure.savefig(io.BytesIO(), format="png")
    truth, series, *_ = figure.get_axes()
    assert [label.get_text() for label in series.get_yticklabels()] == ["left", "right"]
    (seconds,) = truth.child_axes
    assert seconds.get_xlim() == pytest.approx((0, 10))
    # Each channel stays within a lane of height 1.
    for row, line in enumerate(series.lines):
        assert np.abs(line.get_ydata() + row).max() <= 0.5
