"""How pictures look, and how they are written: small SVG files, the same every time."""

from __future__ import annotations

import io
import re
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tools.docs.blocks import ROOT

from tsmdbench.plotting import COLOURS, GREY

__all__ = ["COLOURS", "GREY", "SETTINGS", "figure", "numbered", "quiet", "save"]

IMAGES = ROOT / "docs" / "images"
MAX_BYTES = 150_000
SETTINGS = {
    "svg.hashsalt": "tsmdbench",
    "svg.fonttype": "path",
    "path.simplify_threshold": 0.3,
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
}
PATH = re.compile(r'(?<=\bd=")[^"]+')
IDENTIFIER = re.compile(r"\b[a-z][0-9a-f]{10}\b")
LONG_NUMBER = re.compile(r"(\d+\.\d{2})\d+")


def save(figure: Figure, name: str, says: str | None = None) -> Path:
    """Write a figure as ``docs/images/<name>.svg``.

    Coordinates keep two digits, a hundredth of a point: that halves the files. What it
    `says` is kept inside, so that a test can tell whether it is still so.
    """
    file = IMAGES / f"{name}.svg"
    file.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(SETTINGS):
        buffer = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Description": says}
        figure.savefig(buffer, format="svg", metadata=metadata)
    text = PATH.sub(lambda d: LONG_NUMBER.sub(r"\1", d[0]), buffer.getvalue())
    text = numbered(text)
    if len(text.encode()) > MAX_BYTES:
        raise ValueError(f"{name} has {len(text.encode())} bytes; draw less")
    file.write_text(text)
    return file


def numbered(text: str) -> str:
    """Return the text with short identifiers: hashes depend on the last digit.

    >>> numbered('<a id="p0123456789"/><b href="#p0123456789"/>')
    '<a id="i0"/><b href="#i0"/>'
    """
    known: dict[str, str] = {}
    return IDENTIFIER.sub(
        lambda match: known.setdefault(match[0], f"i{len(known)}"), text
    )


def figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches."""
    with mpl.rc_context(SETTINGS):
        return Figure(figsize=(width, height), layout="constrained")


def quiet(axes: Axes) -> None:
    """Take the frame and the ticks off."""
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xticks([])
    axes.set_yticks([])
