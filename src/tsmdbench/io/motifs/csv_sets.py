"""Motif sets as a table of text: columns ``set`` (or ``label``), ``start``, ``end``.

Bounds are samples, or times such as ``1.5s``, ``00:01:30.5`` and
``2024-05-01T12:00:00``. Columns ``start_s`` and ``end_s`` are numbers of seconds; other
columns are left out. A ``.tsv`` file has tabs.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.frames import bound_columns, find_columns
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, bound_of_text
from tsmdbench.io.paths import read_text
from tsmdbench.types import MotifSet

SEPARATORS = (",", ";", "\t", "|")


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.limit, options.encoding)
    first = text.partition("\n")[0]
    separator = next((sep for sep in SEPARATORS if sep in first), ",")
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    marks = Marks()
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        label, start, end, units = find_columns(header, f"{file}, line 1, column 1")
        units = units or options.units
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
                bound_of_text(cells[at].strip(), units, f"{where}, column {at + 1}")
                for at in (start, end)
            )
            marks.rows.append(Mark(cells[label].strip(), begin, stop, where))
    except csv.Error as cause:
        raise InputError(f"{file}, line {lines.line_num}: {cause}") from None
    extra = [name for at, name in enumerate(header) if at not in (label, start, end)]
    if extra:
        marks.left_out.append(f"columns left out: {', '.join(extra)}")
    return marks


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    buffer = io.StringIO()
    tabs = writing.file.suffix.lower() == ".tsv"
    writer = csv.writer(buffer, lineterminator="\n", delimiter="\t" if tabs else ",")
    writer.writerow(["set", *bound_columns(writing.units)])
    writer.writerows(writing.rows(sets))
    return buffer.getvalue().encode()


FORMAT = MotifFormat(
    "csv",
    (".csv", ".tsv"),
    _read,
    "table with the columns set, start, end",
    write=_write,
)
