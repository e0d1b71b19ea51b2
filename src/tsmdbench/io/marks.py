"""Segments as people mark them, and how they become samples.

A mark is a label with a start and an end, each in samples, in seconds or as a time
stamp. A recording turns times into samples; the nearest sample is taken, and the
largest distance that a bound was moved is noted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.files import MAX_TEXT_BYTES, brief, named_columns
from tsmdbench.io.timebase import (
    SCALES,
    TICKS,
    UNITS,
    Bound,
    Seconds,
    TimeBase,
    check_units,
    parse_bound,
    show_bound,
)
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

CHANNEL_COLUMNS = ("motif", "channels")  # of a table of sets with channels
SHOWN = 40  # characters of a cell in an error
EXACT = 1e-9  # a bound that is moved by less, in samples, was exact


class Mark(NamedTuple):
    """One marked segment, and its place in the file."""

    label: Any
    start: Bound
    end: Bound
    place: str
    motif: Any = None  # number of the motif that a segment in some channels belongs to
    channels: tuple[int, ...] = ()


@dataclass
class Marks:
    """Result of a reader of motif sets."""

    rows: list[Mark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plain: Any = None  # motif sets that are in samples already, as they were written
    left_out: list[str] = field(default_factory=list)  # lost if the sets are written
    format: str | None = None  # where the content says more than the file extension
    base: TimeBase | None = None  # that the file itself states


@dataclass(frozen=True)
class MarkOptions:
    """How motif sets are read; see `tsmdbench.io.read_annotations`."""

    units: str | None = None
    tier: str | None = None
    length: int | None = None
    background: str | None = None
    encoding: str | None = None
    max_bytes: int = MAX_TEXT_BYTES

    def __post_init__(self) -> None:
        if self.units is not None:
            check_units(self.units)
        if self.length is not None and self.length < 1:
            raise InputError(f"length must be at least 1, got {self.length}")


@dataclass(frozen=True)
class Writing:
    """Options of writing motif sets."""

    file: Path
    base: TimeBase
    units: str = "samples"
    facts: Mapping[str, Any] = field(default_factory=dict)  # method, settings, source

    def rows(self, sets: Mapping[str, MotifSet]) -> list[tuple[str, Any, Any]]:
        """Return (label, start, end) of every segment, in the units."""
        return [
            (label, *self.base.shown(start, end, self.units))
            for label, motifs in sets.items()
            for start, end in motifs
        ]

    def table(
        self, sets: Mapping[str, MotifSet]
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return names and rows of a table, with channels where a set has any.

        An interval that differs between the channels of a motif has a row for each.
        """
        names = ["set", *_bound_columns(self.units)]
        if all(motifs.channels is None for motifs in sets.values()):
            return names, list(self.rows(sets))
        rows = []
        for label, motifs in sets.items():
            shown = [""] if motifs.channels is None else [*map(str, motifs.channels)]
            for number, intervals in enumerate(motifs.intervals.tolist()):
                held: dict[tuple[int, int], list[str]] = {}
                for channel, interval in zip(shown, intervals, strict=True):
                    held.setdefault(tuple(interval), []).append(channel)
                rows += [
                    (label, *self.base.shown(*pair, self.units), number, " ".join(some))
                    for pair, some in held.items()
                ]
        return [*names, *CHANNEL_COLUMNS], rows

    def seconds(self, sets: Mapping[str, MotifSet]) -> list[tuple[float, float, str]]:
        """Return (start, end, label in one line) of every segment, in seconds."""
        segments = sorted(
            (start, end, " ".join(label.split()))
            for label, motifs in sets.items()
            for start, end in motifs
        )
        return [(*self.base.times(start, end), label) for start, end, label in segments]


def _bound_columns(units: str) -> tuple[str, str]:
    """Return the names of the columns of starts and ends.

    >>> _bound_columns("samples"), _bound_columns("s"), _bound_columns("time")
    (('start', 'end'), ('start_s', 'end_s'), ('start', 'end'))
    """
    suffix = "" if units in ("samples", "time") else "_" + units.replace("-", "_")
    return f"start{suffix}", f"end{suffix}"


def as_bound(value: Any, units: str | None, where: str) -> Bound:
    """Return a bound from a number in `units` (samples by default), a text or a time.

    Times are time stamps and durations of pandas, NumPy or the standard library.
    """
    if isinstance(value, str):
        text, value = value, parse_bound(value)
        if value is None and units not in (None, "samples"):
            with suppress(ValueError):
                value = float(text)
        if value is None:
            raise InputError(
                f"{where}: {text[:SHOWN]!r} is not a whole number of samples, nor a "
                f"time such as 1.5s or 2024-05-01T12:00:00; numbers of seconds need "
                f"units (--units s)"
            )
        if isinstance(value, Seconds | np.datetime64):
            return value
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, int | float) and not isinstance(value, bool):
        whole = isinstance(value, int)
        out_of_range = abs(value) >= 2**63 if whole else not np.isfinite(value)
        ticks = 0 if out_of_range else round(value * TICKS.get(units or "", 0))
        if out_of_range or abs(ticks) >= 2**63:
            raise InputError(f"{where}: {brief(value, SHOWN)} is not a place in time")
        if units in SCALES:
            return Seconds(float(value) * SCALES[units])
        if units in TICKS:
            return np.datetime64(ticks, "ns")
        if float(value) != int(value):
            raise InputError(
                f"{where}: {value!r} is not a whole number of samples; if it is a "
                f"time, give units (--units s)"
            )
        return int(value)
    if hasattr(value, "total_seconds"):
        return Seconds(float(value.total_seconds()))
    try:
        if value is None or isinstance(value, bool):
            raise TypeError
        if getattr(value, "tzinfo", None) is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        stamp = np.datetime64(value, "ns")
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where} has the bound {value!r}; bounds are numbers or times"
        ) from None
    if np.isnat(stamp):
        raise InputError(f"{where} has no bound")
    return stamp


def marks_of_table(
    names: list[str],
    rows: Iterable[tuple[str, Sequence[Any]]],
    where: str,
    units: str | None = None,
) -> Marks:
    """Return the rows of a table of motif sets.

    `names` are those of all columns, `rows` yields the place and the cells of each row,
    and `where` names the header in errors. `units` are those of numbers, unless the
    names of the columns state them.
    """
    wanted: list[str] = []
    for stated in UNITS:
        pair = _bound_columns(stated)
        wanted = [name for name in ("set", "label", *pair) if name in names]
        for name in wanted:
            if names.count(name) > 1:
                raise InputError(f"{where}: the column {name!r} is there twice")
        if len(wanted) == 3 and {*pair} <= {*wanted}:
            units = units if stated == "samples" else stated
            break
    else:
        raise InputError(
            f"{where}: the header must be set,start,end (or start_s and end_s), got "
            f"{','.join(names)[:60]!r}"
        )
    if all(names.count(name) == 1 for name in CHANNEL_COLUMNS):
        wanted += CHANNEL_COLUMNS
    places = [names.index(name) for name in wanted]
    marks = Marks()
    for row, cells in rows:
        label, *bounds = (cells[at] for at in places)
        if not isinstance(label, Hashable) or label is None or label != label:
            raise InputError(
                f"{row}: the label is {brief(repr(label), SHOWN)}; a label is a text "
                f"or a number"
            )
        start, end = (
            as_bound(bound, units, f"{row}, column {at + 1}")
            for at, bound in zip(places[1:3], bounds[:2], strict=True)
        )
        motif, channels = bounds[2:] or (None, None)
        lacks = channels is None or channels != channels  # then it is in all of them
        parts = [] if lacks else str(channels).split()
        if not all(part.isdecimal() and len(part) < 9 for part in parts):
            raise InputError(
                f"{row}, column {places[-1] + 1}: {str(channels)[:SHOWN]!r} is not a "
                f"list of channels; write numbers with spaces between them, counted "
                f"from 0"
            )
        marks.rows.append(Mark(label, start, end, row, motif, tuple(map(int, parts))))
    extra = [name for at, name in enumerate(names) if at not in places]
    if extra:
        marks.left_out.append(f"columns left out: {', '.join(extra)}")
    return marks


def marks_of_frame(frame: Any, where: str, units: str | None = None) -> Marks:
    """Return the rows of a pandas, polars or Arrow table of motif sets."""
    columns = list(named_columns(frame))
    ways = ("to_pylist", "tolist", "to_list")
    lists = (next(getattr(c, w) for w in ways if hasattr(c, w))() for _, c in columns)
    rows = enumerate(zip(*lists, strict=True))
    places = ((f"{where}, row {number}", row) for number, row in rows)
    return marks_of_table([name for name, _ in columns], places, where, units)


def to_samples(
    marks: Iterable[Mark], base: TimeBase
) -> tuple[dict[Any, Any], list[str]]:
    """Return label to segments in samples, and a note on rounding.

    Sets with channels are `MotifSet`.
    """
    parts: dict[Any, list[tuple[Mark, tuple[int, int]]]] = {}
    moved, rounded = 0.0, 0
    for mark in marks:
        try:
            (start, by_start), (end, by_end) = map(base.sample, (mark.start, mark.end))
        except InputError as cause:
            raise InputError(f"{mark.place}: {cause}") from None
        shown = (
            f"{mark.place}: the segment from {show_bound(mark.start)} to "
            f"{show_bound(mark.end)}"
        )
        if not 0 <= start < end:
            raise InputError(
                f"{shown} is [{start}, {end}) in samples; segments are half-open with "
                f"0 <= start < end"
            )
        if base.n is not None and end > base.n and not isinstance(mark.end, int):
            raise InputError(
                f"{shown} ends beyond the recording, which ends at "
                f"{base.shown(0, base.n)[1]}"
            )
        largest = max(by_start, by_end)
        rounded += largest * (base.rate or 0.0) > EXACT
        moved = max(moved, largest)
        parts.setdefault(mark.label, []).append((mark, (start, end)))
    sets: dict[Any, Any] = {
        label: _in_channels(label, members)
        if any(mark.channels for mark, _ in members)
        else [pair for _, pair in members]
        for label, members in parts.items()
    }
    if not rounded:
        return sets, []
    count = counted(rounded, "segment")
    return sets, [f"{count} rounded to samples, by up to {1e3 * moved:.3g} ms"]


def _in_channels(label: Any, members: list[tuple[Mark, tuple[int, int]]]) -> MotifSet:
    """Join the intervals of each motif of a set with channels."""
    motifs: dict[Any, dict[int, tuple[int, int]]] = {}
    where = next(mark.place for mark, _ in members if mark.channels)
    for mark, pair in members:
        if not mark.channels:
            raise InputError(
                f"{where}: the set {label!r} has rows with channels and rows without"
            )
        motif = motifs.setdefault(mark.motif, {})
        for channel in mark.channels:
            if motif.setdefault(channel, pair) != pair:
                raise InputError(
                    f"{mark.place}: motif {mark.motif} has two intervals in channel "
                    f"{channel}"
                )
    channels = sorted({channel for motif in motifs.values() for channel in motif})
    for number, motif in motifs.items():
        for channel in channels:
            if channel not in motif:
                raise InputError(
                    f"{where}: motif {number} of the set {label!r} has no interval in "
                    f"channel {channel}, which others of the set have"
                )
    intervals = [[motif[channel] for channel in channels] for motif in motifs.values()]
    return MotifSet(intervals, channels=channels)


def choose_tier(rows: list[tuple[str, Mark]], tier: str | None, where: str) -> Marks:
    """Return the marks of one tier; a file with several needs its name."""
    tiers = list(dict.fromkeys(name for name, _ in rows))
    known = ", ".join(map(repr, tiers))
    if not tiers:
        raise InputError(f"{where} holds no annotation")
    if tier is None and len(tiers) > 1:
        raise InputError(
            f"{where} has the tiers {known}; choose one with tier (--tier NAME)"
        )
    if tier is not None and tier not in tiers:
        raise InputError(f"{where} has no tier {tier!r}; it has {known}")
    chosen = tiers[0] if tier is None else tier
    others = [name for name in tiers if name != chosen]
    left_out = [f"tiers left out: {', '.join(others)}"] if others else []
    return Marks([mark for name, mark in rows if name == chosen], left_out=left_out)
