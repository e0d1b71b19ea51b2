"""ELAN's tab-delimited export: with a line of column names, or without.

With column names, "Begin Time" and "End Time" are read in milliseconds, seconds or
``hh:mm:ss.ms``, the first of these that is there. The annotation is in a column
"Annotation" beside "Tier", or each tier has a column of its own. Without column names,
the first cell of a line is the tier, the last is the annotation, and the first two
cells of the form ``hh:mm:ss.ms`` are begin and end.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import read_text
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, choose_tier
from tsmdbench.io.timebase import Seconds, parse_clock
from tsmdbench.types import MotifSet

Rows = list[tuple[str, Mark]]  # with the name of the tier
TIMES = (" - msec", " - ss.msec", " - hh:mm:ss.ms")
KNOWN = ("", "tier", "participant", "annotation")
NAMES = ("Tier", "Begin Time - ss.msec", "End Time - ss.msec", "Annotation")


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.max_bytes, options.encoding)
    lines = [
        (f"{file}, line {number}", [cell.strip() for cell in line.split("\t")])
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    if not lines:
        raise InputError(f"{file} holds no annotation")
    named = any(cell.startswith("Begin Time") for cell in lines[0][1])
    rows = _with_names(file, lines) if named else _without_names(lines)
    for _, mark in rows:
        if not mark.label:
            raise InputError(
                f"{mark.place} has no annotation; give it one, or remove it"
            )
    return choose_tier(rows, options.tier, str(file))


def _without_names(lines: list[tuple[str, list[str]]]) -> Rows:
    rows = []
    for where, cells in lines:
        clocks = (parse_clock(cell) for cell in cells)
        times = [Seconds(clock) for clock in clocks if clock is not None]
        if len(times) < 2:
            raise InputError(
                f"{where} lacks begin and end as hh:mm:ss.ms; export with them, or "
                f"with column names"
            )
        rows.append((cells[0], Mark(cells[-1], times[0], times[1], where)))
    return rows


def _with_names(file: Path, lines: list[tuple[str, list[str]]]) -> Rows:
    header = lines[0][1]
    lower = [name.lower() for name in header]
    places = []
    for side in ("Begin Time", "End Time"):
        found = [f"{side}{end}" for end in TIMES if f"{side}{end}" in header]
        if not found:
            raise InputError(
                f"{file}, line 1: no column {side}{TIMES[0]} nor another time"
            )
        places.append(header.index(found[0]))
    of_tiers = [
        at
        for at, name in enumerate(lower)
        if name not in KNOWN and not name.startswith(("begin ", "end ", "duration"))
    ]
    rows = []
    for where, cells in lines[1:]:
        cells += [""] * (len(header) - len(cells))
        if len(cells) != len(header):
            raise InputError(
                f"{where}: {len(cells)} cells where line 1 has {len(header)}"
            )
        start, end = (_seconds(cells[at], header[at], where) for at in places)
        if "annotation" in lower:
            tier = cells[lower.index("tier")] if "tier" in lower else ""
            label = cells[lower.index("annotation")]
            rows.append((tier, Mark(label, start, end, where)))
        else:
            rows += [
                (header[at], Mark(cells[at], start, end, where))
                for at in of_tiers
                if cells[at]
            ]
    return rows


def _seconds(cell: str, column: str, where: str) -> Seconds:
    if column.endswith("hh:mm:ss.ms"):
        seconds = parse_clock(cell)
    else:
        try:
            seconds = float(cell) * (1e-3 if column.endswith(" msec") else 1.0)
        except ValueError:
            seconds = None
    if seconds is None:
        raise InputError(f"{where}: {cell!r} is not a time of the column {column!r}")
    return Seconds(seconds)


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    lines = ["\t".join(NAMES)]
    for start, end, label in writing.seconds(sets):
        lines.append(f"motifs\t{start:.3f}\t{end:.3f}\t{label}")
    return ("\n".join(lines) + "\n").encode()


FORMATS = (
    MotifFormat(
        "elan",
        (".elan",),
        _read,
        "tab-delimited export of ELAN",
        write=_write,
        exported=True,
        loses="fractions of milliseconds, and the sampling rate",
    ),
)
