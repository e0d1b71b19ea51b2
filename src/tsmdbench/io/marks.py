"""Segments as people mark them, and how they become samples.

A mark is a label with a start and an end, each in samples, in seconds or as a time
stamp. A recording turns times into samples; the nearest sample is taken, and how far
bounds were moved is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.paths import MAX_TEXT_BYTES, brief
from tsmdbench.io.timebase import (
    TICKS,
    Bound,
    Seconds,
    TimeBase,
    parse_bound,
    show_bound,
)
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

SCALES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNITS = ("samples", *SCALES, *TICKS)
SHOWN = 40  # characters of a cell in an error
EXACT = 1e-9  # a bound that is moved by less, in samples, was exact


class Mark(NamedTuple):
    """One marked segment, and where it stands."""

    label: Any
    start: Bound
    end: Bound
    place: str


@dataclass
class Marks:
    """What a reader of motif sets found.

    `plain` holds motif sets that are in samples already, as they were written;
    `format` names the format where the content says more than the file extension,
    `base` is the time base that the file itself states, and `left_out` is what else the
    file holds and writing it again would lose.
    """

    rows: list[Mark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plain: Any = None
    left_out: list[str] = field(default_factory=list)
    format: str | None = None
    base: TimeBase | None = None


@dataclass(frozen=True)
class Writing:
    """How motif sets are written: to which file, in which units, with which facts.

    `facts` says where the sets come from (method, settings, source); a format that has
    no place for them leaves them out.
    """

    file: Path
    base: TimeBase
    units: str = "samples"
    facts: Mapping[str, Any] = field(default_factory=dict)

    def rows(self, sets: Mapping[str, MotifSet]) -> list[tuple[str, Any, Any]]:
        """Return (label, start, end) of every segment, in the units."""
        return [
            (label, *self.base.shown(start, end, self.units))
            for label, motifs in sets.items()
            for start, end in motifs
        ]

    def seconds(self, sets: Mapping[str, MotifSet]) -> list[tuple[float, float, str]]:
        """Return (start, end, label) of every segment in seconds, in order of time.

        Labels are one line each.
        """
        segments = sorted(
            (start, end, " ".join(label.split()))
            for label, motifs in sets.items()
            for start, end in motifs
        )
        return [(*self.base.times(start, end), label) for start, end, label in segments]


@dataclass(frozen=True)
class MarkOptions:
    """How motif sets are read; see `tsmdbench.io.read_annotations`."""

    units: str | None = None
    tier: str | None = None
    length: int | None = None
    background: str | None = None
    encoding: str | None = None
    max_bytes: int | None = None

    @property
    def limit(self) -> int:
        """The largest file in bytes."""
        return MAX_TEXT_BYTES if self.max_bytes is None else self.max_bytes

    def __post_init__(self) -> None:
        if self.units is not None and self.units not in UNITS:
            known = ", ".join(UNITS)
            raise InputError(f"units must be one of {known}, got {self.units!r}")
        if self.length is not None and self.length < 1:
            raise InputError(f"length must be at least 1, got {self.length}")


def bound_of_number(value: float | int, units: str | None, where: str) -> Bound:
    """Return a number as a bound in the given units, samples by default."""
    whole = isinstance(value, int)
    if abs(value) >= 2**63 if whole else not np.isfinite(value):
        raise InputError(f"{where}: {brief(value, SHOWN)} is not a place in time")
    if units in SCALES:
        return Seconds(float(value) * SCALES[units])
    if units in TICKS:
        ticks = round(value * TICKS[units])
        if abs(ticks) >= 2**63:
            raise InputError(f"{where}: {value} is not a place in time")
        return np.datetime64(ticks, "ns")
    if float(value) != int(value):
        raise InputError(
            f"{where}: {value!r} is not a whole number of samples; if it is a time, "
            f"give units (--units s)"
        )
    return int(value)


def bound_of_text(text: str, units: str | None, where: str) -> Bound:
    """Return a cell as a bound: a number, a duration with unit, or a time stamp."""
    if re.fullmatch(r"[-+]?\d{1,30}", text):
        return bound_of_number(int(text), units, where)
    if units not in (None, "samples"):
        try:
            value = float(text)
        except ValueError:
            value = None
        if value is not None:
            return bound_of_number(value, units, where)
    bound = parse_bound(text)
    if bound is None:
        raise InputError(
            f"{where}: {text[:SHOWN]!r} is not a whole number of samples, nor a time "
            f"such as 1.5s or 2024-05-01T12:00:00; numbers of seconds need units "
            f"(--units s)"
        )
    return bound


def to_samples(
    marks: Iterable[Mark], base: TimeBase
) -> tuple[dict[Any, list[tuple[int, int]]], list[str]]:
    """Return label to segments in samples, and what rounding did."""
    sets: dict[Any, list[tuple[int, int]]] = {}
    moved = 0.0
    rounded = 0
    for mark in marks:
        try:
            (start, by_start), (end, by_end) = (
                base.sample(mark.start),
                base.sample(mark.end),
            )
        except InputError as cause:
            raise InputError(f"{mark.place}: {cause}") from None
        if not 0 <= start < end:
            raise InputError(
                f"{mark.place}: the segment from {show_bound(mark.start)} to "
                f"{show_bound(mark.end)} is [{start}, {end}) in samples; segments are "
                f"half-open with 0 <= start < end"
            )
        if base.n is not None and end > base.n and not isinstance(mark.end, int):
            raise InputError(
                f"{mark.place}: the segment from {show_bound(mark.start)} to "
                f"{show_bound(mark.end)} ends beyond the recording, which ends at "
                f"{base.shown(0, base.n)[1]}"
            )
        largest = max(by_start, by_end)
        rounded += largest * (base.rate or 0.0) > EXACT
        moved = max(moved, largest)
        sets.setdefault(mark.label, []).append((start, end))
    if not rounded:
        return sets, []
    count = counted(rounded, "segment")
    return sets, [f"{count} rounded to samples, by up to {1e3 * moved:.3g} ms"]


def choose_tier(rows: list[tuple[str, Mark]], tier: str | None, where: str) -> Marks:
    """Return the marks of one tier; a file with several needs its name."""
    tiers = list(dict.fromkeys(name for name, _ in rows))
    if not tiers:
        raise InputError(f"{where} holds no annotation")
    if tier is None and len(tiers) > 1:
        raise InputError(
            f"{where} has the tiers {', '.join(map(repr, tiers))}; choose one with "
            f"tier (--tier NAME)"
        )
    if tier is not None and tier not in tiers:
        known = ", ".join(map(repr, tiers))
        raise InputError(f"{where} has no tier {tier!r}; it has {known}")
    chosen = tiers[0] if tier is None else tier
    others = [name for name in tiers if name != chosen]
    left_out = [f"tiers left out: {', '.join(others)}"] if others else []
    kept = [mark for name, mark in rows if name == chosen]
    return Marks(kept, left_out=left_out)
