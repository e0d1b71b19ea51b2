"""The picture of the front page: a series, its truth, three methods, their scores."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.figure import Figure
from tools.docs.gallery import kept, problems
from tools.docs.pictures.methods import LANES, draw_bars, draw_row
from tools.docs.pictures.style import COLOURS, SETTINGS, figure, save

from tsmdbench import MotifSet, Problem
from tsmdbench.methods.info import method_info

SERIES = "stretched"
METHODS = ("locomotif", "valmod", "latentmotifs")  # one good, one fair, one poor


def draw_all() -> None:
    """Draw it so narrow that its letters can be read on a phone without scrolling."""
    with mpl.rc_context({**SETTINGS, "font.size": 11}):
        save(_draw(problems()[SERIES]), "overview")


def _draw(problem: Problem) -> Figure:
    drawn = figure(4.3, 5.2)
    top, middle, bottom = drawn.subplots(3, 1, sharex=True, height_ratios=[3, 5, 9])
    for row, motifs in enumerate(problem.truth.values()):
        draw_bars(top, list(motifs), row, COLOURS[row], hit=True)
    top.set_yticks(range(len(problem.truth)), [str(label) for label in problem.truth])
    top.set_ylim(len(problem.truth) - 0.4, -0.6)
    top.set_title("1. Series with known motif sets", loc="left", fontsize=11)
    middle.plot(problem.series, linewidth=0.8, color="0.3")
    middle.set_yticks([])
    for place, name in enumerate(METHODS):
        outcome = kept()[name][SERIES]
        found = [MotifSet(motifs) for motifs in outcome["found"]]
        draw_row(bottom, problem, found, outcome["f1"], place * (LANES + 1))
    centres = [place * (LANES + 1) + 1 for place in range(len(METHODS))]
    bottom.set_yticks(centres, [method_info(name).title for name in METHODS])
    bottom.set_ylim(len(METHODS) * (LANES + 1) - 0.5, -1)
    bottom.set_xlim(0, len(problem.series))
    bottom.set_xlabel("time (samples)")
    bottom.set_title("2. What methods find", loc="left", fontsize=11)
    bottom.set_title("3. F1", loc="right", fontsize=11)
    for axes in (top, bottom):
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return drawn
