"""Motif sets as a table of text: columns ``set`` (or ``label``), ``start``, ``end``.

Bounds are samples, or times such as ``1.5s``, ``00:01:30.5`` and
``2024-05-01T12:00:00``. Other columns are left out.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, bound_of_text
from tsmdbench.io.paths import read_text
from tsmdbench.io.timebase import TimeBase
from tsmdbench.types import MotifSet

HEADER = ["set", "start", "end"]
LABELS = ("set", "label")
SEPARATORS = (",", ";", "\t", "|")


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.limit, options.encoding)
    first = text.partition("\n")[0]
    separator = next((sep for sep in SEPARATORS if sep in first), ",")
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    marks = Marks()
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        label, start, end = _places(file, header)
        for cells in lines:
            if not cells:
                continue
            where = f"{file}, line {lines.line_num}"
            if len(cells) != len(header):
                raise InputError(
                    f"{where}, column {len(cells)}: expected {','.join(header)[:60]}, "
                    f"got {len(cells)} cells"
                )
            begin, stop = (
                bound_of_text(
                    cells[at].strip(), options.units, f"{where}, column {at + 1}"
                )
                for at in (start, end)
            )
            marks.rows.append(Mark(cells[label].strip(), begin, stop, where))
    except csv.Error as cause:
        raise InputError(f"{file}, line {lines.line_num}: {cause}") from None
    extra = [name for at, name in enumerate(header) if at not in (label, start, end)]
    if extra:
        marks.left_out.append(f"columns left out: {', '.join(extra)}")
    return marks


def _places(file: Path, header: list[str]) -> tuple[int, int, int]:
    """Return the positions of label, start and end."""
    labels = [name for name in LABELS if header.count(name) == 1]
    if len(labels) != 1 or header.count("start") != 1 or header.count("end") != 1:
        shown = ",".join(header)[:60]
        raise InputError(
            f"{file}, line 1, column 1: the header must be set,start,end, got {shown!r}"
        )
    return header.index(labels[0]), header.index("start"), header.index("end")


def _write(sets: dict[str, MotifSet], _: TimeBase) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(
        (label, *pair) for label, motifs in sets.items() for pair in motifs
    )
    return buffer.getvalue().encode()


FORMAT = MotifFormat(
    "csv",
    (".csv", ".tsv"),
    _read,
    "table with the columns set, start, end",
    write=_write,
)
