"""Look at a figure as a reader does: which texts overlap, which are cut off."""

from itertools import combinations
from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

TOUCH = 1.0  # pixels that two texts may share: letters do not fill their boxes


def texts(figure):
    """Return the texts that are drawn, with their boxes in pixels."""
    canvas = FigureCanvasAgg(figure)
    drawn = []
    plain = Text.draw

    def draw(self, renderer):
        if self.get_visible() and self.get_text().strip():
            drawn.append(self)
        plain(self, renderer)

    with patch.object(Text, "draw", draw):
        canvas.draw()
    return [(text, text.get_window_extent(canvas.get_renderer())) for text in drawn]


def faults(figure):
    """Return the pairs of texts that overlap, and the texts that are cut off."""
    found = texts(figure)
    return overlapping(found), cut_off(figure, found)


def overlapping(found):
    """Return the pairs of texts that lie on each other."""
    return [
        (a.get_text(), b.get_text())
        for (a, first), (b, second) in combinations(found, 2)
        if _lies_on(a, first, b, second)
    ]


def _lies_on(a, first, b, second):
    if a.get_rotation() and b.get_rotation():
        return False  # the boxes of slanted texts overlap though the texts do not
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    return width > TOUCH and height > TOUCH


def cut_off(figure, found):
    """Return the texts that do not fit into the figure."""
    frame = figure.bbox
    return [
        text.get_text()
        for text, box in found
        if box.x0 < frame.x0 - TOUCH
        or box.y0 < frame.y0 - TOUCH
        or box.x1 > frame.x1 + TOUCH
        or box.y1 > frame.y1 + TOUCH
    ]


def words(figure):
    """Return everything that is written in a figure."""
    return {text.get_text() for text, _ in texts(figure)}
