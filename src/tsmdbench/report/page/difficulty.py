"""Where methods break, for the page: a table, and small panels drawn without script."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tsmdbench.analysis.dial_curves import (
    LOST,
    breaking_points,
    dial_scores,
    first_broken,
    has_dials,
)
from tsmdbench.analysis.scores import Scores
from tsmdbench.report.figures.breaking import TITLES

if TYPE_CHECKING:
    import pandas as pd

    from tsmdbench.arrays import Floats

LEFT, RIGHT, TOP, BOTTOM = 22.0, 162.0, 8.0, 88.0  # of a panel, in its own units


class Panel(NamedTuple):
    """One method and one dial.

    Attributes
    ----------
    place : int
        Of the dial, for the grey lines that the panels of all methods share.
    points, band : str
        Of the line of means, and of the area between the ends of the intervals.
    half : float or None
        Height of half of the score at the default.
    cross : tuple of float, or None
        Where the method breaks.
    words : str
        The same in words.
    """

    place: int
    title: str
    points: str
    band: str
    half: float | None
    cross: tuple[float, float] | None
    words: str


class Breaking(NamedTuple):
    """One method: what it scores at the default, where it breaks, its panels."""

    label: str
    default: float
    breaks_at: tuple[float, ...]
    panels: tuple[Panel, ...]


class Dial(NamedTuple):
    """One dial: its title, the places of its positions, the lines of all methods."""

    title: str
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[str, ...]


class DifficultySection(NamedTuple):
    """What the section on difficulty shows."""

    dials: tuple[Dial, ...]
    methods: tuple[Breaking, ...]


def difficulty_section(scores: Scores) -> DifficultySection | None:
    """Return the section; None where no result has a difficulty dial moved."""
    if not has_dials(scores):
        return None
    curves, breaks = dial_scores(scores), breaking_points(scores)
    parts = dict(iter(curves.groupby("dial", sort=False)))
    methods = []
    for label in dict.fromkeys(breaks["label"]):
        own = breaks[breaks["label"] == label].set_index("dial")
        panels = [
            _panel(place, str(dial), part, label)
            for place, (dial, part) in enumerate(parts.items())
        ]
        where = tuple(float(own["breaks_at"].get(dial, np.nan)) for dial in parts)
        default = float(own["default"].iloc[0])
        methods.append(Breaking(label, default, where, tuple(panels)))
    dials = tuple(_dial(str(dial), part) for dial, part in parts.items())
    return DifficultySection(dials, tuple(methods))


def _dial(name: str, part: pd.DataFrame) -> Dial:
    values = np.unique(part["position"].to_numpy(dtype=np.float64))
    ticks = [
        (float(x), f"{v:g}") for x, v in zip(_x(values, part), values, strict=True)
    ]
    lines = [
        _points(_x(curve["position"].to_numpy(), part), _y(curve["mean"].to_numpy()))
        for _, curve in part.groupby("label", sort=False)
    ]
    return Dial(TITLES[name], tuple(ticks), tuple(lines))


def _panel(place: int, dial: str, part: pd.DataFrame, label: str) -> Panel:
    own = part[part["label"] == label]
    at, means = own["position"].to_numpy(np.float64), own["mean"].to_numpy(np.float64)
    x, y = _x(at, part), _y(means)
    ends = [
        _y(own[end].fillna(own["mean"]).to_numpy(np.float64)) for end in ("high", "low")
    ]
    band = _points(
        np.concatenate([x, x[::-1]]), np.concatenate([ends[0], ends[1][::-1]])
    )
    half, cross = None, None
    if len(at) and at[0] == part["position"].min():
        half = float(_y((1.0 - LOST) * means[:1])[0])
        broken = first_broken(means, means[0])
        if broken is not None:
            cross = float(x[broken]), float(y[broken])
    said = ", ".join(f"{m:.2f} at {p:g}" for p, m in zip(at, means, strict=True))
    words = f"Mean F1 of {label} by {TITLES[dial]}: {said}"
    return Panel(place, TITLES[dial], _points(x, y), band, half, cross, words)


def _x(positions: Floats, part: pd.DataFrame) -> Floats:
    """Return places from left to right: equal distances, whatever the values."""
    values = np.unique(part["position"].to_numpy(dtype=np.float64))
    steps = max(len(values) - 1, 1)
    return np.asarray(
        LEFT + (RIGHT - LEFT) * np.searchsorted(values, positions) / steps
    )


def _y(means: Floats) -> Floats:
    return np.asarray(BOTTOM - (BOTTOM - TOP) * means)


def _points(x: Floats, y: Floats) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
