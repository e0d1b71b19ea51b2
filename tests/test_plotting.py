"""The one palette, the one thinning and the one import of figures."""

import io
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tsmdbench import explain, prom
from tsmdbench.analysis import load_baselines, score_store
from tsmdbench.errors import MissingExtraError
from tsmdbench.methods import METHODS, draw_found
from tsmdbench.methods.info import method_info
from tsmdbench.plotting import (
    BINS,
    COLOURS,
    GREY,
    LONGEST_LINE,
    SHADES,
    figure_class,
    make_drawable,
    thinned,
)
from tsmdbench.report import box_figure
from tsmdbench.report.figures.properties import GROUPS, SYMBOLIC, look
from tsmdbench.report.page import palette_css

SOURCES = Path(__file__).parents[1] / "src" / "tsmdbench"


def test_thinning_keeps_the_extremes():
    x = np.random.default_rng(0).normal(size=200_001)
    x[12_345], x[150_000] = 50.0, np.nan
    place, value = thinned(x)
    assert len(place) <= 2 * BINS
    assert np.nanmax(value) == 50.0
    assert np.nanmin(value) == np.nanmin(x)
    assert np.array_equal(x[place], value, equal_nan=True)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 23, 100])
def test_thinning_is_the_extremes_of_each_bin(n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    x[rng.random(n) < 0.3] = np.inf
    place, value = thinned(x, bins=4)
    assert (np.diff(place) >= 0).all()
    if n <= 8:
        expected = np.where(np.isfinite(x), x, np.nan)
        assert np.array_equal(value, expected, equal_nan=True)
        return
    width = -(-n // 4)
    for number, start in enumerate(range(0, n, width)):
        part = x[start : start + width]
        part = part[np.isfinite(part)]
        kept = value[2 * number : 2 * number + 2]
        if len(part):
            assert {*kept} == {part.min(), part.max()}
        else:
            assert np.isnan(kept).all()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "tsmdbench.notebook_figure", raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "tsmdbench\[plot\]"'):
        figure_class()


def test_figures_show_themselves_in_notebooks():
    truth, found = [[(0, 10), (20, 30)]], [[(1, 10), (22, 30)]]
    series = np.sin(np.arange(40.0))
    for figure in (
        prom(truth, found).plot(),
        explain(truth, found).plot(series),
        draw_found(series, found),
        box_figure(score_store(load_baselines("recordings"), metrics=["prom_f1"])),
    ):
        assert figure._repr_png_().startswith(b"\x89PNG")


def test_a_method_has_the_same_colour_in_figures_and_page():
    css = palette_css()
    for method in (*METHODS, "my.module:Method"):
        one = look(method_info(method))
        group = GROUPS.index((one.meaning.removesuffix(SYMBOLIC), one.colour))
        rule = re.search(rf"\.group-{group} {{(.*)}}", css)[1]
        assert "light-dark({}, {})".format(*SHADES[one.colour]) in rule


def test_every_set_and_group_has_a_colour_and_every_colour_its_shades():
    assert set(SHADES) == {*COLOURS, GREY}
    assert len({shade for pair in SHADES.values() for shade in pair}) == 2 * len(SHADES)
    css = palette_css()
    script = (SOURCES / "report/assets/lanes.js").read_text()
    count = int(re.search(r"const COLOURS = (\d+)", script)[1])
    assert count == len(COLOURS) == len(re.findall(r"\.set-\d+ ", css))
    assert len(GROUPS) == len(re.findall(r"\.group-\d+ ", css))


def test_no_other_file_has_a_palette_or_imports_figures():
    for file in SOURCES.rglob("*.py"):
        if file.name == "plotting.py":
            continue
        text = file.read_text()
        assert not any(colour in text for colour in COLOURS), file
        assert not re.search(r"try:\n\s+(import|from) matplotlib", text), file


def test_texts_of_figures_make_valid_svg():
    figure = figure_class()()
    axes = figure.subplots()
    axes.set_title("a\x00\x1b\ud800b")
    axes.set_xlabel("x" * 1000)
    axes.set_yticks([0.2, 0.4, 0.6], ["fine", "c\ud800\x1bd", "y" * 1000])
    buffer = io.BytesIO()
    make_drawable(figure).savefig(buffer, format="svg")
    ElementTree.fromstring(buffer.getvalue())
    assert axes.get_title() == r"a\x00\x1b\ud800b"
    assert len(axes.get_xlabel()) <= LONGEST_LINE + 1
    ticks = [text.get_text() for text in axes.get_yticklabels()]
    assert ticks[:2] == ["fine", r"c\ud800\x1bd"]
    assert len(ticks[2]) <= LONGEST_LINE + 1
