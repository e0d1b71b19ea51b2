"""The figure of found sets: what it shows, and that nothing breaks it."""

import io

import numpy as np
import pytest

from tsmdbench.errors import InputError
from tsmdbench.io import Recording
from tsmdbench.methods.contract import planted_problem

pytest.importorskip("matplotlib")
from tsmdbench.methods.figure import draw_found
from tsmdbench.plotting import BINS

PROBLEM = planted_problem()


def drawn(figure):
    """Force every artist to be drawn, then return the axes."""
    figure.savefig(io.BytesIO(), format="png")
    return figure.get_axes()


def test_every_set_has_a_lane_and_a_panel():
    series, lanes, *panels = drawn(draw_found(PROBLEM.series, PROBLEM.truth))
    assert [label.get_text() for label in lanes.get_yticklabels()] == ["a", "b"]
    assert len(lanes.collections) == 2
    assert [panel.get_title() for panel in panels] == [
        "a: 4 of 50 samples",
        "b: 3 of 50 samples",
    ]
    assert [len(panel.lines) for panel in panels] == [4, 3]
    assert len(series.lines) == 1


def test_a_recording_names_its_channels_and_adds_seconds():
    x = planted_problem(channels=2).series
    recording = Recording(x, ("left", "right"), rate=100.0)
    series, *_ = drawn(draw_found(recording, PROBLEM.truth))
    assert [label.get_text() for label in series.get_yticklabels()] == ["left", "right"]
    (seconds,) = series.child_axes
    assert seconds.get_xlabel() == "time (s)"
    assert seconds.get_xlim()[1] == pytest.approx(series.get_xlim()[1] / 100)
    one = Recording(x[:, :1], ("load",))
    series, *_ = drawn(draw_found(one, PROBLEM.truth))
    assert series.get_ylabel() == "load"
    assert not series.child_axes


def test_nothing_found_is_said():
    _, lanes, *_ = drawn(draw_found(PROBLEM.series, []))
    assert lanes.texts[0].get_text() == "nothing found"


def test_many_sets_channels_and_broken_samples():
    x = planted_problem(channels=9).series.copy()
    x[100:200] = np.nan
    found = {f"$ a long label {k}": [(k, k + 5), (90, 110)] for k in range(30)}
    series, lanes, *panels = drawn(draw_found(x, found, title="100 $", channel=3))
    assert len(series.lines) == 6
    assert len(lanes.collections) == 30
    assert len(panels) == 8
    assert all(len(panel.lines) == 1 for panel in panels)


def test_long_series_keep_their_extremes():
    x = np.random.default_rng(0).normal(size=100_000)
    x[77_777], x[12_345] = 50.0, -60.0
    series, *_ = drawn(draw_found(x, [[(5, 6), (70_000, 70_010)]]))
    (line,) = series.lines
    place = line.get_xdata()
    assert len(place) <= 2 * BINS
    assert {77_777, 12_345} <= set(place.tolist())


def test_segments_beyond_the_series_are_refused():
    with pytest.raises(InputError, match="ends beyond the series"):
        draw_found(PROBLEM.series, [[(0, 5), (999, 1004)]])
