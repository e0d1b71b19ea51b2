"""Tables: series with a column per channel, motif sets with a row per segment.

Series are Parquet, Feather or Arrow IPC (text has a module of its own). Motif sets are
text or Parquet with the columns ``set`` (or ``label``), ``start``, ``end``. Bounds are
samples, or times such as ``1.5s``, ``00:01:30.5`` and ``2024-05-01T12:00:00``. Columns
``start_s`` and ``end_s`` are numbers of seconds; other columns are left out. A ``.tsv``
file has tabs.

Sets with channels have two columns more: ``motif``, a number, and ``channels``, those
that the row holds for (``0 2``). Rows with the same number are one motif.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import (
    check_size,
    import_optional,
    parquet_bytes,
    pyarrow,
    read_cells,
    read_parquet,
    readable,
)
from tsmdbench.io.formats import MotifFormat, SeriesFormat
from tsmdbench.io.marks import (
    MarkOptions,
    Marks,
    Writing,
    marks_of_frame,
    marks_of_table,
)
from tsmdbench.io.series import SeriesOptions, Table, table_of_frame
from tsmdbench.types import MotifSet


def _parquet(file: Path, options: SeriesOptions) -> Table:
    check_size(file, options.max_bytes, "a series")
    return table_of_frame(read_parquet(file), str(file))


def _feather(file: Path, options: SeriesOptions) -> Table:
    check_size(file, options.max_bytes, "a series")
    arrow = pyarrow("Feather")
    feather = import_optional("pyarrow.feather", "Feather needs pyarrow", "parquet")
    with readable(file, "readable Feather file", arrow.ArrowException):
        table = feather.read_table(file, memory_map=False)
    return table_of_frame(table, str(file))


def _sets_of_text(file: Path, options: MarkOptions) -> Marks:
    header, rows, _ = read_cells(file, options.max_bytes, options.encoding)

    def stripped() -> Iterator[tuple[str, list[str]]]:
        for where, cells in rows:  # read after the header, whose message goes first
            if len(cells) != len(header):
                raise InputError(
                    f"{where}, column {len(cells)}: expected {','.join(header)[:60]}, "
                    f"got {len(cells)} cells"
                )
            yield where, [cell.strip() for cell in cells]

    return marks_of_table(
        header, stripped(), f"{file}, line 1, column 1", options.units
    )


def _text_of_sets(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    buffer = io.StringIO()
    tabs = writing.file.suffix.lower() == ".tsv"
    writer = csv.writer(buffer, lineterminator="\n", delimiter="\t" if tabs else ",")
    names, rows = writing.table(sets)
    writer.writerows([names, *rows])
    return buffer.getvalue().encode()


def _sets_of_parquet(file: Path, options: MarkOptions) -> Marks:
    check_size(file, options.max_bytes, "motif sets")
    return marks_of_frame(read_parquet(file), str(file), options.units)


def _parquet_of_sets(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    arrow, (names, rows) = pyarrow(), writing.table(sets)
    columns = {}
    for at, name in enumerate(names):
        kind = None if rows else arrow.int64()  # that of the values
        if name in ("set", "channels"):
            kind = arrow.string()
        columns[name] = arrow.array([row[at] for row in rows], kind)
    return parquet_bytes(arrow.table(columns))


FORMATS = (
    SeriesFormat(
        "parquet", (".parquet", ".pq"), _parquet, "Parquet, one column per channel"
    ),
    SeriesFormat(
        "feather",
        (".feather", ".arrow"),
        _feather,
        "Feather and Arrow, one column per channel",
    ),
    MotifFormat(
        "csv",
        (".csv", ".tsv"),
        _sets_of_text,
        "table with the columns set, start, end",
        write=_text_of_sets,
        channels=True,
    ),
    MotifFormat(
        "parquet",
        (".parquet", ".pq"),
        _sets_of_parquet,
        "Parquet with the columns set, start, end",
        write=_parquet_of_sets,
        channels=True,
    ),
)
