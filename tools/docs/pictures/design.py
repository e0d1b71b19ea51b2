"""The pictures of the design page: the way of the data, and what imports what.

The second is read from the source files, so it cannot tell what is not so.
"""

from __future__ import annotations

import ast
from functools import cache

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tools.docs.blocks import ROOT
from tools.docs.pictures.style import COLOURS, SETTINGS, figure, quiet, save

PACKAGE = ROOT / "src" / "tsmdbench"
CORE = (
    "arrays",
    "errors",
    "example",
    "html_text",
    "io",
    "plotting",
    "registry",
    "segments",
    "types",
    "validation",
)
# From what uses everything to what everything uses.
SAYS = {
    "cli": "one command per file",
    "paper": "statements, reproduction",
    "report": "tables, figures, the page",
    "analysis": "scores, ranks, tests",
    "experiments": "settings, runs, the store",
    "datasets": "instances, problems with ground truth",
    "methods": "one discovery method per file",
    "metrics": "one metric per file",
    "view": "a page to annotate one recording",
    "_kernels": "compiled loops; only here numba",
    "core": "types, validation, io, registry, errors",
}
RANK = {part: len(SAYS) - place for place, part in enumerate(SAYS)}
RANK["_kernels"] = RANK["metrics"]
RANK["view"] = RANK["metrics"]
FORBIDDEN = {("methods", "metrics")}


def draw_all() -> None:
    """Draw both pictures."""
    with mpl.rc_context(SETTINGS):
        save(_draw_data(), "design/data")
        save(_draw_layers(), "design/layers", says())


def says() -> str:
    """Return the imports as text."""
    return ", ".join(f"{above} imports {below}" for above, below in sorted(arrows()))


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Return which part of the package imports which other part."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        mine = _part(file.relative_to(PACKAGE).with_suffix("").parts[0])
        for node in ast.walk(ast.parse(file.read_text())):
            modules = (
                [name.name for name in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for module in modules:
                pieces = module.split(".")
                if pieces[0] == "tsmdbench" and len(pieces) > 1:
                    found.add((mine, _part(pieces[1])))
    return frozenset((a, b) for a, b in found if a != b and {a, b} <= set(SAYS))


def _part(name: str) -> str:
    if name in ("archive", "benchmark"):  # they have its public names
        return "datasets"
    return "core" if name in CORE else name


def _box(axes: Axes, x: float, y: float, size: tuple[float, float], text: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    width, height = size
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0.02,rounding_size=0.12",
            facecolor="#EAF2F8",
            edgecolor=COLOURS[0],
        )
    )
    head, _, rest = text.partition("\n")
    shift = 0.22 * height if rest else 0
    axes.text(x, y + shift, head, ha="center", va="center", fontweight="bold")
    axes.text(x, y - shift, rest, ha="center", va="center", fontsize=8)


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    text: str = "",
    *,
    colour: str = "0.3",
) -> None:
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.1},
    )
    if text:
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.text(*middle, text, ha="center", va="center", fontsize=8, bbox=box)


def _draw_layers() -> Figure:
    """Return the parts below each other, and beside each what it does import."""
    drawn = figure(7.4, 4.6)
    axes = drawn.subplots()
    quiet(axes)
    imported = arrows()
    for row, (part, says) in enumerate(SAYS.items()):
        _box(axes, 1.75, -row, (3.5, 0.74), f"{part}\n{says}")
        for column, other in enumerate(SAYS):
            x = 4.2 + 0.62 * column
            may = RANK[other] < RANK[part] and (part, other) not in FORBIDDEN
            colour = "#EAF2F8" if may else "white"
            _cell(axes, x, -row, colour, dot=(part, other) in imported)
    for column, other in enumerate(SAYS):
        axes.text(4.2 + 0.62 * column, 0.6, other, rotation=50, fontsize=8)
    axes.set_xlim(-0.1, 4.6 + 0.62 * len(SAYS))
    axes.set_ylim(-len(SAYS) + 0.4, 1.75)
    return drawn


def _cell(axes: Axes, x: float, y: float, colour: str, *, dot: bool) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle((x - 0.31, y - 0.4), 0.62, 0.8, facecolor=colour, edgecolor="0.85")
    )
    if dot:
        axes.plot([x], [y], marker="o", color=COLOURS[0], markersize=5)


def _draw_data() -> Figure:
    """Return the way from labelled instances to tables and pages."""
    drawn = figure(6.6, 5.0)
    axes = drawn.subplots()
    quiet(axes)
    size = (2.5, 0.9)
    _box(axes, 1.4, 0, size, "instances\nlabelled, of an archive")
    _box(axes, 5.4, 0, size, "Problem\nseries and truth")
    _box(axes, 5.4, -2, size, "found\nmotif sets")
    _box(axes, 1.4, -2, size, "store\none row per run")
    _box(axes, 1.4, -4, size, "scores\ncomputed, never stored")
    _box(axes, 5.4, -4, size, "tables, figures, page\nwhat you read")
    _arrow(axes, (2.7, 0), (4.1, 0), "recipe")
    _arrow(axes, (5.4, -0.5), (5.4, -1.5), "Method.find")
    _arrow(axes, (4.1, -2), (2.7, -2), "as it is")
    _arrow(axes, (1.4, -2.5), (1.4, -3.5), "evaluate(truth, found)")
    _arrow(axes, (2.7, -4), (4.1, -4), "analysis")
    axes.set_xlim(-0.1, 6.9)
    axes.set_ylim(-4.7, 0.7)
    return drawn
