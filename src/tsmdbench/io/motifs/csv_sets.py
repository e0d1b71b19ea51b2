"""Motif sets as a table of text: columns ``set`` (or ``label``), ``start``, ``end``.

Bounds are samples, or times such as ``1.5s``, ``00:01:30.5`` and
``2024-05-01T12:00:00``. Columns ``start_s`` and ``end_s`` are numbers of seconds; other
columns are left out. A ``.tsv`` file has tabs.

Sets with channels have two columns more: ``motif``, a number, and ``channels``, those
that the row holds for (``0 2``). Rows with the same number are one motif.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.io.files import read_text
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import (
    Mark,
    MarkOptions,
    Marks,
    Writing,
    as_bound,
    as_channels,
    channel_places,
    find_columns,
)
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.limit, options.encoding)
    first = text.partition("\n")[0]
    separator = next((sep for sep in (",", ";", "\t", "|") if sep in first), ",")
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    marks = Marks()
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        (label, *places), units = find_columns(header, f"{file}, line 1, column 1")
        units, more = units or options.units, channel_places(header)
        for cells in filter(None, lines):
            where = f"{file}, line {lines.line_num}"
            if len(cells) != len(header):
                raise InputError(
                    f"{where}, column {len(cells)}: expected {','.join(header)[:60]}, "
                    f"got {len(cells)} cells"
                )
            start, end = (
                as_bound(cells[at].strip(), units, f"{where}, column {at + 1}")
                for at in places
            )
            part: tuple[Any, ...] = ()
            if more:
                place = f"{where}, column {more[1] + 1}"
                part = cells[more[0]].strip(), as_channels(cells[more[1]], place)
            marks.rows.append(Mark(cells[label].strip(), start, end, where, *part))
    except csv.Error as cause:
        raise InputError(f"{file}, line {lines.line_num}: {cause}") from None
    known = label, *places, *more
    extra = [name for at, name in enumerate(header) if at not in known]
    if extra:
        marks.left_out.append(f"columns left out: {', '.join(extra)}")
    return marks


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    buffer = io.StringIO()
    tabs = writing.file.suffix.lower() == ".tsv"
    writer = csv.writer(buffer, lineterminator="\n", delimiter="\t" if tabs else ",")
    names, rows = writing.table(sets)
    writer.writerow(names)
    writer.writerows(rows)
    return buffer.getvalue().encode()


FORMAT = MotifFormat(
    "csv",
    (".csv", ".tsv"),
    _read,
    "table with the columns set, start, end",
    write=_write,
    channels=True,
)
