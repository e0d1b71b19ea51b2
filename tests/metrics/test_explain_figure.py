"""The figure of an evaluation: what is drawn, for few and many sets."""

import io

import numpy as np
import pytest

from tsmdbench import InputError, MotifSet
from tsmdbench.metrics import prom, subspace_prom

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


@pytest.mark.parametrize("sets", [1, 40])
def test_figure_serves_few_and_many_sets(sets):
    truth = {f"${k}<&": [(100 * k, 100 * k + 50)] for k in range(sets)}
    found = [[(100 * k + 5, 100 * k + 50)] for k in range(sets)]
    assert rendered(prom(truth, found).plot(np.zeros((100 * sets, sets))))


def test_series_is_optional_and_must_hold_all_motifs():
    assert rendered(prom(TRUTH, []).plot())
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


def test_sets_are_marked_in_their_channels():
    truth = {"a": MotifSet([(0, 10), (20, 30)], channels=(0, 2))}
    found = [MotifSet([((0, 10), (1, 11)), ((20, 30), (21, 31))], channels=(0, 2))]
    x = np.arange(300.0).reshape(100, 3)
    axes = all_axes(subspace_prom(truth, found).plot(x))[1]
    boxes = [
        [path.get_extents().bounds for path in bars.get_paths()]
        for bars in axes.collections
    ]
    # (start, lowest, length, height): channel c lies around -c, true motifs above.
    assert boxes == [
        [(0, 0, 10, 0.5), (20, 0, 10, 0.5)],
        [(0, -2, 10, 0.5), (20, -2, 10, 0.5)],
        [(0, -0.5, 10, 0.5), (20, -0.5, 10, 0.5)],
        [(1, -2.5, 10, 0.5), (21, -2.5, 10, 0.5)],
    ]
    assert not all_axes(prom(TRUTH, FOUND).plot(x))[1].collections


def crowded(n=30_000):
    """Motifs of 200 samples, some missed, doubled and spurious; and an overlap."""
    truth = {
        f"s{k}": [(s + 300 * k, s + 300 * k + 200) for s in range(500, n - 2000, 1500)]
        for k in range(3)
    }
    found = [
        [(a + 30, b + 20) for a, b in motifs[::2]]
        + [(a + 60, b + 60) for a, b in motifs[::4]]
        + [(a + 950, b + 950) for a, b in motifs[1:6]]
        for motifs in truth.values()
    ]
    return truth, [*found, [(200, 700), (400, 900), (600, 1200)]]


def test_letters_cover_neither_motifs_nor_each_other_at_30000_samples():
    from tsmdbench.metrics import explain

    figure = explain(*crowded()).plot(np.zeros((30_000, 2)))
    assert rendered(figure)
    truth_axes, _, found_axes, _ = all_axes(figure)
    errors = 0
    for axes in (truth_axes, found_axes):
        texts = [text for text in axes.texts if text.get_text() != "nothing found"]
        boxes = [text.get_window_extent() for text in texts]
        bars = [
            path.get_extents(axes.transData)
            for collection in axes.collections
            for path in collection.get_paths()
        ]
        for place, box in enumerate(boxes):
            assert not any(box.overlaps(bar) for bar in bars)
            assert not any(box.overlaps(other) for other in boxes[place + 1 :])
        counts = [
            part.split("\u00d7") for text in texts for part in text.get_text().split()
        ]
        errors += sum(int(part[0]) if len(part) == 2 else 1 for part in counts)
    explained = explain(*crowded())
    motifs = [*explained.true_motifs, *explained.found_motifs]
    right = ("matched", "true positive")
    assert errors == sum(motif.status not in right for motif in motifs)


def test_found_motifs_that_overlap_do_not_cover_each_other():
    truth, found = crowded()
    figure = prom(truth, found).plot()
    found_axes = all_axes(figure)[1]
    boxes = [
        path.get_extents()
        for collection in found_axes.collections
        for path in collection.get_paths()
    ]
    assert len(boxes) == sum(map(len, found))
    for place, box in enumerate(boxes):
        assert not any(_shared(box, other) for other in boxes[place + 1 :])


def _shared(box, other):
    """Whether two boxes share more than an edge."""
    return (
        min(box.x1, other.x1) - max(box.x0, other.x0) > 1e-9
        and min(box.y1, other.y1) - max(box.y0, other.y0) > 1e-9
    )
