"""Every figure, with few and many methods: nothing overlaps, nothing is cut off."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tests.report.fakes import (
    fake_scores,
    fake_significance,
    fake_surfaces,
    method_names,
)
from tests.report.looking import faults
from tsmdbench.analysis.metric_agreement import COMPARED
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.report.figures import (
    box_figure,
    cost_figure,
    critical_difference_figure,
    heat_map_figure,
    kendall_figure,
    stability_figure,
    time_quality_figure,
    tuning_figure,
)
from tsmdbench.report.figures.style import highlight

PANELS = ("Plane", "ArticularyWordRecognition", "JapaneseVowels", "my $own$ data")


def stability_of(methods, datasets):
    rng = np.random.default_rng(0)
    names = list(method_names(methods))
    ranks = rng.uniform(1, methods, size=(len(datasets), methods))
    taus = rng.uniform(-0.2, 1, size=len(datasets))
    taus[0] = np.nan
    return SimpleNamespace(
        ranks=pd.DataFrame(ranks, index=list(datasets), columns=names),
        tau=pd.Series(taus, index=list(datasets)),
        note="",
        average=pd.Series(ranks.mean(axis=0), index=names),
    )


DRAWINGS = {
    "boxes": lambda m, d: box_figure(fake_scores(m, d[:4], 4, gaps=True)),
    "heat map": lambda m, d: heat_map_figure(fake_scores(m, d, 2, gaps=True)),
    "ranks": lambda m, _: critical_difference_figure(
        fake_significance(method_names(m)), "F1"
    ),
    "equal ranks": lambda m, _: critical_difference_figure(
        fake_significance(
            method_names(m)[::-1],
            ranks=np.full(m, (m + 1) / 2),
            cliques=[method_names(m)],
            note="There is a long sentence about the tests here. " * 6,
        )
    ),
    "time": lambda m, d: time_quality_figure(fake_scores(m, d, 2)),
    "stability": lambda m, d: stability_figure(stability_of(m, d)),
    "cost": lambda m, d: cost_figure(fake_scores(m, d, 2, gaps=True)),
    "tuning": lambda m, d: tuning_figure(
        fake_surfaces(m, d[:4]), fake_scores(m, d[:4], 2)
    ),
}


@pytest.mark.parametrize("methods", [2, 25])
@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_overlaps_or_is_cut_off(name, methods):
    many = PANELS if name in ("boxes", "tuning") else (*BENCHMARK[4:12], PANELS[-1])
    figure = DRAWINGS[name](methods, many if methods > 2 else BENCHMARK[:1])
    assert faults(figure) == ([], [])


@pytest.mark.parametrize("place", [0, -1])
def test_the_own_name_in_bold_is_not_cut_off(place):
    names = ["emma", "stomp", "pepa"]
    names.insert(place if place == 0 else len(names), "./my_file.py:MyOwnMotifFinder")
    for figure in (
        critical_difference_figure(fake_significance(names), "F1"),
        heat_map_figure(fake_scores(names, BENCHMARK[:2], 2)),
    ):
        assert faults(highlight(figure, {names[place]: "C1"})) == ([], [])


def test_kendall_heat_maps_show_what_is_not_defined():
    names = list(COMPARED)
    taus = pd.DataFrame(np.eye(6), index=names, columns=names)
    taus.loc["S", "F"] = taus.loc["F", "S"] = np.nan
    found = SimpleNamespace(
        metrics=tuple(names), overall=taus, by_dataset=taus * 0.5, per_dataset={"a": 0}
    )
    figure = kendall_figure(found)
    assert faults(figure) == ([], [])
    left, right = figure.axes[:2]
    numbers = [text.get_text() for text in left.texts]
    assert numbers.count("\N{EN DASH}") == 2
    assert numbers.count("1.00") == 6
    assert [text.get_text() for text in right.texts].count("0.50") == 6
    assert "all results" in left.get_title()
    assert "1 dataset" in right.get_title()


def test_looking_sees_overlaps_and_cuts():
    figure = critical_difference_figure(fake_significance(("a", "b")))
    axes = figure.axes[0]
    axes.text(1, 0.1, "on each other")
    axes.text(1, 0.1, "on each other too")
    axes.text(-0.5, 0.1, "outside")
    on_each_other, cut = faults(figure)
    assert ("on each other", "on each other too") in on_each_other
    assert cut == ["outside"]
