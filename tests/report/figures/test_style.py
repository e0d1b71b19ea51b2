"""Figures are the same bytes each time, and names are shown letter by letter."""

from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from tests.report.fakes import HOSTILE, fake_scores, fake_significance
from tests.report.looking import words
from tsmdbench.report.figures import (
    box_figure,
    critical_difference_figure,
    heat_map_figure,
    png,
    save,
    svg,
)
from tsmdbench.report.figures.style import pdf, sentence_figure, shown

SMALL = ("ERing", "mine & <b>")


def one(draw):
    return {
        "boxes": lambda: box_figure(fake_scores(HOSTILE[:3], SMALL)),
        "ranks": lambda: critical_difference_figure(fake_significance(HOSTILE)),
        "heat": lambda: heat_map_figure(fake_scores(HOSTILE[:3], SMALL, gaps=True)),
    }[draw]()


@pytest.mark.parametrize("draw", ["boxes", "ranks", "heat"])
def test_drawn_twice_is_the_same_bytes_and_has_no_date(draw):
    first, second = one(draw), one(draw)
    assert svg(first) == svg(second)
    assert png(first) == png(second)
    assert svg(first) == svg(first)  # saving changes nothing
    assert b"date" not in svg(first).lower()
    ElementTree.fromstring(svg(first))  # hostile names leave it well-formed


def test_settings_of_the_user_change_nothing():
    plain = svg(one("ranks"))
    mine = {
        "font.size": 20,
        "text.usetex": True,
        "savefig.dpi": 30,
        "axes.grid": True,
        "figure.facecolor": "red",
        "svg.hashsalt": "mine",
        "svg.fonttype": "none",
    }
    with mpl.rc_context(mine):
        assert svg(one("ranks")) == plain
        assert mpl.rcParams["font.size"] == 20  # and ours not theirs


def test_hostile_names_are_shown_literally():
    seen = words(critical_difference_figure(fake_significance(HOSTILE)))
    for name in ("<script>alert(1)</script>", "$x_1$ costs 5%", "a_b&c#d~e^f"):
        assert any(text.startswith(f"{name}  ") for text in seen)
    assert any(text.startswith("two lines | pipe  ") for text in seen)
    figure = heat_map_figure(fake_scores(HOSTILE, SMALL))
    ticks = figure.axes[0].get_yticklabels()
    assert {tick.get_text() for tick in ticks} >= {"$x_1$ costs 5%", r"\textbf{x}{\$"}
    assert not any(tick.get_parse_math() for tick in ticks)


def test_names_are_short_printable_and_different():
    texts = shown([f"{'a' * 30}{k}{'b' * 30}" for k in range(3)])
    assert len(set(texts)) == 3
    assert max(map(len, texts)) <= 30
    assert shown(["x" * 26]) == ["x" * 26]
    assert shown(["a中b\u200b\x07"]) == ["a\ufffdb\ufffd\ufffd"]


def test_a_figure_is_saved_in_three_forms_without_a_date(tmp_path):
    text = "word " * 60
    figure = sentence_figure(text, "$title$")
    written = figure.axes[0].texts[0].get_text()
    assert written.split() == text.split()
    assert "\n" in written
    files = save(figure, tmp_path / "new" / "v1.2")
    assert [file.name for file in files] == ["v1.2.svg", "v1.2.png", "v1.2.pdf"]
    for file, beginning in zip(files, (b"<?xml", b"\x89PNG", b"%PDF"), strict=True):
        assert file.read_bytes().startswith(beginning)
    assert set(files[0].parent.iterdir()) == set(files)
    assert pdf(figure) == files[2].read_bytes()
    assert b"CreationDate" not in pdf(figure)
