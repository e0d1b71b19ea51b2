"""The figure of one evaluation: true sets above, found sets below, matrix beside.

A matched pair of sets shares a colour. A true motif that was missed is hollow, a
found motif that is not a true positive is hatched, a found set without partner is grey.
The lanes carry labels, so colour is never the only sign. Letters of errors are above
the motifs, found motifs of one set that overlap are below each other.
A lane holds the motifs of one set: in one row, or in several where motifs overlap.
Letters have a strip of their own above the motifs, so that they never cover one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.metrics.prom_result import Prom
from tsmdbench.plotting import (
    GREY,
    add_seconds,
    draw_channels,
    figure_class,
    overlap_rows,
    set_colour,
    short_label,
)
from tsmdbench.types import MotifSets
from tsmdbench.validation import check_motif_sets, check_series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tsmdbench.metrics.explain import Explanation, FoundMotif, TrueMotif

BAR = 0.72  # height of motifs in one row; a lane without letters is 1 high
ROW = 0.42  # height of one of several rows
PAD = 0.28  # between lanes
STRIP = 0.55  # for letters
CHARACTER = 0.085  # width of a letter in inches, rather too much
TIMES = "\u00d7"  # 3\u00d7O: without it, a letter O could be a zero
LABELS = 2.0  # inches beside the lanes, rather too much


class Letter(NamedTuple):
    """The error of one motif: lane, middle of the motif, letter."""

    lane: int
    place: float
    text: str


class Lanes(NamedTuple):
    """Places of lanes from top to bottom, in heights of a plain lane."""

    height: float  # of all lanes
    middles: list[float]  # of the motifs of each lane
    letters: list[float]  # where the letters of each lane stand
    bars: list[Floats]  # lower and upper edge of each motif of each lane


def make_lanes(sets: Sequence[Integers], letters: Sequence[Letter]) -> Lanes:
    """Return the lanes of motif sets, with a strip where a lane has letters."""
    marked = {letter.lane for letter in letters}
    lanes, y = Lanes(0.0, [], [], []), 0.0
    for lane, segments in enumerate(sets):
        rows = overlap_rows(segments)
        count = int(rows.max(initial=0)) + 1
        depth = max(BAR, ROW * count)
        top = y + PAD / 2 + (STRIP if lane in marked else 0.0)
        each = depth / count
        edge = top + rows * each
        lanes.letters.append(y + PAD / 2 + STRIP / 2)
        lanes.middles.append(top + depth / 2)
        filled = each * (1.0 if count == 1 else 0.85)
        lanes.bars.append(np.stack([edge, edge + filled], axis=1))
        y = top + depth + PAD / 2
    return lanes._replace(height=max(y, 1.0))


def placed_letters(
    letters: Sequence[Letter], n: int, width: float
) -> list[tuple[int, float, str]]:
    r"""Place error letters; letters that would collide are merged and counted.

    The axis has `n` samples, and its figure is `width` inches wide.

    >>> near = [Letter(0, 10, "M"), Letter(0, 12, "M"), Letter(0, 14, "X")]
    >>> print(ascii(placed_letters([*near, Letter(0, 900, "M")], 1000, 8.0)))
    [(0, 12.0, '2\xd7M X'), (0, 900.0, 'M')]
    """
    samples = n * CHARACTER / max(width - LABELS, 1.0)  # of one character

    def text(group: list[Letter]) -> str:
        counts = Counter(letter.text for letter in group)
        parts = (text if k == 1 else f"{k}{TIMES}{text}" for text, k in counts.items())
        return " ".join(parts)

    def middle(group: list[Letter]) -> float:
        return float((group[0].place + group[-1].place) / 2)

    def meet(left: list[Letter], right: list[Letter]) -> bool:
        half = samples * (len(text(left)) + len(text(right)) + 1) / 2
        return left[0].lane == right[0].lane and middle(right) - middle(left) < half

    groups: list[list[Letter]] = []
    for letter in sorted(letters):
        groups.append([letter])
        while len(groups) > 1 and meet(groups[-2], groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [(group[0].lane, middle(group), text(group)) for group in groups]


LANE = 0.28  # height of one lane without letters in inches
CHANNEL = 0.5  # height of one channel in inches
SERIES = (1.6, 8.0)  # lowest and highest height of all channels in inches
NAME = 0.16  # height that the name of a channel needs in inches
SHOWN_CELLS = 25  # with more sets the numbers of the matrix would not fit
LETTERS = {
    "missed": "M",
    "off": "O",
    "wrong set": "W",
    "found twice": "2",
    "duplicate": "D",
    "spurious": "X",
}
MIN_SHARE = 1 / 800  # a motif is drawn at least this share of the axis wide


def draw(
    result: Prom, series: Any = None, *, explanation: Explanation | None = None
) -> Figure:
    """Return the figure of one evaluation.

    A series, or a `Recording`, whose rate adds an axis in seconds, is drawn between
    truth and found; sets that name their channels are marked there. An explanation puts
    a letter on every motif that is an error.
    """
    x = None if series is None else check_series(series)
    sides = result.truth, result.found
    names = getattr(series, "channels", None)
    if x is None:
        n = int(max(sets.segments[:, 1].max(initial=0) for sets in sides))
    else:
        n = len(x)
        for sets, side in zip(sides, ("truth", "found"), strict=True):
            check_motif_sets(sets, side, n=n, n_channels=x.size // n)
    g, d = len(result.truth.sets), len(result.found.sets)
    true_letters, found_letters = [], []
    if explanation is not None:
        true_letters = _letters(explanation.true_motifs, "true_set")
        found_letters = _letters(explanation.found_motifs, "found_set")
    true_lanes = make_lanes([m.segments for m in result.truth.sets], true_letters)
    found_lanes = make_lanes([m.segments for m in result.found.sets], found_letters)
    heights = [LANE * true_lanes.height, 0.0, LANE * found_lanes.height]
    if x is not None:
        lowest, highest = SERIES
        heights[1] = min(max(lowest, CHANNEL * (x.size // n)), highest)
    width = 8.5 if max(g, d) <= 8 else 12.0
    matrix_side = min(max(3.2, 0.36 * (max(g, d) + 1) + 1.0), 8.0)
    figure = figure_class()(
        figsize=(width + matrix_side, max(sum(heights) + 1.9, matrix_side + 1.4)),
        layout="constrained",
    )
    parts: Any = figure.subfigures(1, 2, width_ratios=[width, matrix_side])
    lanes, beside = parts
    rows = [height for height in heights if height]
    axes = lanes.subplots(len(rows), 1, sharex=True, height_ratios=rows, squeeze=False)
    truth_axes, found_axes = axes[0, 0], axes[-1, 0]
    links = result.links.T
    inside = result.truth.owner[links[0]] == result.found.owner[links[1]]
    hits = links[:, inside]
    _draw_sets(truth_axes, result.truth, "true sets", hits[0], g, true_lanes, n)
    if x is not None:
        channels = x.reshape(n, -1)
        # So that names do not lie over each other.
        step = math.ceil(channels.shape[1] * NAME / heights[1])
        draw_channels(axes[1, 0], channels, names, step)
        axes[1, 0].tick_params(axis="y", labelsize=7)
        _draw_subspaces(axes[1, 0], result, channels.shape[1])
    matched = result.matched
    _draw_sets(found_axes, result.found, "found sets", hits[1], matched, found_lanes, n)
    if not d:
        found_axes.text(
            0.5, 0.5, "nothing found", transform=found_axes.transAxes, ha="center"
        )
    add_seconds(truth_axes, getattr(series, "rate", None))
    _mark(truth_axes, true_lanes, true_letters, n, width)
    _mark(found_axes, found_lanes, found_letters, n, width)
    found_axes.set_xlabel("time (samples)")
    found_axes.set_xlim(0, n)
    _legend(lanes, letters=explanation is not None)
    _draw_matrix(beside.subplots(), result)
    penalty = ", off-target sets penalised" if result.penalize_off_target else ""
    figure.suptitle(
        f"precision {result.precision:.3f}   recall {result.recall:.3f}   "
        f"F1 {result.f1:.3f}   (overlap above {float(result.threshold):g}{penalty})"
    )
    return figure


def _draw_sets(
    axes: Axes,
    sets: MotifSets,
    name: str,
    hits: Integers,
    coloured: int,
    lanes: Lanes,
    n: int,
) -> None:
    """Draw the motifs of true or found sets in their lanes.

    True positives (`hits`) are filled; other true motifs are hollow, other found motifs
    hatched. Sets from `coloured` on are grey.
    """
    from matplotlib.collections import PolyCollection

    hit = np.zeros(len(sets.segments), dtype=np.bool_)
    hit[hits] = True
    other: dict[str, Any] = {"facecolor": "none"}
    if name == "found sets":
        other = {"facecolor": "#FFFFFF", "hatch": "/////"}
    for lane, motifs in enumerate(sets.sets):
        mine = hit[sets.owner == lane]
        colour = set_colour(lane) if lane < coloured else GREY
        for chosen, style in ((mine, {"facecolor": colour}), (~mine, other)):
            if not chosen.any():
                continue
            starts, ends = motifs.segments[chosen].T.astype(float)
            ends = np.maximum(ends, starts + n * MIN_SHARE)  # wide enough to be seen
            low, high = lanes.bars[lane][chosen].T
            x, y = [starts, starts, ends, ends], [low, high, high, low]
            corners = np.stack([np.stack(x, axis=1), np.stack(y, axis=1)], axis=2)
            bars = PolyCollection(
                list(corners), linewidth=1.0, edgecolor=colour, **style
            )
            axes.add_collection(bars)
    axes.set_yticks(lanes.middles, list(map(short_label, sets.labels)))
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.set_ylim(lanes.height, 0)
    axes.set_ylabel(name)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_subspaces(axes: Axes, result: Prom, count: int) -> None:
    """Draw motifs behind their channels: true ones above the middle, found ones below.

    Only sets that name their channels are drawn, in a series of `count` channels.
    """
    sides = [
        (result.truth, len(result.truth.sets), 0.0),
        (result.found, result.matched, -0.5),
    ]
    shown = [
        (motifs, set_colour(lane) if lane < coloured else GREY, low)
        for sets, coloured, low in sides
        for lane, motifs in enumerate(sets.sets)
        if motifs.channels is not None and count > 1
    ]
    for motifs, colour, low in shown:
        for place, channel in enumerate(motifs.channels or ()):
            starts, ends = motifs.intervals[:, place].T
            spans = np.stack([starts, ends - starts], axis=1).tolist()
            lane = (low - channel, 0.5)
            axes.broken_barh(spans, lane, color=colour, alpha=0.3, linewidth=0)
    if shown:
        axes.set_ylabel("channel (above: true, below: found)")


def _letters(motifs: Iterable[TrueMotif | FoundMotif], lane_of: str) -> list[Letter]:
    """Return the error letters of motifs."""
    return [
        Letter(getattr(m, lane_of), (m.start + m.end) / 2, LETTERS[m.status])
        for m in motifs
        if m.status in LETTERS
    ]


def _mark(
    axes: Axes, lanes: Lanes, letters: list[Letter], n: int, width: float
) -> None:
    """Write error letters above the motifs."""
    for lane, place, text in placed_letters(letters, n, width):
        axes.text(
            place,
            lanes.letters[lane],
            text,
            ha="center",
            va="center",
            fontsize=7,
            fontweight="bold",
            color="0.15",
            clip_on=False,
        )


def _legend(lanes: Any, *, letters: bool) -> None:
    from matplotlib.patches import Patch

    marks = [
        Patch(facecolor="0.35", edgecolor="0.35", label="true positive"),
        Patch(facecolor="none", edgecolor="0.35", label="missed"),
        Patch(facecolor="w", edgecolor="0.35", hatch="/////", label="false positive"),
        Patch(facecolor=GREY, edgecolor=GREY, label="grey: set off target"),
    ]
    words = [f"{letter} {status}" for status, letter in LETTERS.items()]
    lanes.legend(
        handles=marks,
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize=8,
        title=";  ".join(words) if letters else None,
        title_fontsize=8,
    )


def _draw_matrix(axes: Axes, result: Prom) -> None:
    matrix = result.matrix
    # Light enough everywhere for dark numbers.
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=max(1, int(matrix.max()) * 2.2))
    rows, columns = matrix.shape
    if max(rows, columns) <= SHOWN_CELLS:
        for row, column in np.ndindex(rows, columns):
            count = int(matrix[row, column])
            if (row, column) != (rows - 1, columns - 1):
                axes.text(
                    column,
                    row,
                    str(count),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="0.1" if count else "0.7",
                    fontweight="bold" if row == column < result.matched else "normal",
                )
        names = [*map(short_label, result.column_labels), "missed"]
        axes.set_xticks(range(columns), names, rotation=45, ha="right", fontsize=8)
        names = [*map(short_label, result.row_labels), "unmatched"]
        axes.set_yticks(range(rows), names, fontsize=8)
    else:
        axes.set_xticks([])
        axes.set_yticks([])
    axes.axhline(rows - 1.5, color="0.4", linewidth=0.8)
    axes.axvline(columns - 1.5, color="0.4", linewidth=0.8)
    axes.set_title("matching matrix", fontsize=10)
    axes.set_xlabel("found")
    axes.set_ylabel("true")
