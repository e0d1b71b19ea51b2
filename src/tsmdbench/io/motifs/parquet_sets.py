"""Motif sets as Parquet: the columns ``set`` (or ``label``), ``start``, ``end``."""

from __future__ import annotations

from pathlib import Path

from tsmdbench.io.arrow import parquet_bytes, pyarrow, read_parquet
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.frames import marks_of_frame
from tsmdbench.io.marks import MarkOptions, Marks
from tsmdbench.io.paths import check_size
from tsmdbench.io.timebase import TimeBase
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    check_size(file, options.limit, "motif sets")
    return marks_of_frame(read_parquet(file), str(file), options.units)


def _write(sets: dict[str, MotifSet], _: TimeBase) -> bytes:
    arrow = pyarrow("Parquet")
    rows = [(label, *pair) for label, motifs in sets.items() for pair in motifs]
    labels, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
    table = arrow.table(
        {
            "set": arrow.array(labels, arrow.string()),
            "start": arrow.array(starts, arrow.int64()),
            "end": arrow.array(ends, arrow.int64()),
        }
    )
    return parquet_bytes(table)


FORMAT = MotifFormat(
    "parquet",
    (".parquet", ".pq"),
    _read,
    "Parquet with the columns set, start, end",
    write=_write,
)
