"""The random-walk study beside the benchmark."""

import numpy as np
import pytest

from tests.report.looking import faults, words
from tsmdbench.paper.random_walk import (
    DetectorRow,
    mean_f1,
    random_walk_figure,
    shipped_study,
)


def names(figure):
    return [tick.get_text() for tick in figure.axes[0].get_yticklabels()]


def test_every_variant_has_its_dots_and_its_mean():
    study = shipped_study()
    figure = random_walk_figure(study)
    assert faults(figure) == ([], [])
    variants = names(figure)[:-1]
    assert variants == [
        "0 lags, level 0.05",
        "lags by BIC, level 0.05",
        "0 lags, level 0.01",
        "lags by BIC, level 0.01",
    ]
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in dots] == [20, 20, 20, 20]
    for line, mean in zip(dots, mean_f1(study).values(), strict=True):
        assert np.mean(line.get_xdata()) == pytest.approx(mean)
        assert f"{mean:.2f}" in words(figure)


def test_benchmark_is_below_if_the_detector_was_run():
    rows = [
        DetectorRow(name, 5, 0, f1, f1, f1) for name, f1 in (("a", 0.1), ("b", 0.3))
    ]
    figure = random_walk_figure(shipped_study(), rows)
    assert faults(figure) == ([], [])
    assert names(figure)[-1] == "TSMD-Bench, lags by BIC, level 0.05"
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"][-1]
    assert sorted(dots.get_xdata()) == [0.1, 0.3]


def test_without_the_detector_there_is_a_sentence():
    figure = random_walk_figure(shipped_study())
    assert "the detector was not run on TSMD-Bench here" in words(figure)


def test_a_study_of_nothing_is_drawn():
    assert "TSMD-Bench" in names(random_walk_figure([]))
