"""The section on difficulty: what its panels are drawn from."""

import math

import pandas as pd

from tsmdbench.analysis import Scores
from tsmdbench.report.page.difficulty import difficulty_section

MEANS = {"dials": 0.8, "dials?sets=3": 0.5, "dials?sets=4": 0.4, "dials?noise=1": 0.8}


def made(means):
    rows = [
        (label, dataset, problem, value)
        for dataset, value in means.items()
        for label in ("emma", "<b>")
        for problem in range(2)
    ]
    columns = ["label", "dataset", "problem", "prom_f1"]
    return Scores(pd.DataFrame(rows, columns=columns))


def test_panels_by_hand():
    found = difficulty_section(made(MEANS))
    assert [dial.title for dial in found.dials] == ["noise (sd)", "number of sets"]
    assert [text for _, text in found.dials[1].ticks] == ["2", "3", "4"]
    assert [x for x, _ in found.dials[1].ticks] == [22.0, 92.0, 162.0]
    emma = found.methods[0]
    assert (emma.label, emma.default) == ("emma", 0.8)
    noise, sets = emma.breaks_at
    assert math.isnan(noise)
    assert sets == 4.0
    panel = emma.panels[1]
    # A score of 1 is drawn at a height of 8, a score of 0 at 88.
    assert panel.points == "22.0,24.0 92.0,48.0 162.0,56.0"
    assert panel.half == 56.0
    assert panel.cross == (162.0, 56.0)
    assert emma.panels[0].cross is None
    assert panel.words.endswith("number of sets: 0.80 at 2, 0.50 at 3, 0.40 at 4")
    assert found.dials[1].lines == (panel.points,) * 2


def test_without_dials_there_is_no_section():
    assert difficulty_section(made({"dials": 0.5, "Symbols": 0.5})) is None
