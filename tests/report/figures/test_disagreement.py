"""The drawing of a result about which two metrics disagree."""

import numpy as np
import pytest

from tests.report.fakes import fake_scores
from tests.report.looking import faults
from tsmdbench import InputError
from tsmdbench.analysis.metric_agreement import disagreements
from tsmdbench.report.figures import disagreement_figure
from tsmdbench.report.figures.disagreement import value_and_rank

TRUTH = {"$y_1$": [(0, 50), (100, 150)], "b_c": [(200, 250), (300, 360)]}
FOUND = [[(2, 51), (400, 440)], [(205, 250)], [(500, 560)]]


@pytest.fixture(scope="module")
def scores():
    return fake_scores(("$x_1$ & <b>", "emma", "valmod"), ("PenDigits", "mine"))


@pytest.fixture(scope="module")
def case(scores):
    return disagreements(scores, "F", "S", count=1)[0]


def test_values_and_ranks_are_those_of_the_case(scores, case):
    found = value_and_rank(case, scores)
    assert list(found) == ["F", "P", "R", "C_m", "C_g", "S"]
    assert found["F"] == (case.first, case.rank_first)
    assert found["S"] == (case.second, case.rank_second)


def test_figure_shows_series_sets_values_and_ranks(scores, case):
    series = np.random.default_rng(0).normal(size=(600, 2)).cumsum(axis=0)
    figure = disagreement_figure(case, scores, TRUTH, FOUND, series, metrics=("F", "S"))
    assert faults(figure) == ([], [])
    lines = figure.get_suptitle().split("\n")
    assert lines[0].startswith(f"{case.label} on ")
    assert case.problem in lines[0]
    assert lines[1].count("▶") == 2
    assert f"{case.first:.2f}" in lines[2]
    assert f"{case.rank_first:g}" in lines[3].split()
    assert "rank of 24" in lines[3]
    lanes = figure.subfigs[0].axes
    assert [axes.get_ylabel() for axes in lanes] == [
        "true sets",
        "channel",
        "found sets",
    ]


def test_names_are_shown_literally(scores):
    hostile = disagreements(scores.only(labels=["$x_1$ & <b>"]), "F", "S", count=1)[0]
    figure = disagreement_figure(hostile, scores, TRUTH, [])
    assert figure.get_suptitle().startswith("$x_1$ & <b> on ")
    assert not figure._suptitle.get_parse_math()
    # the lanes' own way to show a dollar is to escape it
    label = figure.subfigs[0].axes[0].get_yticklabels()[0]
    assert (label.get_text(), label.get_parse_math()) == (r"\$y_1\$", True)


def test_a_case_of_other_scores_is_refused(scores, case):
    others = scores.only(datasets=["mine"])
    if case.dataset == "mine":
        others = scores.only(datasets=["PenDigits"])
    with pytest.raises(InputError, match="the scores have no run of"):
        disagreement_figure(case, others, TRUTH, FOUND)
