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
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, choose_tier
from tsmdbench.io.paths import read_text
from tsmdbench.io.timebase import Seconds, parse_clock
from tsmdbench.types import MotifSet

TIMES = (" - msec", " - ss.msec", " - hh:mm:ss.ms")
KNOWN = ("tier", "participant", "annotation")
NAMES = ["Tier", "Begin Time - ss.msec", "End Time - ss.msec", "Annotation"]


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.limit, options.encoding)
    lines = [
        (f"{file}, line {number}", line.split("\t"))
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    if not lines:
        raise InputError(f"{file} holds no annotation")
    named = any(cell.strip().startswith("Begin Time") for cell in lines[0][1])
    rows = _with_names(file, lines) if named else list(map(_without_names, lines))
    return choose_tier(rows, options.tier, str(file))


def _without_names(line: tuple[str, list[str]]) -> tuple[str, Mark]:
    where, cells = line
    times = [clock for cell in cells if (clock := parse_clock(cell)) is not None]
    if len(times) < 2:
        raise InputError(
            f"{where} lacks begin and end as hh:mm:ss.ms; export with them, or with "
            f"column names"
        )
    label = _label(cells[-1], where)
    return cells[0].strip(), Mark(label, Seconds(times[0]), Seconds(times[1]), where)


def _with_names(
    file: Path, lines: list[tuple[str, list[str]]]
) -> list[tuple[str, Mark]]:
    header = [cell.strip() for cell in lines[0][1]]
    lower = [name.lower() for name in header]
    begin, end = (
        _time_column(file, header, side) for side in ("Begin Time", "End Time")
    )
    single = lower.index("annotation") if "annotation" in lower else None
    tiers = [
        at
        for at, name in enumerate(lower)
        if name
        and name not in KNOWN
        and not name.startswith(("begin ", "end ", "duration"))
    ]
    rows = []
    for where, cells in lines[1:]:
        cells += [""] * (len(header) - len(cells))
        if len(cells) != len(header):
            raise InputError(
                f"{where}: {len(cells)} cells where line 1 has {len(header)}"
            )
        start, stop = (_seconds(cells[at], header[at], where) for at in (begin, end))
        if single is not None:
            tier = cells[lower.index("tier")].strip() if "tier" in lower else ""
            label = _label(cells[single], where)
            rows.append((tier, Mark(label, start, stop, where)))
            continue
        for at in tiers:
            if cells[at].strip():
                mark = Mark(cells[at].strip(), start, stop, where)
                rows.append((header[at], mark))
    return rows


def _time_column(file: Path, header: list[str], side: str) -> int:
    for ending in TIMES:
        if f"{side}{ending}" in header:
            return header.index(f"{side}{ending}")
    raise InputError(f"{file}, line 1: no column {side}{TIMES[0]} nor another time")


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


def _label(cell: str, where: str) -> str:
    if not cell.strip():
        raise InputError(f"{where} has no annotation; give it one, or remove it")
    return cell.strip()


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    lines = ["\t".join(NAMES)]
    for start, end, label in writing.seconds(sets):
        lines.append(f"motifs\t{start:.3f}\t{end:.3f}\t{label}")
    return ("\n".join(lines) + "\n").encode()


FORMAT = MotifFormat(
    "elan",
    (".elan",),
    _read,
    "tab-delimited export of ELAN",
    write=_write,
    exported=True,
    loses="fractions of milliseconds, and the sampling rate",
)
