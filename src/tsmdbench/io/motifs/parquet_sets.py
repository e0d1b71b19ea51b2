"""Motif sets as Parquet: the columns ``set`` (or ``label``), ``start``, ``end``."""

from __future__ import annotations

from pathlib import Path

from tsmdbench.io.arrow import parquet_bytes, pyarrow, read_parquet
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.frames import bound_columns, marks_of_frame
from tsmdbench.io.marks import MarkOptions, Marks, Writing
from tsmdbench.io.paths import check_size
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    check_size(file, options.limit, "motif sets")
    return marks_of_frame(read_parquet(file), str(file), options.units)


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    arrow = pyarrow("Parquet")
    rows = writing.rows(sets)
    labels, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
    kind = None if rows else arrow.int64()  # that of the values
    start, end = bound_columns(writing.units)
    columns = {
        "set": arrow.array(labels, arrow.string()),
        start: arrow.array(starts, kind),
        end: arrow.array(ends, kind),
    }
    return parquet_bytes(arrow.table(columns))


FORMAT = MotifFormat(
    "parquet",
    (".parquet", ".pq"),
    _read,
    "Parquet with the columns set, start, end",
    write=_write,
)
