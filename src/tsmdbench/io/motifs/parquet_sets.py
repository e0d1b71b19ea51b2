"""Motif sets as Parquet: the columns ``set`` (or ``label``), ``start``, ``end``.

Sets with channels have the columns ``motif`` and ``channels`` of a csv file, too.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.io.files import check_size, parquet_bytes, pyarrow, read_parquet
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import MarkOptions, Marks, Writing, marks_of_frame
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    check_size(file, options.limit, "motif sets")
    return marks_of_frame(read_parquet(file), str(file), options.units)


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    arrow, (names, rows) = pyarrow(), writing.table(sets)
    columns = {}
    for at, name in enumerate(names):
        kind = None if rows else arrow.int64()  # that of the values
        if name in ("set", "channels"):
            kind = arrow.string()
        columns[name] = arrow.array([row[at] for row in rows], kind)
    return parquet_bytes(arrow.table(columns))


FORMAT = MotifFormat(
    "parquet",
    (".parquet", ".pq"),
    _read,
    "Parquet with the columns set, start, end",
    write=_write,
    channels=True,
)
