"""Where the lanes of an evaluation figure are, and where letters have room.

A lane holds the motifs of one set: in one row, or in several where motifs overlap.
Letters have a strip of their own above the motifs, so that they never cover one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.plotting import overlap_rows

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


@dataclass(frozen=True)
class Lanes:
    """Places of lanes from top to bottom, in heights of a plain lane.

    Attributes
    ----------
    height : float
        Of all lanes.
    middles : tuple of float
        Middle of the motifs of each lane.
    letters : tuple of float
        Where the letters of each lane stand.
    tops : tuple of float
        Upper edge of the motifs of each lane.
    rows : tuple of int64[k]
        Row of each motif of each lane.
    """

    height: float
    middles: tuple[float, ...]
    letters: tuple[float, ...]
    tops: tuple[float, ...]
    rows: tuple[Integers, ...]

    def bars(self, lane: int) -> Floats:
        """Return the lower and the upper edge of each motif of a lane."""
        rows = self.rows[lane]
        count = int(rows.max(initial=0)) + 1
        each = _depth(count) / count
        top = self.tops[lane] + rows * each
        return np.stack([top, top + each * (1.0 if count == 1 else 0.85)], axis=1)


def _depth(count: int) -> float:
    return max(BAR, ROW * count)


def make_lanes(sets: Sequence[Integers], letters: Sequence[Letter]) -> Lanes:
    """Return the lanes of motif sets, with a strip where a lane has letters."""
    marked = {letter.lane for letter in letters}
    y = 0.0
    middles, strips, tops, rows = [], [], [], []
    for lane, segments in enumerate(sets):
        mine = overlap_rows(segments)
        depth = _depth(int(mine.max(initial=0)) + 1)
        strips.append(y + PAD / 2 + STRIP / 2)
        top = y + PAD / 2 + (STRIP if lane in marked else 0.0)
        middles.append(top + depth / 2)
        tops.append(top)
        rows.append(mine)
        y = top + depth + PAD / 2
    return Lanes(max(y, 1.0), tuple(middles), tuple(strips), tuple(tops), tuple(rows))


def placed_letters(
    letters: Sequence[Letter], n: int, width: float
) -> list[tuple[int, float, str]]:
    r"""Return lane, place and text; letters that would meet are counted in one text.

    Parameters
    ----------
    letters : sequence of Letter
    n : int
        Samples along the axis.
    width : float
        Inches of the figure that the axis is in.

    Examples
    --------
    >>> near = [Letter(0, 10, "M"), Letter(0, 12, "M"), Letter(0, 14, "X")]
    >>> print(ascii(placed_letters([*near, Letter(0, 900, "M")], 1000, 8.0)))
    [(0, 12.0, '2\xd7M X'), (0, 900.0, 'M')]
    """
    samples = n * CHARACTER / max(width - LABELS, 1.0)  # of one character
    placed = []
    for lane in sorted({letter.lane for letter in letters}):
        groups: list[list[Letter]] = []
        mine = sorted(letter for letter in letters if letter.lane == lane)
        for letter in mine:
            groups.append([letter])
            while len(groups) > 1 and _meet(groups[-2], groups[-1], samples):
                groups[-2:] = [groups[-2] + groups[-1]]
        placed += [(lane, _middle(group), _text(group)) for group in groups]
    return placed


def _text(group: list[Letter]) -> str:
    counts = Counter(letter.text for letter in group)
    parts = (text if k == 1 else f"{k}{TIMES}{text}" for text, k in counts.items())
    return " ".join(parts)


def _middle(group: list[Letter]) -> float:
    return float((group[0].place + group[-1].place) / 2)


def _meet(left: list[Letter], right: list[Letter], samples: float) -> bool:
    half = samples * (len(_text(left)) + len(_text(right)) + 1) / 2
    return _middle(right) - _middle(left) < half
