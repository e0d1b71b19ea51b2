"""The pictures of "How PROM works": one example step by step, and the corner cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tools.docs.pictures.style import COLOURS, GREY, SETTINGS, figure, quiet, save

from tsmdbench.example import example_path
from tsmdbench.io import read_series
from tsmdbench.metrics import Prom, explain, prom
from tsmdbench.segments import overlap_rate

TP, FN, FP = "#BFE3D0", "#F6D9A8", "#F3C6C0"  # cells of the matching matrix
Sets = Mapping[str, Sequence[tuple[int, int]]]

# Small cases: truth, found, options, and how the picture is headed.
CASES: dict[str, tuple[Sets, Sets, dict[str, Any]]] = {
    "half": ({"a": [(0, 40), (100, 140)]}, {"0": [(0, 20), (100, 150)]}, {}),
    "tie": (
        {"a": [(10, 50), (110, 150)], "b": [(210, 250), (310, 350)]},
        {"0": [(20, 60), (110, 150)], "1": [(0, 40), (210, 250), (310, 350)]},
        {},
    ),
    "duplicate": (
        {"a": [(20, 60), (120, 160)]},
        {"0": [(15, 55), (24, 64), (120, 160)]},
        {},
    ),
    "off-target": (
        {"a": [(0, 40), (100, 140), (300, 340)]},
        {"0": [(2, 42), (100, 140), (305, 345)], "1": [(50, 90), (200, 240)]},
        {},
    ),
    "missing-set": (
        {"a": [(0, 40), (100, 140), (300, 340)], "b": [(50, 90), (200, 240)]},
        {"0": [(2, 42), (100, 140), (305, 345)]},
        {},
    ),
    "merged": (
        {"a": [(0, 40), (100, 140), (300, 340)], "b": [(50, 90), (200, 240)]},
        {"0": [(0, 40), (50, 90), (100, 140), (200, 240), (300, 340)]},
        {},
    ),
}


def case(name: str) -> Prom:
    """Evaluate one of the small cases."""
    truth, found, options = CASES[name]
    return prom(truth, found, **options)


def draw_all() -> None:
    """Draw the steps, the corner cases and the annotated matrix."""
    files = example_path("truth.json"), example_path("found.json")
    result = prom(*files)
    series = read_series(example_path("series.csv"))
    with mpl.rc_context(SETTINGS):
        save(_step_segments(result, series), "metrics/step-1-segments")
        save(_step_overlap(), "metrics/step-2-overlap")
        save(_step_sets(result), "metrics/step-3-sets")
        save(_step_matrix(result), "metrics/step-4-matrix")
        for name in CASES:
            save(_draw_case(case(name)), f"metrics/case-{name}")
        save(_sized(explain(*files).plot(series)), "metrics/explained")
        save(_sized(result.plot(series)), "evaluation")


def _sized(drawn: Figure) -> Figure:
    """Return the package's own figure of an evaluation in a handy size."""
    drawn.set_size_inches(10.5, 4.9)
    return drawn


def _lanes(
    axes: Axes, sets: Any, rows: Sequence[float], colours: Sequence[str]
) -> None:
    """Draw sets as lanes of bars."""
    for row, motifs, colour in zip(rows, sets, colours, strict=True):
        for start, end in motifs:
            axes.broken_barh(
                [(start, end - start)],
                (row - 0.32, 0.64),
                facecolor=f"{colour}66",
                edgecolor=colour,
                linewidth=1.2,
            )


def _step_segments(result: Prom, series: Any) -> Figure:
    """Truth above the series, what was found below; nothing is matched yet."""
    drawn = figure(7.4, 3.6)
    g, d = len(result.truth.sets), len(result.found.sets)
    top, middle, bottom = drawn.subplots(
        3, 1, sharex=True, height_ratios=[g * 0.42, 1.7, d * 0.42]
    )
    _lanes(top, result.truth.sets, range(g), [COLOURS[k] for k in range(g)])
    middle.plot(series, color="0.3", linewidth=0.8)
    middle.set_ylabel("series")
    middle.set_yticks([])
    _lanes(bottom, result.found.sets, range(d), ["#555555"] * d)
    _names(top, [f"true {name}" for name in result.row_labels])
    _names(bottom, [f"found {name}" for name in result.column_labels])
    bottom.set_xlabel("time (samples)")
    bottom.set_xlim(0, len(series))
    return drawn


def _names(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _step_overlap() -> Figure:
    """Three pairs of segments and their overlap rates, drawn as bars."""
    drawn = figure(7.4, 1.9)
    pairs = [
        ((68, 148), (74, 154), "a good match"),
        ((323, 403), (331, 405), "shorter, still a match"),
        ((841, 921), (891, 971), "too far off"),
    ]
    for axes, (true, found, what) in zip(drawn.subplots(1, 3), pairs, strict=True):
        rate = overlap_rate(true, found)
        colour = COLOURS[2] if rate > 0.5 else COLOURS[5]
        for row, (start, end), name in ((0, true, "true"), (1, found, "found")):
            fill = COLOURS[0] if row == 0 else "#555555"
            axes.broken_barh(
                [(start, end - start)],
                (row - 0.3, 0.6),
                facecolor=f"{fill}66",
                edgecolor=fill,
            )
            axes.text(true[0] - 6, row, name, ha="right", va="center")
        both = min(true[1], found[1]) - max(true[0], found[0])
        union = max(true[1], found[1]) - min(true[0], found[0])
        axes.text(
            (true[0] + true[1]) / 2,
            1.75,
            f"{both} / {union} = {rate:.2f}",
            ha="center",
            color=colour,
            fontweight="bold",
        )
        axes.set_title(what, fontsize=9.5)
        axes.set_xlim(true[0] - 45, true[0] + 135)
        axes.set_ylim(2.1, -0.6)
        quiet(axes)
    return drawn


def _step_sets(result: Prom) -> Figure:
    """Links between motifs, and the table of how many each pair of sets has."""
    drawn = figure(7.4, 3.1)
    left, right = drawn.subplots(1, 2, width_ratios=[3.2, 1.5])
    _linked_lanes(left, result)
    g, d = len(result.truth.sets), len(result.found.sets)
    table = result.matrix[:g, :d]
    right.set_title("motifs in common", fontsize=9.5)
    for row, column in np.ndindex(g, d):
        chosen = row == column < result.matched
        _cell(right, row, column, int(table[row, column]), TP if chosen else "white")
    _table_names(right, result.row_labels, result.column_labels)
    return drawn


def _linked_lanes(axes: Axes, result: Prom) -> None:
    """Draw truth above, found below, and a line from each motif to its match."""
    g, d = len(result.truth.sets), len(result.found.sets)
    shown = [COLOURS[k % len(COLOURS)] for k in range(g)]
    theirs = [shown[k] if k < result.matched else GREY for k in range(d)]
    below = [g + 1.2 + k for k in range(d)]
    _lanes(axes, result.truth.sets, range(g), shown)
    _lanes(axes, result.found.sets, below, theirs)
    for true, found in result.links.tolist():
        row, column = result.truth.owner[true], result.found.owner[found]
        inside = row == column < result.matched
        axes.plot(
            [result.truth.segments[true].mean(), result.found.segments[found].mean()],
            [row + 0.32, below[column] - 0.32],
            color="0.1" if inside else COLOURS[5],
            linewidth=1.3,
            linestyle="-" if inside else (0, (4, 2)),
        )
    names = [f"true {name}" for name in result.row_labels]
    names += [f"found {name}" for name in result.column_labels]
    axes.set_yticks([*range(g), *below], names)
    axes.set_ylim(below[-1] + 0.6 if below else g, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("time (samples)")


def _cell(axes: Axes, row: float, column: float, count: int | str, colour: str) -> None:
    from matplotlib.patches import Rectangle

    box = Rectangle(
        (column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="0.6", linewidth=1
    )
    axes.add_patch(box)
    axes.text(column, row, str(count), ha="center", va="center")


def _table_names(axes: Axes, rows: Sequence[Any], columns: Sequence[Any]) -> None:
    axes.set_xticks(range(len(columns)), [str(name) for name in columns])
    axes.set_yticks(range(len(rows)), [str(name) for name in rows])
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_aspect("equal")
    axes.tick_params(length=0)
    axes.set_xlabel("found")
    axes.set_ylabel("true")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _matrix(axes: Axes, result: Prom) -> None:
    """Draw the matching matrix, coloured by what its cells are counted as."""
    g, d = len(result.truth.sets), len(result.found.sets)
    for row, column in np.ndindex(g + 1, d + 1):
        if row == g and column == d:
            continue
        colour = _kind(row, column, result)
        _cell(axes, row, column, int(result.matrix[row, column]), colour)
    rows = [*map(str, result.row_labels), "none"]
    columns = [*map(str, result.column_labels), "none"]
    _table_names(axes, rows, columns)


def _kind(row: int, column: int, result: Prom) -> str:
    g, d, m = len(result.truth.sets), len(result.found.sets), result.matched
    if row == column < m:
        return TP
    counted = column < (d if result.penalize_off_target else m)
    if row < g and counted:
        return (
            "#F4D0B4"  # a false negative of its row and a false positive of its column
        )
    if row < g:
        return FN
    return FP if counted else "#EEEEEE"


def _step_matrix(result: Prom) -> Figure:
    """Return the matching matrix with its legend and the arithmetic beside it."""
    drawn = figure(7.4, 2.9)
    left, right = drawn.subplots(1, 2, width_ratios=[1.35, 1.6])
    _matrix(left, result)
    right.set_xlim(0, 10)
    right.set_ylim(10, 0)
    quiet(right)
    _key(right)
    hits = np.diagonal(result.matrix)[: result.matched].tolist()
    lines = [
        f"TP = {' + '.join(map(str, hits))} = {result.tp}",
        f"FP = {result.fp}, FN = {result.fn}",
        f"P = {result.tp} / {result.tp + result.fp} = {result.precision:.3f}",
        f"R = {result.tp} / {result.tp + result.fn} = {result.recall:.3f}",
        f"F1 = {result.f1:.3f}",
    ]
    for place, line in enumerate(lines):
        right.text(0, 5.3 + place, line, va="center")
    return drawn


KEY = (
    (TP, "true positives"),
    ("#F4D0B4", "wrong set: false negative of its row, false positive of its column"),
    (FN, "false negatives"),
    (FP, "false positives"),
    ("#EEEEEE", "off target: not counted, unless asked for"),
)


def _key(axes: Axes) -> None:
    from matplotlib.patches import Rectangle

    for place, (colour, text) in enumerate(KEY):
        axes.add_patch(
            Rectangle((0, place * 0.95), 0.6, 0.7, facecolor=colour, edgecolor="0.6")
        )
        axes.text(0.9, place * 0.95 + 0.38, text, va="center", fontsize=8)


def _draw_case(result: Prom) -> Figure:
    """Return one corner case: the lanes with their links, and the matching matrix."""
    lanes = len(result.truth.sets) + len(result.found.sets)
    drawn = figure(7.4, 1.15 + 0.3 * lanes)
    left, right = drawn.subplots(1, 2, width_ratios=[3.0, 1.3])
    _linked_lanes(left, result)
    _matrix(right, result)
    drawn.suptitle(
        f"precision {result.precision:.2f}   recall {result.recall:.2f}   "
        f"F1 {result.f1:.2f}",
        fontsize=9.5,
    )
    return drawn
