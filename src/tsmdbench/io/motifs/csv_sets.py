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
from collections.abc import Iterator
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import read_cells
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import MarkOptions, Marks, Writing, marks_of_table
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    header, rows, _ = read_cells(file, options.limit, options.encoding)
    for where, cells in rows:
        if len(cells) != len(header):
            raise InputError(
                f"{where}, column {len(cells)}: expected {','.join(header)[:60]}, got "
                f"{len(cells)} cells"
            )

    def read(places: list[int]) -> Iterator[tuple[str, list[str]]]:
        return ((where, [row[at].strip() for at in places]) for where, row in rows)

    return marks_of_table(header, read, f"{file}, line 1, column 1", options.units)


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
