"""pyarrow, imported when a file needs it, and its errors as one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError, MissingExtraError
from tsmdbench.io.paths import brief


def pyarrow(what: str) -> Any:
    """Return pyarrow, or say how to have it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(f"{what} needs pyarrow", "parquet") from None
    return pyarrow


def read_parquet(file: Path, columns: list[str] | None = None) -> Any:
    """Return the table of a Parquet file."""
    arrow = pyarrow("Parquet")
    from pyarrow import parquet

    try:
        # Without the dataset layer: its threads can abort a short-lived interpreter.
        source = parquet.ParquetFile(file, pre_buffer=False)
        return source.read(columns=columns, use_threads=False)
    except (arrow.ArrowException, OSError, ValueError) as cause:
        raise InputError(
            f"{file}: not a readable Parquet file ({brief(cause)})"
        ) from None


def parquet_bytes(table: Any) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    arrow = pyarrow("Parquet")
    from pyarrow import parquet

    sink = arrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return bytes(sink.getvalue())
